/**
 * `pawl force`: a person puts a run into a stage.
 */
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readPairs } from '../remote/read-values.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl force: put a run into a stage, where its definition has debug on

Usage: pawl force RUN STAGE [OPTIONS]

Options:
  --var KEY=VALUE  a value of the run to set; may be given several times
${commonHelp}; an agent is refused

Exit codes: 0 it stands there, 1 refused, 2 it could not be asked
`

export const forceVerb = remoteVerb({
  name: 'force',
  summary: 'put a run into a stage, where its definition has debug on',
  help,
  kinds: { var: 'list' },
  names: { min: 2, max: 2, what: 'a run and a stage' },
  run: async (request) => {
    const [run, stage = ''] = request.files
    const vars = readPairs('--var', request.values.var)
    const runId = await findRun(run, request)
    return printOutcome(request, await request.remote.call('runs.force', { runId, stage, vars }))
  },
})
