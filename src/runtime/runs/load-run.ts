/**
 * Loads a run from the store: the snapshot and the later records, verified before they are used.
 */
import type { Family, Recorded } from '../../core/engine/family.ts'
import { mainOf } from '../../core/engine/family.ts'
import { foldFamily, unbornFamily } from '../../core/engine/fold-family.ts'
import type { Event } from '../../core/engine/types.ts'
import type { MachineCache } from '../definitions/machine-cache.ts'
import { PawlError } from '../pawl-error.ts'
import type { EventRecord, RunHead, RunStore, Snapshot } from '../ports.ts'
import { bindsIn, hashText } from '../record/binds.ts'
import { chained, chainStart } from './hash-chain.ts'
import {
  type Beginning,
  type KeptFold,
  openSnapshot,
  type Pins,
  snapshotVersion,
} from './projections.ts'

export type LoadedRun = {
  readonly family: Family
  readonly head: RunHead
  readonly library: Pins
  /** Up to where a fold is kept. */
  readonly snapshotSeq: number
}

/** Records read at once. */
const pageRecords = 1_000

/** The run of that id; null: there is none. */
export async function loadRun(
  store: RunStore,
  shelf: MachineCache,
  runId: string,
): Promise<LoadedRun | null> {
  const stored = await store.loadRun(runId)
  if (stored === null) return null
  const { head } = stored
  const snapshot = stored.snapshot?.version === snapshotVersion ? stored.snapshot : null
  const isWhole = stored.snapshot === null || snapshot !== null
  const records = isWhole ? stored.tail : await readAll(store, runId)
  try {
    const kept = snapshot === null ? null : openSnapshot(runId, snapshot)
    const start =
      kept === null || snapshot === null ? atBeginning : boundAt(head, kept, { snapshot, records })
    const tail = kept === null ? records : records.slice(1)
    checkTail(head, tail, start)
    const folded = await fold(shelf, { runId, kept, tail })
    checkHead(head, folded, kept?.beginning ?? beginningIn(head, tail))
    return { head, snapshotSeq: start.seq, ...folded }
  } catch (cause) {
    if (cause instanceof PawlError) throw cause
    throw broken(runId, cause instanceof Error ? cause.message : 'it cannot be read')
  }
}

const atBeginning: Link = { seq: 0, hash: chainStart }

/** The record that a snapshot was taken at, once it is known that it binds the snapshot. */
function boundAt(
  { id }: RunHead,
  { before }: KeptFold,
  { snapshot, records }: { readonly snapshot: Snapshot; readonly records: readonly EventRecord[] },
): Link {
  const [record] = records
  if (record?.seq !== snapshot.seq) throw broken(id, `record ${snapshot.seq}`)
  const isTrue = chained(id, before, record).hash === record.hash
  if (!isTrue || bindsIn(record).snapshot !== hashText(snapshot.state)) {
    throw broken(id, 'its snapshot')
  }
  return record
}

/** How a log begins, when all of it is at hand. */
function beginningIn({ id }: RunHead, [first]: readonly EventRecord[]): Beginning {
  const event = first === undefined ? null : recordedIn(first).event
  if (first === undefined || event?.type !== 'run.started') throw broken(id, 'its start')
  return { workspace: event.workspace ?? null, startedAt: first.at, endedAt: null }
}

/** A head that was edited must not lend the run other policies, or another past. */
function checkHead(
  head: RunHead,
  { family }: Pick<LoadedRun, 'family'>,
  { workspace, startedAt }: Beginning,
): void {
  const isTrue =
    head.machine === mainOf(family).machine.hash &&
    head.workspace === workspace &&
    head.startedAt === startedAt
  if (!isTrue) throw broken(head.id, 'its head')
}

type Stored = {
  readonly runId: string
  readonly kept: KeptFold | null
  readonly tail: readonly EventRecord[]
}

async function fold(
  shelf: MachineCache,
  { runId, kept, tail }: Stored,
): Promise<Pick<LoadedRun, 'family' | 'library'>> {
  const recorded = tail.map(recordedIn)
  const started = recorded.flatMap(({ event }) => (event.type === 'run.started' ? [event] : []))
  const pinned = started.flatMap((event) => Object.values(event.library ?? {}))
  const hashes = [...(kept?.hashes ?? []), ...started.map((event) => event.machine), ...pinned]
  await shelf.fetch([...new Set(hashes)])
  const before = kept?.family(shelf.get) ?? unbornFamily(runId)
  const library = kept?.library ?? started[0]?.library ?? {}
  const family = recorded.length === 0 ? before : foldFamily(before, recorded, shelf.get)
  return { family, library }
}

/** The event in a record. */
export function recordedIn({ member, data }: EventRecord): Recorded {
  // WHY the cast: the store's texts are ours, and the chain tells when they were changed.
  return { runId: member, event: JSON.parse(data) as Event }
}

/** A run is not moved on a log that does not hang together. */
function checkTail(head: RunHead, tail: readonly EventRecord[], start: Link): void {
  let before = start
  for (const record of tail) {
    if (record.seq !== before.seq + 1) throw broken(head.id, `record ${before.seq + 1}`)
    const isTrue = chained(head.id, before.hash, record).hash === record.hash
    if (!isTrue) throw broken(head.id, `record ${record.seq}`)
    before = record
  }
  if (before.seq !== head.seq || before.hash !== head.hash) throw broken(head.id, 'its end')
}

type Link = { readonly seq: number; readonly hash: string }

function broken(runId: string, where: string): PawlError {
  const message = `the log of \`${runId}\` is damaged at ${where}`
  const shown = `\`pawl log ${runId} --verify\` and \`pawl db check\` show more`
  const hint = `${shown}; no command is accepted for it`
  return new PawlError('LOG_BROKEN', message, { hint })
}

/** All records of a log, for the rare reader that needs them at once. */
export async function readAll(store: RunStore, runId: string): Promise<readonly EventRecord[]> {
  const all: EventRecord[] = []
  for (;;) {
    const page = await store.readEvents(runId, { after: all.length, limit: pageRecords })
    all.push(...page)
    if (page.length < pageRecords) return all
  }
}
