/**
 * `pawl cancel`: ends a run for good.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['cancel RUN [OPTIONS]'],
  about: `\
A cancelled run cannot be resumed. Its log stays.`,
  options: [['--reason TEXT', 'the reason, for the log']],
  examples: ["cancel r59b29 --reason 'wrong ticket'"],
  exits: { 0: 'cancelled', 1: 'rejected', 2: notAsked },
}

export const cancelVerb = remoteVerb({
  name: 'cancel',
  help,
  kinds: { reason: 'text' },
  names: { min: 1, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const reason = request.values.reason ?? ''
    return printOutcome(request, await request.remote.call('runs.cancel', { runId, reason }))
  },
})
