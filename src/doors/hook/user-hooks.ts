/**
 * The hooks of a user, which a host asks in every folder: whether a question concerns a guarded
 * folder, and which one. Elsewhere they are silent.
 */
import { removedHooksText } from './agent-messages.ts'
import { type HookContext, sessionName } from './hook-context.ts'
import { type HookAnswer, type HookInput, type HostCall, passAnswer } from './hook-protocol.ts'

type UserQuestion = {
  readonly heard: HookInput
  /** Where the host was started. */
  readonly folder: string
  readonly runId: string | null
}

export type UserPlace = {
  readonly workspace: string
  /** What is wrong with the folder's own hooks of this host. */
  readonly problems: readonly string[]
  /** Whether the session works there, and may take a run that is free. */
  readonly mayClaim: boolean
}

/** The folder by which a question is judged; null: it concerns no folder that is guarded. */
export async function placeOfUser(
  { guard, checkHooks, runtime }: HookContext,
  { heard, folder, runId }: UserQuestion,
): Promise<UserPlace | null> {
  const bound = guard.of(folder)
  if (bound !== null) {
    const isItself = bound.folder === bound.workspace
    const problems = isItself ? checkHooks(bound.workspace, heard.host) : []
    return { workspace: bound.folder, problems, mayClaim: true }
  }
  if (runId !== null) return { workspace: folder, problems: [], mayClaim: true }
  const named = heard.event.kind === 'call' ? placeNamedBy(guard, heard, heard.event.call) : null
  if (named !== null) return named
  const head = await runtime.sessions.runOf(sessionName(heard))
  if (head === null) return null
  return { workspace: head.workspace ?? folder, problems: [], mayClaim: true }
}

/** A session that was started elsewhere reaches for a guarded folder. */
function placeNamedBy(
  guard: HookContext['guard'],
  { cwd }: HookInput,
  { input }: HostCall,
): UserPlace | null {
  const stands = cwd === null ? null : guard.of(cwd)
  const bound = stands ?? guard.namedIn(JSON.stringify(input))
  if (bound === null) return null
  // WHY: who only names a path must not take the run from the session that works on it.
  return { workspace: bound.folder, problems: [], mayClaim: stands !== null }
}

/** A session in a guarded folder whose own hooks are gone: it is stopped, and a person is told. */
export function answerWithoutHooks(
  { report, memory }: HookContext,
  heard: HookInput,
  { workspace, problems }: UserPlace,
): HookAnswer {
  const { host, event } = heard
  if (memory.isNews(`${sessionName(heard)} hooks`, problems.join())) {
    report({ workspace, host, problems })
  }
  const reason = removedHooksText(workspace, problems)
  switch (event.kind) {
    case 'call':
    case 'permission':
    case 'prompt':
      return { kind: 'refuse', reason }
    case 'begin':
    case 'agent-begin':
      return { ...passAnswer, context: reason }
    default:
      return passAnswer
  }
}
