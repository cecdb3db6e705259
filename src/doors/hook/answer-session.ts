/**
 * What an agent hears when its session begins, when a person speaks to it, and when it wants to
 * stop.
 */
import type { View } from '../../core/dialects/view.ts'
import { type Desk, find, type Question, settleAtPrompt } from './desk.ts'
import { silence, type Word } from './heard.ts'
import { noRunText, standingText, unfinishedText } from './texts.ts'
import { type Found, sessionOf } from './which-run.ts'

/** A session or a sub-agent begins, or its memory was emptied: it is told where it stands. */
export async function begin(desk: Desk, question: Question): Promise<Word> {
  return told(desk, question, await find(desk, question))
}

/** A person, or the host itself, speaks to the agent. */
export async function prompt(desk: Desk, question: Question, by: 'person' | 'host'): Promise<Word> {
  if (by === 'person') {
    desk.memory.clearStops(speakerOf(question))
    await refuseAsked(desk, question)
  }
  const found = await find(desk, question)
  if (found.kind === 'run') desk.spending?.look(question.heard, found)
  // Without a run it was said when the session began; every time would be a nuisance.
  if (found.kind === 'none' && !desk.memory.isNews(speakerOf(question), 'none')) return silence
  return told(desk, question, found)
}

/**
 * What the host asked its user about was not made before they spoke again: so they said no.
 * Otherwise the run would wait for an answer that was given.
 */
async function refuseAsked(desk: Desk, question: Question): Promise<void> {
  for (const { approvalId } of desk.memory.takeAllAsked(sessionOf(question.heard))) {
    await settleAtPrompt(desk, question, { approvalId, granted: false })
  }
}

async function told(desk: Desk, question: Question, found: Found): Promise<Word> {
  switch (found.kind) {
    case 'unclear':
      return tell(`[Pawl] Every call will be refused: ${found.reason}.`)
    case 'none': {
      const { workspace, heard } = question
      const probe = { tool: 'Pawl', input: {}, host: heard.host, server: null, cwd: null }
      const { isFree } = desk.runtime.checkFree({ ...probe, workspace })
      desk.memory.isNews(speakerOf(question), 'none')
      return tell(noRunText(found.others, isFree ? 'nothing' : 'policy'))
    }
    case 'run': {
      const { view, notice } = await desk.runtime.readRun(found.runId, found.branch)
      desk.memory.isNews(speakerOf(question), placeOf(view))
      return tell(standingText(found.runId, view, notice))
    }
  }
}

function tell(context: string): Word {
  return { ...silence, context }
}

/** The agent wants to stop: not while its run goes on, unless it insists. */
export async function stop(desk: Desk, question: Question): Promise<Word> {
  const found = await find(desk, question)
  if (found.kind !== 'run') return silence
  desk.spending?.look(question.heard, found)
  const { view } = await desk.runtime.readRun(found.runId, found.branch)
  const isSub = question.heard.agent !== null
  // A sub-agent without a branch of its own has no end of the run to reach.
  const speaker = speakerOf(question)
  if (view.status !== 'running' || (isSub && found.branch === null)) {
    return letStop(desk, question)
  }
  if (desk.memory.countStop(speaker) > desk.settings.stopsMax) {
    desk.memory.clearStops(speaker)
    desk.log('an agent stopped before its run was finished', { runId: found.runId })
    return letStop(desk, question)
  }
  return { kind: 'refuse', reason: unfinishedText(found.runId, view) }
}

/** A sub-agent that stops leaves its branch to the next one. */
async function letStop({ runtime }: Desk, question: Question): Promise<Word> {
  if (question.heard.agent !== null) await runtime.sessions.releaseSession(speakerOf(question))
  return silence
}

/** The news, if the run is elsewhere than the agent was told last; else nothing. */
export async function newsFor(
  desk: Desk,
  question: Question,
  place: { readonly runId: string; readonly branch: string | null },
): Promise<string> {
  const { view, notice } = await desk.runtime.readRun(place.runId, place.branch)
  if (!desk.memory.isNews(speakerOf(question), placeOf(view))) return ''
  return standingText(place.runId, view, notice)
}

/** Whoever speaks: a session, or a sub-agent of it. */
export function speakerOf({ heard }: Question): string {
  const session = sessionOf(heard)
  return heard.agent === null ? session : `${session}/${heard.agent}`
}

function placeOf({ runId, stage, status, budget }: View): string {
  return `${runId} ${stage} ${status} ${budget?.warned ?? 0}`
}
