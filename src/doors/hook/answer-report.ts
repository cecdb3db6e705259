/**
 * A call after it happened: counted, and the agent told where its run stands if that is news.
 */
import type { Report } from '../../core/engine/types.ts'
import { keyOf, openKeyOf, ownerOf } from './answer-call.ts'
import { newsFor } from './answer-session.ts'
import { asAgent, type Desk, find, type Question, settleAtPrompt } from './desk.ts'
import { type HostCall, silence, type Word } from './heard.ts'

type Ended = { readonly call: HostCall; readonly report: Report }

/** Takes note of what became of a call. */
export async function report(desk: Desk, question: Question, ended: Ended): Promise<Word> {
  const { runtime } = desk
  const { call } = ended
  const owner = ownerOf(question, call)
  // What went through the gateway it has reported itself, and the runner its jobs.
  if (owner === 'control' || owner === 'gateway' || owner === 'job') return silence
  const found = await find(desk, question)
  if (found.kind !== 'run') return silence
  const { runId, branch } = found
  desk.spending?.look(question.heard, found)
  const callId = await callIdOf(desk, question, { call, runId })
  if (callId === null) {
    desk.log('a call was reported that nobody was asked about', { runId, tool: call.tool })
    return silence
  }
  // WHY no id of its own: the call has one, and is reported once.
  await runtime.send(runId, { kind: 'report', callId, report: ended.report, branch }, asAgent)
  return { ...silence, context: await newsFor(desk, question, found) }
}

type Named = { readonly call: HostCall; readonly runId: string }

/** Under which id the call was let through; null: it was not. */
async function callIdOf(desk: Desk, question: Question, named: Named): Promise<string | null> {
  const { call, runId } = named
  const key = keyOf(question, call)
  if (key === null) return desk.memory.takeOpen(openKeyOf(question, call))
  const again = desk.memory.takeOpen(key)
  if (again !== null) return again
  const asked = desk.memory.takeAsked(key)
  if (asked !== null && asked.runId === runId) {
    // The host asked its own user about the call, and made it: so they agreed.
    await settleAtPrompt(desk, question, { approvalId: asked.approvalId, granted: true })
    return asked.callId
  }
  for (const id of [`${key}:decided`, key]) {
    const reply = await desk.runtime.findReply(runId, id)
    if (reply?.kind === 'verdict' && reply.verdict === 'allow') return reply.callId
  }
  return null
}
