/** The run that a session of a host works on, or worked on last, and how it gets one. */

import { dirname } from 'node:path'
import { PawlError } from '../pawl-error.ts'
import type { Claim, RunHead, Store } from '../ports.ts'
import { unknownRun } from '../runs/log-maintenance.ts'
import { openStatuses } from '../runs/open-statuses.ts'
import type { By } from '../runtime.ts'
import { sameFolders } from './repository.ts'

/** Null: it has had none yet. */
export async function runOfSession(
  store: Pick<Store, 'claimsOf' | 'readHead'>,
  session: string,
): Promise<RunHead | null> {
  const claims = await store.claimsOf(session)
  const main = claims.find((claim) => claim.branch === '')
  return main === undefined ? null : store.readHead(main.runId)
}

/** WHY: an agent that could leave its run for another would choose what it is held by. */
export function refuseSecond(head: RunHead | null, { actor }: Pick<By, 'actor'>): void {
  if (actor.kind === 'person' || head === null || head.status === 'completed') return
  const hint =
    'finish it; if that is not possible, ask a person to start the next one (`pawl start`)'
  throw refusal(`this session works on run \`${head.id}\`, which is ${head.status}`, hint)
}

/** From now on the session is held to this run. Faults `RUN_UNKNOWN`, `NOT_PERMITTED`. */
export async function claimRun(
  store: Store,
  wish: Omit<Claim, 'branch'>,
  by: Pick<By, 'actor'>,
): Promise<void> {
  const { runId, session } = wish
  const head = await store.readHead(runId)
  if (head === null) throw unknownRun(runId)
  if (head.endedAt !== null) {
    throw refusal(`run \`${runId}\` is ${head.status}`, 'start another run')
  }
  const last = await runOfSession(store, session)
  if (last?.id !== runId) refuseSecond(last, by)
  const holder = await store.claim({ ...wish, branch: '' })
  const free = `a person can free it with \`pawl release ${runId}\``
  if (holder !== session) throw refusal(`another session is working on run \`${runId}\``, free)
  // WHY: a claim that is older than another one of the session does not hold it to the run.
  const now = await runOfSession(store, session)
  if (now?.id !== runId) {
    throw refusal(`this session has left run \`${runId}\` for \`${now?.id}\``, free)
  }
}

function refusal(message: string, hint: string): PawlError {
  return new PawlError('NOT_PERMITTED', message, { hint })
}

/** Open runs of a workspace that are looked at. */
const runsMax = 50

/** WHY: an agent that could pass over what a person began would choose what it is held by. */
export async function refuseOther(
  store: OpenStore,
  workspace: string,
  { actor }: Pick<By, 'actor'>,
): Promise<void> {
  if (actor.kind === 'person') return
  const [waiting] = (await listRunsHere(store, workspace, 'person')).free
  if (waiting === undefined) return
  const hint = 'work on that run; if that is wrong, ask a person to cancel it (`pawl cancel RUN`)'
  throw refusal(`a person started run \`${waiting.id}\` here, and no session has it yet`, hint)
}

type OpenStore = Pick<Store, 'listRuns' | 'claimsOn' | 'readEvents'>

/** Open runs of a folder and the folders above it. */
export type RunsHere = {
  /** With those of the same folder in other work trees of its repository. */
  readonly all: readonly RunHead[]
  /** Without them. */
  readonly own: readonly RunHead[]
  /** Those that no session has: of this work tree, or where it has none of another one. */
  readonly free: readonly RunHead[]
}

/** `begunBy`: only what a person has begun counts as free, or whatever is. */
export async function listRunsHere(
  store: OpenStore,
  workspace: string,
  begunBy: 'person' | 'anybody',
): Promise<RunsHere> {
  const [here = workspace, ...elsewhere] = sameFolders(workspace)
  const own = await openRunsAbove(store, here)
  const others: RunHead[] = []
  for (const folder of elsewhere) others.push(...(await openRunsAbove(store, folder)))
  const known = new Set(own.map(({ id }) => id))
  const all = [...own, ...others.filter(({ id }) => !known.has(id))]
  const free = await freeAmong(store, own, begunBy)
  const isOwn = free.length > 0 || all.length === own.length
  return { all, own, free: isOwn ? free : await freeAmong(store, all, begunBy) }
}

async function openRunsAbove(store: OpenStore, begin: string): Promise<readonly RunHead[]> {
  const all: RunHead[] = []
  // WHY one by one: runs of other folders must not crowd out those that hold this one.
  for (let folder = begin; ; folder = dirname(folder)) {
    const where = { workspace: folder, definition: null }
    const query = { ...where, statuses: openStatuses, after: null, limit: runsMax }
    all.push(...(await store.listRuns(query)).items)
    if (folder === dirname(folder)) return all
  }
}

async function freeAmong(
  store: OpenStore,
  heads: readonly RunHead[],
  begunBy: 'person' | 'anybody',
): Promise<readonly RunHead[]> {
  const free: RunHead[] = []
  for (const head of heads) {
    const claims = await store.claimsOn(head.id)
    if (claims.some((claim) => claim.branch === '')) continue
    if (begunBy === 'anybody' || (await isPersons(store, head))) free.push(head)
  }
  return free
}

async function isPersons(store: OpenStore, { id }: RunHead): Promise<boolean> {
  const [first] = await store.readEvents(id, { after: 0, limit: 1 })
  return first?.actor.startsWith('person:') === true
}

type BranchClaim = { readonly runId: string; readonly session: string; readonly at: number }

/** The open branch that a sub-agent works on, from now on; null: none is left for it. */
export async function claimBranch(
  store: Pick<Store, 'claimsOn' | 'claim'>,
  openBranches: readonly string[],
  { runId, session, at }: BranchClaim,
): Promise<string | null> {
  const claims = await store.claimsOn(runId)
  const mine = claims.find((one) => one.session === session && openBranches.includes(one.branch))
  if (mine !== undefined) return mine.branch
  for (const branch of openBranches) {
    if (claims.some((claim) => claim.branch === branch)) continue
    if ((await store.claim({ runId, branch, session, at })) === session) return branch
  }
  return null
}
