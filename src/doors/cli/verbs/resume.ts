/**
 * `pawl resume`: resumes a paused run.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['resume [RUN] [OPTIONS]'],
  examples: ['resume', 'resume --json'],
  exits: { 0: 'resumed', 1: 'rejected', 2: notAsked },
}

export const resumeVerb = remoteVerb({
  name: 'resume',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    return printOutcome(request, await request.remote.call('runs.resume', { runId }))
  },
})
