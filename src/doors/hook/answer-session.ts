/**
 * Answers the hooks at the start of a session, at a prompt of the user, and when the agent wants
 * to stop.
 */
import type { View } from '../../core/dialects/run-view.ts'
import { callerName } from '../../runtime/calls/call-names.ts'
import type { LocatedRun } from '../../runtime/calls/locate-run.ts'
import { isSignedOnly, pendingCallIn, quorumIn } from '../../runtime/people/approval-question.ts'
import { noRunText, runBriefText, unfinishedText } from './agent-messages.ts'
import {
  type HookContext,
  type HookRequest,
  locateSession,
  mayDecideAtPrompt,
  promptName,
  sessionName,
  speakerName,
} from './hook-context.ts'
import { type HookAnswer, type HookEvent, passAnswer } from './hook-protocol.ts'

/** A session or a sub-agent begins, or its memory was emptied: it is told where it stands. */
export async function beginSession(
  context: HookContext,
  request: HookRequest,
): Promise<HookAnswer> {
  const found = await locateSession(context, request)
  if (found.kind === 'run' && request.heard.event.kind === 'begin') {
    await noteSession(context, request, { runId: found.runId, what: 'began' })
  }
  return sessionBriefAnswer(context, request, found)
}

type SessionNote = { readonly runId: string; readonly what: 'began' | 'ended' }

/** Puts on record that a session of the host began or ended. */
export async function noteSession(
  { runtime }: HookContext,
  { heard }: HookRequest,
  { runId, what }: SessionNote,
): Promise<void> {
  const by = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
  await runtime.send(runId, { kind: 'session', session: sessionName(heard), what }, by)
}

/** A person, or the host itself, speaks to the agent. */
export async function answerPrompt(
  context: HookContext,
  request: HookRequest,
  { by, text }: Extract<HookEvent, { kind: 'prompt' }>,
): Promise<HookAnswer> {
  const found = await locateSession(context, request)
  if (by === 'person') {
    const runId = found.kind === 'run' ? found.runId : null
    await context.runtime.titles.hear({ session: sessionName(request.heard), text, runId })
    context.memory.clearStops(speakerName(request))
    context.memory.endWork(speakerName(request))
    await refuseAsked(context, request, found)
  }
  // WHY only news: it was said when the session began; every time would be a nuisance.
  if (found.kind === 'none' && !isNews(context, request, 'none')) return passAnswer
  if (found.kind !== 'run') return sessionBriefAnswer(context, request, found)
  context.spending?.look(request.heard, found)
  return tell(await newsFor(context, request, found))
}

/**
 * What the host asked its user about was not made before they spoke again: so they said no.
 * Otherwise the run would wait for an answer that was given.
 */
async function refuseAsked(
  context: HookContext,
  request: HookRequest,
  found: LocatedRun,
): Promise<void> {
  if (found.kind !== 'run' || !mayDecideAtPrompt(context, request)) return
  const { runtime } = context
  const query = { runId: found.runId, status: 'pending', after: null, limit: 10 } as const
  const { items } = await runtime.listApprovals(query)
  const mine = callerName('hook', sessionName(request.heard))
  for (const row of items) {
    if (pendingCallIn(row)?.caller !== mine || quorumIn(row) !== null) continue
    // The prompt was never shown: only a signature decides it.
    if (isSignedOnly(row) || runtime.passkeys.required() === 'passkey') continue
    const by = { actor: { kind: 'person', name: promptName(request) }, commandId: null } as const
    const about = { hash: row.hash, edits: null, isTold: true } as const
    const decision = { granted: false, note: 'not made', ...about }
    await runtime.resolve(row.id, decision, by)
  }
}

async function sessionBriefAnswer(
  context: HookContext,
  request: HookRequest,
  found: LocatedRun,
): Promise<HookAnswer> {
  switch (found.kind) {
    case 'unclear':
      return tell(`[Pawl] Every call will be denied: ${found.reason}.`)
    case 'none': {
      const { workspace, heard } = request
      const probe = { tool: 'Pawl', input: {}, host: heard.host, server: null, cwd: null }
      const { isFree } = context.runtime.checkFree({ ...probe, workspace })
      isNews(context, request, 'none')
      const holds = isFree ? 'nothing' : 'policy'
      return tell(noRunText({ others: found.others, holds, host: heard.host }))
    }
    case 'run': {
      const { runId, branch } = found
      const { view, notice } = await context.runtime.readRun(runId, branch)
      isNews(context, request, placeOf(view))
      return tell(runBriefText({ runId, view, notice, host: request.heard.host }))
    }
  }
}

/** Whether the speaker has to be told, and can be at this event; from then on it counts as told. */
function isNews({ memory }: HookContext, request: HookRequest, what: string): boolean {
  return request.protocol.tells(request.heard) && memory.isNews(speakerName(request), what)
}

function tell(context: string): HookAnswer {
  return { ...passAnswer, context }
}

/** The agent wants to stop: not while its run goes on, unless it insists. */
export async function answerStop(context: HookContext, request: HookRequest): Promise<HookAnswer> {
  const found = await locateSession(context, request)
  if (found.kind !== 'run') return passAnswer
  context.spending?.look(request.heard, found)
  const { view } = await context.runtime.readRun(found.runId, found.branch)
  const isSub = request.heard.agent !== null
  // A sub-agent without a branch of its own has no end of the run to reach.
  const speaker = speakerName(request)
  // One that has only answered a question of its user was not working on the run.
  const isWorking = context.memory.isWorking(speaker)
  const isIdle = view.status !== 'running' || !isWorking
  // A run that only observes stops nobody.
  if (isIdle || view.observes || (isSub && found.branch === null)) {
    return letStop(context, request)
  }
  if (context.memory.countStop(speaker) > context.settings.stopsMax) {
    context.memory.clearStops(speaker)
    context.log('an agent stopped before its run was finished', { runId: found.runId })
    return letStop(context, request)
  }
  return { kind: 'refuse', reason: unfinishedText(found.runId, view, request.heard.host) }
}

/** A sub-agent that stops leaves its branch to the next one. */
async function letStop({ runtime }: HookContext, request: HookRequest): Promise<HookAnswer> {
  if (request.heard.agent !== null) await runtime.sessions.releaseSession(speakerName(request))
  return passAnswer
}

/** The agent has heard from a tool of Pawl's own where its run stands. */
export async function noteTold(context: HookContext, request: HookRequest): Promise<void> {
  const found = await locateSession(context, request)
  if (found.kind !== 'run') return
  const { view } = await context.runtime.readRun(found.runId, found.branch)
  context.memory.isNews(speakerName(request), placeOf(view))
}

/** The news, if the run is elsewhere than the agent was told last; else nothing. */
export async function newsFor(
  context: HookContext,
  request: HookRequest,
  place: { readonly runId: string; readonly branch: string | null },
): Promise<string> {
  const { view, notice } = await context.runtime.readRun(place.runId, place.branch)
  if (!isNews(context, request, placeOf(view))) return ''
  return runBriefText({ runId: place.runId, view, notice, host: request.heard.host })
}

function placeOf({ runId, stage, status, budget }: View): string {
  return `${runId} ${stage} ${status} ${budget?.warned ?? 0}`
}
