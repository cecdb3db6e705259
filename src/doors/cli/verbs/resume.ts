/**
 * `pawl resume`: a run goes on.
 */
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl resume: let a paused run go on

Usage: pawl resume [RUN] [OPTIONS]

Options:
${commonHelp}

Exit codes: 0 it goes on, 1 refused, 2 it could not be asked
`

export const resumeVerb = remoteVerb({
  name: 'resume',
  summary: 'let a paused run go on',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    return printOutcome(request, await request.remote.call('runs.resume', { runId }))
  },
})
