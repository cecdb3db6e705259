/**
 * Which run a call belongs to: by the environment, by the session that speaks, by the workspace.
 * A run has one session at a time, and the first to come has it; a branch has one sub-agent.
 */
import { isOpen } from '../../runtime/open-statuses.ts'
import type { RunHead } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Heard } from './heard.ts'

export type Found =
  | {
      readonly kind: 'run'
      readonly runId: string
      readonly branch: string | null
    }
  /** No run: policies alone. `others`: open runs here that other sessions have. */
  | { readonly kind: 'none'; readonly others: readonly RunHead[] }
  /** It cannot be told, so nothing is let through. */
  | { readonly kind: 'unclear'; readonly reason: string }

export type Asking = {
  readonly heard: Heard
  readonly workspace: string
  readonly runId: string | null
}

/** A session under the name that claims use. */
export function sessionOf({ host, session }: Heard): string {
  return `${host}:${session}`
}

/** The run that this session works on. */
export async function findRun(runtime: Runtime, asking: Asking): Promise<Found> {
  const { heard, runId } = asking
  if (runId !== null) return namedRun(runtime, heard, runId)
  const session = sessionOf(heard)
  const head = await runtime.sessions.runOf(session)
  if (head !== null && isOpen(head.status)) return inBranch(runtime, heard, head.id)
  // WHY: who could give up one run and start another would choose what it is held by.
  const begunBy = head === null || head.status === 'completed' ? 'anybody' : 'person'
  const found = await takeFree(runtime, asking, begunBy)
  // A run that has ended still says what may be done after it, until there is another.
  if (found.kind === 'none' && head !== null) return inBranch(runtime, heard, head.id)
  return found
}

async function namedRun(runtime: Runtime, heard: Heard, runId: string): Promise<Found> {
  if ((await runtime.readHead(runId)) !== null) return inBranch(runtime, heard, runId)
  const reason = `PAWL_RUN names the run \`${runId}\`, and there is none of that id`
  return { kind: 'unclear', reason: `${reason}; \`pawl runs --all\` lists them` }
}

/** The one open run of the workspace that nobody has; it is this session's from now on. */
async function takeFree(
  runtime: Runtime,
  asking: Asking,
  begunBy: 'person' | 'anybody',
): Promise<Found> {
  const { all, free } = await runtime.sessions.listOpen(asking.workspace, begunBy)
  const [only, second] = free
  if (only === undefined) return { kind: 'none', others: all }
  if (second !== undefined) return { kind: 'unclear', reason: severalText(free) }
  const session = sessionOf(asking.heard)
  const holder = await runtime.sessions.claim({ runId: only.id, branch: '', session })
  // Another session was faster: there is one free run less.
  if (holder !== session) return takeFree(runtime, asking, begunBy)
  return inBranch(runtime, asking.heard, only.id)
}

function severalText(free: readonly RunHead[]): string {
  const names = free.map(({ id, definition, stage }) => `${id} (${definition}, \`${stage}\`)`)
  return (
    `${free.length} runs are open in this folder and it cannot be told which one this session ` +
    `works on: ${names.join(', ')}. A person names one with PAWL_RUN in the environment of the ` +
    'agent, or ends the others with `pawl cancel RUN`'
  )
}

/** The main agent works on the main run, a sub-agent on the branch that is its own. */
async function inBranch(
  runtime: Runtime,
  heard: Heard,
  runId: string,
): Promise<Extract<Found, { kind: 'run' }>> {
  const none = { kind: 'run', runId, branch: null } as const
  if (heard.agent === null) return none
  const session = `${sessionOf(heard)}/${heard.agent}`
  const claims = await runtime.sessions.claimsOn(runId)
  const { view } = await runtime.readRun(runId, null)
  // The first is at work and the others are pending; whoever is addressed works.
  const open = Object.entries(view.branches).flatMap(([name, status]) =>
    status === 'running' || status === 'pending' ? [name] : [],
  )
  const mine = claims.find((claim) => claim.session === session && open.includes(claim.branch))
  if (mine !== undefined) return { ...none, branch: mine.branch }
  for (const branch of open) {
    if (claims.some((claim) => claim.branch === branch)) continue
    const holder = await runtime.sessions.claim({ runId, branch, session })
    if (holder === session) return { ...none, branch }
  }
  return none
}
