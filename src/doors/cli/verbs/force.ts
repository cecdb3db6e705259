/**
 * `pawl force`: puts a run into a stage.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readPairs } from '../remote/read-values.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['force RUN STAGE [OPTIONS]'],
  about: `\
Works only if the definition sets \`debug\`. Not available to agents.`,
  options: [
    ['--var KEY=VALUE', 'set a value of the run; repeatable. VALUE is JSON if it parses as JSON'],
  ],
  examples: ['force r59b29 review', 'force r59b29 green --var failing=0'],
  exits: { 0: 'the run is in that stage', 1: 'rejected', 2: notAsked },
}

export const forceVerb = remoteVerb({
  name: 'force',
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
