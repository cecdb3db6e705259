/**
 * `pawl release`: takes a run from the session that works on it.
 */
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl release: let another session of an agent work on a run

Usage: pawl release [RUN] [OPTIONS]

A run belongs to the first session of an agent that came to its folder, until that session ends.
Where it ended without a word (it was killed, the machine was off), this gives the run to the next
session that comes.

Options:
${commonHelp}

JSON is one object: { "released": ["HOST:ID"] }.

Exit codes: 0 done, 1 refused, 2 it could not be asked
`

export const releaseVerb = remoteVerb({
  name: 'release',
  summary: 'let another session of an agent work on a run',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const answer = await request.remote.call('runs.release', { runId })
    const [first = 'nobody', ...others] = answer.released
    const whose = others.length === 0 ? first : `${first} and ${others.length} more`
    printResult(request, answer, () => `${runId} is free; it belonged to ${whose}\n`)
    return 0
  },
})
