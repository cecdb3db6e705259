/**
 * Projections of a log: the head of a run, its approvals, the snapshot.
 * Pure: the same events give the same rows, now and when they are rebuilt.
 */
import { evolveVersion } from '../../core/engine/evolve.ts'
import type { Family, FamilyMember, Recorded } from '../../core/engine/family.ts'
import { mainOf } from '../../core/engine/family.ts'
import { endorsed } from '../../core/engine/fold-approval.ts'
import type { Machines } from '../../core/engine/fold-family.ts'
import { hasEnded } from '../../core/engine/is-running.ts'
import type { Approval, Event, RunState } from '../../core/engine/types.ts'
import { addMicroUsd } from '../../core/money.ts'
import type { Meters } from '../../core/policy/meters.ts'
import type { ApprovalRow, RunHead, Snapshot } from '../ports.ts'

type Log = { readonly seq: number; readonly hash: string; readonly at: number }

/** The head of a family whose log is this far. `before` is null for a new run. */
export function headOf(family: Family, log: Log, before: Beginning): RunHead {
  const main = mainOf(family)
  const { machine, state } = main
  let callsCount = 0
  let costMicroUsd = 0
  for (const member of family.members) {
    callsCount += member.state.callsCount
    costMicroUsd = addMicroUsd(costMicroUsd, member.state.costMicroUsd)
  }
  return {
    id: family.mainId,
    machine: machine.hash,
    definition: machine.name,
    dialect: machine.dialect,
    status: statusOf(family, state),
    stage: state.stage,
    seq: log.seq,
    hash: log.hash,
    workspace: before.workspace,
    callsCount,
    costMicroUsd,
    startedAt: before.startedAt,
    updatedAt: log.at,
    endedAt: hasEnded(state) ? (before.endedAt ?? log.at) : null,
  }
}

export type Beginning = Pick<RunHead, 'workspace' | 'startedAt' | 'endedAt'>

/** A run waits when any run of its family asks a person. */
function statusOf(family: Family, state: RunState): string {
  const asks = family.members.some((member) => member.state.approval !== null)
  return asks && (state.status === 'running' || hasEnded(state)) ? 'waiting' : state.status
}

/** Questions that these events put or decided, as they are now. */
export function approvalsOf(
  before: Family | null,
  after: Family,
  facts: { readonly recorded: readonly Recorded[]; readonly at: number },
): readonly ApprovalRow[] {
  if (before !== null && !hasQuestions(before) && !hasQuestions(after)) {
    if (!facts.recorded.some(({ event }) => event.type === 'approval.requested')) return []
  }
  const rows = new Map<string, ApprovalRow>()
  const asked = new Map<string, MemberApproval>()
  const put = (one: MemberApproval): void => {
    asked.set(one.approval.id, one)
    rows.set(one.approval.id, pendingRow(after.mainId, one))
  }
  for (const { runId: member, state } of before?.members ?? []) {
    if (state.approval !== null) put({ member, approval: state.approval })
  }
  const changed = new Set<string>()
  for (const { runId: member, event } of facts.recorded) {
    if (event.type === 'approval.requested') {
      put({ member, approval: event.approval })
      changed.add(event.approval.id)
    }
    const known = 'approvalId' in event ? asked.get(event.approvalId) : undefined
    if (known === undefined) continue
    const { approval } = known
    if (event.type === 'approval.endorsed') put({ member, approval: endorsed(approval, event) })
    else
      rows.set(approval.id, {
        ...(rows.get(approval.id) as ApprovalRow),
        ...decided(event, facts.at, approval),
      })
    changed.add(approval.id)
  }
  for (const row of rows.values()) {
    if (row.status !== 'pending' || isOpen(after, row)) continue
    // The run ended or moved without an answer.
    rows.set(row.id, { ...row, status: 'expired', decidedAt: facts.at })
    changed.add(row.id)
  }
  return [...changed].map((id) => rows.get(id) as ApprovalRow)
}

function hasQuestions(family: Family): boolean {
  return family.members.some((member) => member.state.approval !== null)
}

