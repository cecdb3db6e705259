/**
 * `pawl release`: frees a run from the session that holds it.
 */
import { errorCodeOf } from '../../../runtime/error-code.ts'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['release [RUN] [OPTIONS]'],
  about: `\
A run belongs to the first agent session that works in its folder, until that
session ends. If the session disappeared (it was killed, or the machine was
switched off), this command frees the run for the next session. If an agent
has cancelled its run, the folder is locked until a person starts the next run
there or releases the cancelled one with this command.`,
  notes: `\
JSON output is one object: { "released": ["HOST:ID"] }`,
  examples: ['release', 'release --json'],
  exits: { 0: 'done', 1: 'rejected', 2: notAsked },
}

export const releaseVerb = remoteVerb({
  name: 'release',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const [named] = request.files
    // WHY asked as it stands where it is unknown: a run that was removed may have left a lock.
    const runId = await findRun(named, request).catch((fault: unknown) => {
      if (named !== undefined && errorCodeOf(fault) === 'RUN_UNKNOWN') return named
      throw fault
    })
    const answer = await request.remote.call('runs.release', { runId })
    const { released } = answer
    const holders =
      released.length === 0 ? 'no session held it' : `it belonged to ${released.join(', ')}`
    printResult(request, answer, () => plain(`${runId} is free; ${holders}\n`))
    return 0
  },
})
