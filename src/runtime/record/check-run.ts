/**
 * Checks one run: folds its log from the first record and compares every row that is derived from
 * it or bound by it with what is stored.
 */
import type { MachineCache } from '../definitions/machine-cache.ts'
import type { ApprovalRow, EventRecord, OutboxItem, RunHead, Store } from '../ports.ts'
import { openChainCheck } from '../runs/hash-chain.ts'
import { readAll } from '../runs/load-run.ts'
import { readApprovals } from '../runs/log-maintenance.ts'
import { findSnapshotFault, machinesIn, projectLog } from '../runs/project-log.ts'
import { bindsIn, hashOutboxItem, hashText } from './binds.ts'
import type { RegisteredRun } from './fold-register.ts'
import type { RunRows } from './ports.ts'
import { digestReplies } from './register.ts'

/** How long delivery may be put off: a night of quiet hours, or the pause after many failures. */
const delayMsMax = 2 * 86_400_000

type Checked = {
  readonly runId: string
  /** What the register knows of it. */
  readonly known: RegisteredRun
  /** Ids of outbox items that were delivered. */
  readonly settled: ReadonlySet<string>
  readonly now: number
}

/** What is wrong with a run; empty: nothing. */
export async function checkRun(
  store: Store,
  shelf: MachineCache,
  { runId, ...checked }: Checked,
): Promise<readonly string[]> {
  const { known } = checked
  const events = await readAll(store, runId)
  const head = await store.readHead(runId)
  const check = openChainCheck(runId)
  const verified = check.add(events) ?? check.end(head && { ...head, runId })
  if (!verified.ok) return [`record ${verified.seq}: ${verified.problem}`]
  if (head === null) return ['its row in the list of runs is missing']
  const rows = await store.readRunRows(runId)
  const problems = [
    ...checkNoted(events, known),
    ...checkReplies(events, rows.replies, known),
    ...checkOutbox(events, rows.outbox, checked),
  ]
  try {
    await shelf.fetch(machinesIn(events))
    const { snapshot } = rows
    const projected = projectLog(runId, events, { shelf, at: snapshot?.seq })
    problems.push(...compareHeads(head, projected.head))
    problems.push(...compareApprovals(await readApprovals(store, runId), projected.approvals))
    const fault = snapshot === null ? null : findSnapshotFault(snapshot, events, projected.folds)
    if (fault !== null) problems.push(fault)
  } catch (fault) {
    problems.push(fault instanceof Error ? fault.message : 'its records cannot be replayed')
  }
  const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
  if (rows.logBytes !== bytes) problems.push('the stored size of its log is wrong')
  return problems
}

/** The register noted how far the log was, and with which hash. */
function checkNoted(events: readonly EventRecord[], { noted }: RegisteredRun): readonly string[] {
  const wrong = noted.find(([, seq, hash]) => events[seq - 1]?.hash !== hash)
  if (wrong === undefined) return []
  return [`record ${wrong[1]}: the register noted a different record here, or the log was cut`]
}

function compareHeads(stored: RunHead, projected: RunHead): readonly string[] {
  const keys = Object.keys(projected) as (keyof RunHead)[]
  return keys
    .filter((key) => stored[key] !== projected[key])
    .map((key) => `the list of runs has \`${stored[key]}\` as ${key}; its log says otherwise`)
}

function compareApprovals(
  stored: readonly ApprovalRow[],
  projected: readonly ApprovalRow[],
): readonly string[] {
  const said = new Map(projected.map((row) => [row.id, row]))
  const problems = stored.flatMap((row): string[] => {
    const other = said.get(row.id)
    said.delete(row.id)
    if (other === undefined) return [`approval ${row.id} was never asked for`]
    const keys = Object.keys(other) as (keyof ApprovalRow)[]
    const wrong = keys.filter((key) => row[key] !== other[key])
    return wrong.length === 0
      ? []
      : [`approval ${row.id}: ${wrong.join(', ')} differs from the log`]
  })
  return [...problems, ...[...said.keys()].map((id) => `approval ${id} is missing`)]
}

/** Records up to here came with the run, without the rows beside them. */
const importedTo = ({ isImported, noted: [first] }: RegisteredRun): number =>
  isImported ? (first?.[1] ?? 0) : 0

function checkReplies(
  events: readonly EventRecord[],
  replies: RunRows['replies'],
  known: RegisteredRun,
): readonly string[] {
  const bound = new Map(known.replies)
  const imported = new Set<string>()
  for (const record of events) {
    const { reply } = bindsIn(record)
    if (reply === undefined) continue
    bound.set(record.commandId, reply)
    if (record.seq <= importedTo(known)) imported.add(record.commandId)
  }
  const problems: string[] = []
  const rest: RunRows['replies'][number][] = []
  for (const reply of replies) {
    const hash = bound.get(reply.commandId)
    bound.delete(reply.commandId)
    if (hash === undefined) rest.push(reply)
    else if (hash !== hashText(reply.text)) {
      problems.push(`the reply to command ${reply.commandId} is not the one that was given`)
    }
  }
  const missing = [...bound.keys()].filter((id) => !imported.has(id))
  problems.push(...missing.map((id) => `the reply to command ${id} is missing`))
  if (digestReplies(rest) === (known.acceptedReplies ?? digestReplies([]))) return problems
  const what =
    known.acceptedReplies === null
      ? `the reply to command ${rest[0]?.commandId} was never given`
      : 'the replies from before the migration were changed'
  return [...problems, what]
}

function checkOutbox(
  events: readonly EventRecord[],
  items: readonly OutboxItem[],
  { known, settled, now }: Omit<Checked, 'runId'>,
): readonly string[] {
  const owed = new Map(Object.entries(known.acceptedOutbox))
  for (const record of events) {
    const isHere = record.seq > importedTo(known)
    for (const [id, hash] of Object.entries(bindsIn(record).outbox ?? {})) {
      if (isHere) owed.set(id, hash)
    }
  }
  for (const id of settled) owed.delete(id)
  const problems = items.flatMap((item): string[] => {
    const hash = owed.get(item.id)
    owed.delete(item.id)
    if (hash === undefined) return [`outbox item ${item.id} was never put there, or was delivered`]
    if (hash !== hashOutboxItem(item)) return [`outbox item ${item.id} was changed`]
    return item.dueAt > now + delayMsMax ? [`outbox item ${item.id} is put off for too long`] : []
  })
  return [...problems, ...[...owed.keys()].map((id) => `outbox item ${id} is missing`)]
}
