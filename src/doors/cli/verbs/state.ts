/**
 * `pawl state`: the current stage of a run.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { runText } from '../remote/show-run.ts'

const help: VerbHelp = {
  usage: ['state [RUN] [OPTIONS]'],
  about: `\
RUN is the id of a run, or the start of the id. Without RUN, it is the only open
run of this folder and the folders above it.`,
  options: [['--branch NAME', 'show a branch of an open fork']],
  examples: ['state', 'state --json'],
  exits: { 0: 'shown', 2: notAsked },
}

export const stateVerb = remoteVerb({
  name: 'state',
  help,
  kinds: { branch: 'text' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const runId = await findRun(files[0], request)
    const branch = values.branch === null ? {} : { branch: values.branch }
    const reading = await remote.call('runs.read', { runId, ...branch })
    const { view, notice, evidence } = reading
    printResult(request, reading, () => runText({ runId, view, notice, evidence }, io))
    return 0
  },
})
