/**
 * `pawl signal`: sends a run what its agent would send.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readVars } from '../remote/read-values.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['signal NAME [OPTIONS]', 'signal --var FIELD=VALUE… [OPTIONS]'],
  about: `\
Use the second syntax for a form, which has only one signal: it submits fields.`,
  options: [
    ['--run RUN', 'the run; default: the only open run of this folder and the folders above it'],
    [
      '--var KEY=VALUE',
      'a value that the signal carries; repeatable. VALUE is JSON if it parses as JSON',
    ],
    ['--data JSON', 'the values that the signal carries, as one object'],
    ['--stage NAME', 'the stage you expect; in any other stage the signal is rejected'],
    ['--go-to STEP', 'the next step, if the form lets you choose'],
    ['--branch NAME', 'a branch of an open fork'],
  ],
  examples: ['signal UNDERSTOOD', 'signal GREEN --var failing=0 --stage green'],
  exits: { 0: 'accepted', 1: 'rejected', 2: notAsked },
}

export const signalVerb = remoteVerb({
  name: 'signal',
  help,
  kinds: { run: 'text', var: 'list', data: 'text', stage: 'text', 'go-to': 'text', branch: 'text' },
  names: { min: 0, max: 1, what: 'a signal' },
  run: async (request) => {
    const { files, values, remote } = request
    const { stage, branch } = values
    const goTo = values['go-to']
    const hasData = values.data !== null || values.var.length > 0
    const data = hasData ? readVars(values) : null
    const runId = await findRun(values.run ?? undefined, request)
    const outcome = await remote.call('runs.signal', {
      runId,
      name: files[0] ?? '',
      data,
      ...(stage === null ? {} : { stage }),
      ...(goTo === null ? {} : { goTo }),
      ...(branch === null ? {} : { branch }),
    })
    return printOutcome(request, outcome)
  },
})
