/**
 * The properties of every walk by name; each name is a sentence that a test carries.
 */
import { proofsHold } from './proof-checks.ts'
import {
  callsStayLimited,
  childrenEndOnce,
  detoursClose,
  detoursStayInside,
  familiesFit,
  forksHold,
  runCallsStayLimited,
  viewsOfferWhatIsKnown,
} from './run-checks.ts'
import {
  agentsStayAgents,
  type Check,
  endsOnce,
  foldsToState,
  gatesHold,
  nothingRunsWhileWaiting,
  refusalChangesNothing,
  replays,
  statusFits,
  staysJson,
} from './trace-checks.ts'

export const checks: readonly (readonly [string, Check])[] = [
  ['the events of a step fold to the state after it', foldsToState],
  ['a log that was written down and read again folds to the same state', replays],
  ['states and events hold only what JSON can say', staysJson],
  ['a refusal changes nothing but the log', refusalChangesNothing],
  ['a run that is over stays over', endsOnce],
  ['a run waits exactly while a person is asked', statusFits],
  ['nothing runs while a person is asked, a run rests or children work', nothingRunsWhileWaiting],
  ['an agent never does what only a person may do', agentsStayAgents],
  ['a gated route leads nowhere in the step that takes it', gatesHold],
  ['calls in one visit stay within the limit of the stage', callsStayLimited],
  ['calls in one run stay within the limit of the run', runCallsStayLimited],
  ['one detour is open at a time and a return leads to where it began', detoursClose],
  ['a detour is open only inside its handler', detoursStayInside],
  ['a run stays where it is while its fork is open, and no branch outlives it', forksHold],
  ['a run ends once, and its parent learns of it once', childrenEndOnce],
  ['an open child always has somebody who waits for it', familiesFit],
  ['no run gets past what was proved of its machine', proofsHold],
  ['every signal that a view offers is known to the run', viewsOfferWhatIsKnown],
]

/** The first property a trace breaks, in words. */
export function brokenBy(trace: Parameters<Check>[0]): string | null {
  for (const [sentence, check] of checks) {
    const complaint = check(trace)
    if (complaint !== null) return `${sentence}: ${complaint}`
  }
  return null
}
