/**
 * What answering a hook needs at hand, and which run a question is about.
 */
import type { JsonObject } from '../../core/json.ts'
import { quorumIn } from '../../runtime/question.ts'
import type { By, Runtime } from '../../runtime/runtime.ts'
import type { Heard, HostDialect } from './heard.ts'
import type { Memory } from './memory.ts'
import type { Spending } from './spending/open-spending.ts'
import { othersText } from './texts.ts'
import { type Found, findRun } from './which-run.ts'

export type HookSettings = {
  /** How long a call may wait for a person, where its host lets it wait. */
  readonly askWaitMs: number
  /** How often in a row an agent that wants to stop is sent back to an unfinished run. */
  readonly stopsMax: number
  /** What a session may do that has no run, while runs of other sessions are open in its folder. */
  readonly otherSessions: 'refused' | 'free'
}

export type HookDeskOptions = {
  readonly runtime: Runtime
  readonly settings: HookSettings
  /** What is wrong with the hooks that were installed in a folder; nothing: they are in force. */
  readonly checkHooks: (workspace: string) => readonly string[]
  readonly log: (what: string, about: JsonObject) => void
  /** Lets runs pay for their models; absent: nobody counts. */
  readonly spending?: Spending
}

export type Desk = HookDeskOptions & { readonly memory: Memory }

/** A question, once it is read. */
export type Question = {
  readonly heard: Heard
  readonly dialect: HostDialect
  readonly workspace: string
  readonly runId: string | null
}

/** The run that a question is about. */
export async function find(desk: Desk, question: Question): Promise<Found> {
  const { heard, workspace, runId } = question
  const found = await findRun(desk.runtime, { heard, workspace, runId })
  if (found.kind !== 'none' || found.others.length === 0) return found
  if (desk.settings.otherSessions === 'free') return found
  // WHY: an agent that could begin a second session, or end its own, would be free of its run.
  return { kind: 'unclear', reason: othersText(found.others) }
}

/** The agent of a host, whose calls have ids of their own. */
export const asAgent: By = { actor: { kind: 'agent', name: 'agent' }, commandId: null }

/**
 * Records what the user of the host was seen to decide at its prompt. It lets nothing through that
 * has not happened already.
 */
export async function settleAtPrompt(
  { runtime }: Desk,
  { heard }: Question,
  { approvalId, granted }: { readonly approvalId: string; readonly granted: boolean },
): Promise<void> {
  const row = await runtime.readApproval(approvalId)
  // WHY not several people's: whoever sat there is nobody in particular.
  if (row.status !== 'pending' || quorumIn(row) !== null) return
  // WHY not the name of a person: nobody knows who sat there, only what the host did.
  const name = `the prompt of ${heard.host}, as its hook tells`
  const by: By = { actor: { kind: 'person', name }, commandId: null }
  const note = granted ? '' : 'not made'
  await runtime.resolve(approvalId, { granted, note, hash: row.hash, edits: null }, by)
}
