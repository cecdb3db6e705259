/**
 * `pawl state`: where a run stands.
 */
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { runText } from '../remote/show-run.ts'

const help = `\
pawl state: where a run stands, what it is told, and what can be sent

Usage: pawl state [RUN] [OPTIONS]

RUN is the id of a run or its beginning; else the latest open run of this folder or one above it.

Options:
  --branch NAME    look at a branch of an open fork
${commonHelp}

Exit codes: 0 told, 2 there is no such run, or it could not be asked
`

export const stateVerb = remoteVerb({
  name: 'state',
  summary: 'say where a run stands and what can be sent',
  help,
  kinds: { branch: 'text' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const runId = await findRun(files[0], request)
    const branch = values.branch === null ? {} : { branch: values.branch }
    const reading = await remote.call('runs.read', { runId, ...branch })
    const { view, notice } = reading
    printResult(request, reading, () => runText({ runId, view, notice }, io))
    return 0
  },
})
