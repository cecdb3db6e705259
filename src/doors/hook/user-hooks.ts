/**
 * The hooks of a user, which a host asks in every folder: whether a question concerns a guarded
 * folder, and which one. Elsewhere they are silent.
 */
import { removedHooksText } from './agent-messages.ts'
import { type HookContext, sessionName } from './hook-context.ts'
import { type HookAnswer, type HookInput, passAnswer } from './hook-protocol.ts'

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
    return { workspace: bound.folder, problems }
  }
  if (runId !== null) return { workspace: folder, problems: [] }
  const named =
    heard.event.kind === 'call' ? guardNamedBy(guard, heard, heard.event.call.input) : null
  if (named !== null) return { workspace: named.folder, problems: [] }
  const head = await runtime.sessions.runOf(sessionName(heard))
  return head === null ? null : { workspace: head.workspace ?? folder, problems: [] }
}

/** A session that was started elsewhere reaches for a guarded folder. */
function guardNamedBy(
  guard: HookContext['guard'],
  { cwd }: HookInput,
  input: object,
): ReturnType<HookContext['guard']['of']> {
  const stands = cwd === null ? null : guard.of(cwd)
  return stands ?? guard.namedIn(JSON.stringify(input))
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
