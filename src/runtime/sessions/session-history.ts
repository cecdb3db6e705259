/**
 * What a session of a host has done in its runs, one after another, for rules over a session.
 * Knows sessions and runs. Must not judge.
 * WHY a list of its own: claims are let go of when a session ends, and it may be resumed.
 */
import { newSession, type SessionPast } from '../../core/engine/session-past.ts'
import type { Command, RunState } from '../../core/engine/types.ts'
import { sessionOfCaller } from '../calls/call-names.ts'
import type { Clock } from '../clock.ts'
import type { MachineCache } from '../definitions/machine-cache.ts'
import { PawlError } from '../pawl-error.ts'
import type { Store } from '../ports.ts'
import { type LoadedRun, loadRun } from '../runs/load-run.ts'
import { openLruMap } from '../runs/lru-map.ts'

/** Where the runs of a session are listed, by its name. */
const collection = 'session-runs'
/** Runs of one session whose past is known; with more, none of it counts as known. */
export const sessionRunsMax = 64
/** Runs that are kept at hand, beside those that are worked on. */
const keptMax = 256
/** How often the list is written anew because another process was faster. */
const triesMax = 8

type HistoryOptions = {
  readonly store: Store
  readonly shelf: MachineCache
  readonly clock: Clock
}

export type SessionHistory = {
  /** The session that makes a call in a run; null: it is not known. */
  readonly sessionOf: (runId: string, command: Command) => Promise<string | null>
  /** What it has done in other runs than this one, which is one of its own from now on. */
  readonly take: (session: string, run: LoadedRun) => Promise<SessionPast>
  /** The same, and nothing is stored. */
  readonly look: (session: string, run: LoadedRun) => Promise<SessionPast>
}

/** The runs of sessions in a store. */
export function openSessionHistory({ store, shelf, clock }: HistoryOptions): SessionHistory {
  const kept = openLruMap<LoadedRun>(keptMax)
  const read = async (runId: string, seq: number): Promise<LoadedRun | null> => {
    const known = kept.get(runId)
    if (known?.head.seq === seq) return known
    const run = await loadRun(store, shelf, runId)
    if (run !== null) kept.put(runId, run)
    return run
  }
  const pastIn = async (
    name: string,
    { head }: LoadedRun,
    runIds: readonly string[] | null,
  ): Promise<SessionPast> => {
    const nothing = { ...newSession, name }
    if (runIds === null) return { ...nothing, problem: 'this session has had too many runs' }
    const others = runIds.filter((id) => id !== head.id)
    if (others.length === 0) return nothing
    const seqs = await store.readSeqs(others)
    const runs = await Promise.all(others.map((id) => read(id, seqs.get(id) ?? 0)))
    const there = runs.filter((one) => one !== null)
    const isGone = there.length < runs.length
    const here = there.filter((one) => one.head.workspace === head.workspace)
    return {
      name,
      problem: isGone ? 'an earlier run of this session has been removed' : null,
      meters: there.map(({ family }) => family.meters),
      states: there.flatMap(statesOf),
      evidence: here.flatMap(statesOf).flatMap(({ evidence = [] }) => evidence),
    }
  }
  return {
    sessionOf: async (runId, command) => {
      if (command.type !== 'CheckCall') return null
      // A gateway or a job acts for the session that has the run.
      return sessionOfCaller(command.caller) ?? (await holderOf(store, runId))
    },
    take: async (name, run) =>
      pastIn(name, run, await listRun({ store, clock }, name, run.head.id)),
    look: async (name, run) => pastIn(name, run, (await readList(store, name)).runIds),
  }
}

function statesOf({ family }: LoadedRun): readonly RunState[] {
  return family.members.map(({ state }) => state)
}

async function holderOf(store: Pick<Store, 'claimsOn'>, runId: string): Promise<string | null> {
  const claims = await store.claimsOn(runId)
  return claims.find(({ branch }) => branch === '')?.session ?? null
}

type RunList = { readonly runIds: readonly string[]; readonly version: number }

async function readList(store: Pick<Store, 'readDocument'>, session: string): Promise<RunList> {
  const found = await store.readDocument(collection, session)
  if (found === null) return { runIds: [], version: 0 }
  // WHY the cast: nobody else writes into this collection.
  return { runIds: JSON.parse(found.data) as readonly string[], version: found.version }
}

/** The runs of a session, with this one; null: there are more than can be listed. */
async function listRun(
  { store, clock }: Pick<HistoryOptions, 'store' | 'clock'>,
  session: string,
  runId: string,
): Promise<readonly string[] | null> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { runIds, version } = await readList(store, session)
    if (runIds.includes(runId)) return runIds
    if (runIds.length >= sessionRunsMax) return null
    const data = JSON.stringify([...runIds, runId])
    const change = { collection, key: session, expected: version, data, at: clock.now() }
    if ((await store.writeDocuments([change])) === 'written') return [...runIds, runId]
  }
  const message = `the runs of the session \`${session}\` kept changing`
  throw new PawlError('STORE_CONFLICT', message, { hint: 'try again' })
}
