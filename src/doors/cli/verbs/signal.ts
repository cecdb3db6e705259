/**
 * `pawl signal`: sends a run what its agent would send.
 */
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readObject } from '../remote/read-values.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl signal: send a signal to a run

Usage: pawl signal NAME [OPTIONS]
       pawl signal --data JSON [OPTIONS]    (the fields of a form, which has one signal only)

Options:
  --run RUN        the run; else the latest open one of this folder or one above it
  --data JSON      what the signal carries (or key=value)
  --stage NAME     the stage you believe it is in; in another one the signal is refused
  --go-to STEP     where to go, where a form lets you choose
  --branch NAME    a branch of an open fork
${commonHelp}

Exit codes: 0 accepted, 1 refused, 2 it could not be asked
`

export const signalVerb = remoteVerb({
  name: 'signal',
  summary: 'send a signal to a run',
  help,
  kinds: { run: 'text', data: 'text', stage: 'text', 'go-to': 'text', branch: 'text' },
  names: { min: 0, max: 1, what: 'a signal' },
  run: async (request) => {
    const { files, values, remote } = request
    const { stage, branch } = values
    const goTo = values['go-to']
    const data = readObject('--data', values.data)
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