function isOpen(family: Family, row: ApprovalRow): boolean {
  return family.members.some((member) => member.state.approval?.id === row.id)
}

type MemberApproval = { readonly member: string; readonly approval: Approval }

function pendingRow(runId: string, { member, approval }: MemberApproval): ApprovalRow {
  const { id, kind, message, hash, requestedAt, expiresAt = null, quorum, proof } = approval
  const note = endorsedText(approval)
  const open = { status: 'pending', decidedAt: null, decidedBy: null, note } as const
  // What waits is kept with what a yes takes, where it is more than anybody's.
  const people = { quorum, endorsements: approval.endorsements ?? [] }
  const whole = {
    ...approval.pending,
    ...(quorum === undefined ? {} : people),
    ...(proof === undefined ? {} : { proof }),
  }
  const asked = { kind, message, hash, requestedAt, expiresAt, pending: JSON.stringify(whole) }
  return { id, runId, member, ...asked, ...open }
}

/** Who has agreed so far, while others have to as well. */
function endorsedText({ quorum, endorsements = [] }: Approval): string {
  if (quorum === undefined || endorsements.length === 0) return ''
  const said = endorsements.map(({ by, note }) => (note === '' ? by.name : `${by.name}: ${note}`))
  const missing = quorum.needed - endorsements.length
  return `approved by ${said.join('; ')} (${missing} more needed)`
}

type Decided = Pick<ApprovalRow, 'status' | 'decidedAt' | 'decidedBy' | 'note'>

function decided(event: Event, at: number, approval: Approval): Decided | Record<string, never> {
  switch (event.type) {
    case 'approval.granted':
    case 'approval.refused': {
      const status = event.type === 'approval.granted' ? 'granted' : 'refused'
      const before = event.type === 'approval.granted' ? (approval.endorsements ?? []) : []
      const decidedBy = [...before.map((one) => one.by.name), event.by.name].join(', ')
      return { status, decidedAt: at, decidedBy, note: event.note }
    }
    case 'approval.expired':
      return { status: 'expired', decidedAt: at, decidedBy: null, note: '' }
    default:
      return {}
  }
}

type KeptMember = Omit<FamilyMember, 'machine'> & { readonly machine: string }
type StoredFold = {
  readonly members: readonly KeptMember[]
  readonly meters: Meters
  readonly library: Pins
  readonly beginning: Beginning
  /** Hash before the last record that is folded here; that record binds this text. */
  readonly before: string
}

/** Hashes of the machines that invokes mean, by name. */
export type Pins = { readonly [name: string]: string }

/**
 * A snapshot of another version is not read: neither that of another `evolve`, nor one from
 * before snapshots were bound to the chain.
 */
export const snapshotVersion = 1_000 + evolveVersion

/** The fold of a log up to here, as it is kept. */
export function snapshotOf(
  family: Family,
  library: Pins,
  { seq, before, beginning }: Pick<StoredFold, 'before' | 'beginning'> & { readonly seq: number },
): Snapshot {
  const members = family.members.map(
    (member): KeptMember => ({ ...member, machine: member.machine.hash }),
  )
  const { workspace, startedAt, endedAt } = beginning
  const begun = { workspace, startedAt, endedAt }
  const kept: StoredFold = { members, meters: family.meters, library, beginning: begun, before }
  return { seq, version: snapshotVersion, state: JSON.stringify(kept) }
}

/** What was kept: the family and its pins, and the machines they need. */
export function openSnapshot(mainId: string, snapshot: Snapshot): KeptFold {
  const { members, meters, library, beginning, before } = JSON.parse(snapshot.state) as StoredFold
  return {
    library,
    beginning,
    before,
    hashes: [...new Set([...members.map((one) => one.machine), ...Object.values(library)])],
    family: (machines) => {
      const full = members.map((one): FamilyMember => ({ ...one, machine: machines(one.machine) }))
      return { mainId, members: full, meters }
    },
  }
}

export type KeptFold = Pick<StoredFold, 'library' | 'beginning' | 'before'> & {
  readonly hashes: readonly string[]
  readonly family: (machines: Machines) => Family
}
