/**
 * Everything that is projected from a log, out of nothing but the log: what rebuilding writes, and
 * what checking compares with the rows that are there.
 */
import { isDeepStrictEqual } from 'node:util'
import { foldFamily, unbornFamily } from '../../core/engine/fold-family.ts'
import type { MachineCache } from '../definitions/machine-cache.ts'
import { PawlError } from '../pawl-error.ts'
import type { ApprovalRow, EventRecord, RunHead, Snapshot } from '../ports.ts'
import { bindsIn, hashText } from '../record/binds.ts'
import { chainStart } from './hash-chain.ts'
import { recordedIn } from './load-run.ts'
import { approvalsOf, type Beginning, headOf, snapshotOf, snapshotVersion } from './projections.ts'

export type Projected = {
  readonly head: RunHead
  readonly approvals: readonly ApprovalRow[]
  /** The fold at the record that was asked for; null: no command ended there. */
  readonly folds: Snapshot | null
}

/** What to fold with, and the record after which the fold is wanted too. */
type Folding = { readonly shelf: MachineCache; readonly at?: number | undefined }

/** Projects a log whose machines are on the shelf. Fault `LOG_BROKEN`. */
export function projectLog(
  runId: string,
  events: readonly EventRecord[],
  { shelf, at: wantedSeq }: Folding,
): Projected {
  const [first] = events
  const started = first === undefined ? null : recordedIn(first).event
  if (first === undefined || started?.type !== 'run.started') {
    throw new PawlError('LOG_BROKEN', `the log of \`${runId}\` does not begin with its start`)
  }
  const workspace = started.workspace ?? null
  const library = started.library ?? {}
  let beginning: Beginning = { workspace, startedAt: first.at, endedAt: null }
  let family = unbornFamily(runId)
  let head: RunHead | null = null
  let folds: Snapshot | null = null
  const approvals = new Map<string, ApprovalRow>()
  for (const batch of batchesOf(events)) {
    const recorded = batch.map(recordedIn)
    const before = family
    family = foldFamily(before, recorded, shelf.get)
    const { seq, hash, at } = batch.at(-1) as EventRecord
    for (const row of approvalsOf(before, family, { recorded, at })) approvals.set(row.id, row)
    head = headOf(family, { seq, hash, at }, beginning)
    beginning = head
    if (seq === wantedSeq) {
      const last = events[seq - 2]?.hash ?? chainStart
      folds = snapshotOf(family, library, { seq, before: last, beginning })
    }
  }
  return { head: head as RunHead, approvals: [...approvals.values()], folds }
}

/** Why a snapshot is not the fold that its record bound; null: it is, or it is never read. */
export function findSnapshotFault(
  { seq, version, state }: Snapshot,
  events: readonly EventRecord[],
  fold: Snapshot | null,
): string | null {
  if (version !== snapshotVersion) return null
  const record = events[seq - 1]
  if (record === undefined || bindsIn(record).snapshot !== hashText(state)) {
    return `the snapshot is not the one that was taken at record ${seq}`
  }
  const isFold = fold !== null && isDeepStrictEqual(JSON.parse(state), JSON.parse(fold.state))
  return isFold ? null : `the snapshot is not what records 1 to ${seq} give`
}

/** Records that were kept by one command. */
function* batchesOf(events: readonly EventRecord[]): Generator<readonly EventRecord[]> {
  let batch: EventRecord[] = []
  for (const record of events) {
    if (batch.length > 0 && batch[0]?.commandId !== record.commandId) {
      yield batch
      batch = []
    }
    batch.push(record)
  }
  if (batch.length > 0) yield batch
}

/** Hashes of the machines that a log needs. */
export function machinesIn(events: readonly EventRecord[]): readonly string[] {
  const started = events.filter((record) => record.type === 'run.started').map(recordedIn)
  return [
    ...new Set(
      started.flatMap(({ event }) =>
        event.type === 'run.started' ? [event.machine, ...Object.values(event.library ?? {})] : [],
      ),
    ),
  ]
}
