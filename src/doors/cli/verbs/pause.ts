/**
 * `pawl pause`: a run rests.
 */
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl pause: let a run rest

Usage: pawl pause [RUN] [OPTIONS]

While a run rests it takes no signals, and every tool call of its agent is denied. What a person has
paused, only a person resumes.

Options:
  --release        let the agent work freely meanwhile: the rules of its stages rest as well
${commonHelp}

Exit codes: 0 it rests, 1 refused, 2 it could not be asked
`

export const pauseVerb = remoteVerb({
  name: 'pause',
  summary: 'let a run rest',
  help,
  kinds: { release: 'flag' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const { release } = request.values
    return printOutcome(request, await request.remote.call('runs.pause', { runId, release }))
  },
})
