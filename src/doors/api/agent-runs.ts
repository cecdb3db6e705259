/**
 * Which runs the session of an agent may change: its own, those of the host's session that a hook
 * has marked it for, and those that nobody has. Reading is free.
 */
import { type AgentHostId, agentHosts } from '../../core/hosts/registry.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { AgentSession, AgentSessions, HeldPlace } from './agent-sessions.ts'
import type { OperationName } from './operations-table.ts'
import { type ProblemDocument, problem } from './problem.ts'

/** Operations by which an agent changes a run that it names. */
export const changesRun: ReadonlySet<OperationName> = new Set([
  ...(['runs.signal', 'runs.check', 'runs.report', 'runs.spend', 'runs.pause'] as const),
  ...(['runs.resume', 'runs.cancel', 'runs.finishBranch', 'runs.claim'] as const),
  ...(['process.call', 'process.step', 'jobs.run', 'jobs.kill'] as const),
  // Looking at jobs is a call of the run that it names: judged, counted and recorded there.
  ...(['jobs.list', 'jobs.read', 'jobs.wait', 'jobs.logs'] as const),
])

/**
 * The others that name a run or a call of it. They read, or the process that began a call has to
 * name itself as its holder, or the handler asks when it knows which run is meant.
 */
export const namesRun: ReadonlySet<OperationName> = new Set([
  ...(['judge', 'gateway.check', 'gateway.report', 'gateway.renew'] as const),
  ...(['gateway.offer', 'gateway.see'] as const),
])

/** What only a gateway does: what it reports of a call is what Pawl has seen itself. */
const gatewayOnly: ReadonlySet<OperationName> = new Set([
  ...(['gateway.check', 'gateway.report', 'gateway.renew', 'gateway.see'] as const),
])

/** Why a session may not act as a gateway; null: it may, or does not try. */
export function refuseAsGateway(
  name: OperationName,
  { kind }: AgentSession,
): ProblemDocument | null {
  if (kind === 'gateway' || !gatewayOnly.has(name)) return null
  return problem('NOT_PERMITTED', {
    detail: `\`${name}\` needs the credential of a gateway`,
    hint: 'only `pawl gateway` gets one; report your own calls with `runs.report`',
  })
}

type RunTools = {
  readonly runtime: Pick<Runtime, 'readHead' | 'readRun' | 'sessions'>
  readonly agents: AgentSessions
}

/** Why a session may not change a run; null: it may, and has it from now on. */
export async function refuseForeignRun(
  tools: RunTools,
  session: AgentSession,
  place: HeldPlace,
): Promise<ProblemDocument | null> {
  const { refusal, free } = await lookAtRun(tools, session, place)
  if (free !== null) tools.agents.take(session, free)
  return refusal
}

/** Whether a session may change a run. It takes nothing. */
export async function mayChangeRun(
  tools: RunTools,
  session: AgentSession,
  place: HeldPlace,
): Promise<boolean> {
  return (await lookAtRun(tools, session, place)).refusal === null
}

/** `free`: nobody has this place yet, and the session may take it. */
type RunLook = { readonly refusal: ProblemDocument | null; readonly free: HeldPlace | null }

const own: RunLook = { refusal: null, free: null }

function refused(refusal: ProblemDocument): RunLook {
  return { refusal, free: null }
}

async function lookAtRun(
  { runtime, agents }: RunTools,
  session: AgentSession,
  { runId, branch }: HeldPlace,
): Promise<RunLook> {
  const { onlyRun } = session
  if (onlyRun !== null) return onlyRun === runId ? own : refused(otherRun(onlyRun, runId))
  // What there is not, the operation says by itself.
  if ((await runtime.readHead(runId)) === null || session.hasMarkFor(runId)) return own
  const claims = await runtime.sessions.claimsOn(runId)
  const claimed = claims.find(({ branch }) => branch === '')?.session ?? null
  if (claimed !== null && session.hasMarkOf(claimed)) return own
  if (claimed !== null && canMark(claimed)) return refused(foreign(runId))
  // WHY looked up: a branch that is not there stands for the run itself.
  const isBranch = branch !== null && (await runtime.readRun(runId, null)).view.branches[branch]
  const place = { runId, branch: isBranch ? branch : null }
  const holder = agents.holderOf(place) ?? null
  if (holder === session.name || agents.holderOf({ runId, branch: null }) === session.name) {
    return own
  }
  if (holder !== null) return refused(foreign(runId))
  const mine = agents.runOf(session)
  const head = mine === null ? null : await runtime.readHead(mine)
  const isOther = mine !== null && mine !== runId
  if (isOther && head !== null && isOpen(head.status)) return refused(otherRun(mine, runId))
  return { refusal: null, free: place }
}

/** Whether the hooks of a session's host tell whose its calls to Pawl are. */
function canMark(hostSession: string): boolean {
  const host = hostSession.slice(0, Math.max(0, hostSession.indexOf(':')))
  return agentHosts[host as AgentHostId]?.canMarkCalls ?? true
}

function foreign(runId: string): ProblemDocument {
  return problem('NOT_PERMITTED', {
    detail: `another session works on run \`${runId}\``,
    hint: `start a run of your own; a person can free this one with \`pawl release ${runId}\``,
  })
}

function otherRun(mine: string, runId: string): ProblemDocument {
  return problem('NOT_PERMITTED', {
    detail: `this credential is for run \`${mine}\`, not for \`${runId}\``,
    hint: 'ask for a credential of its own for each run (`credentials.issue`)',
  })
}

/** Why a session may not act for a session of a host; null: a hook has marked a call of it. */
export function refuseHostSession(
  session: AgentSession,
  hostSession: string,
): ProblemDocument | null {
  if (session.onlyRun === null && session.hasMarkOf(hostSession)) return null
  return problem('NOT_PERMITTED', {
    detail: `this credential does not belong to the session \`${hostSession}\``,
    hint: 'leave `session` out; the hooks of a host say which session calls',
  })
}

type StartTools = {
  readonly runtime: Pick<Runtime, 'readHead'>
  readonly agent: AgentSession
  readonly agents: AgentSessions | null
}

/** Why a session may not start a run; null: it may. */
export async function refuseStart(
  { runtime, agent, agents }: StartTools,
  hostSession: string | undefined,
): Promise<ProblemDocument | null> {
  if (hostSession !== undefined) return refuseHostSession(agent, hostSession)
  const mine = agent.onlyRun ?? agents?.runOf(agent) ?? null
  const head = mine === null ? null : await runtime.readHead(mine)
  if (mine === null || (agent.onlyRun === null && !(head !== null && isOpen(head.status))))
    return null
  return problem('NOT_PERMITTED', {
    detail: `this credential is for run \`${mine}\``,
    hint: 'finish it, or ask for a credential of its own for each run (`credentials.issue`)',
  })
}
