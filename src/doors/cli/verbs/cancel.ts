/**
 * `pawl cancel`: a run ends here.
 */
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl cancel: end a run for good

Usage: pawl cancel RUN [OPTIONS]

Options:
  --reason TEXT    why, for the record
${commonHelp}

Exit codes: 0 it is cancelled, 1 refused, 2 it could not be asked
`

export const cancelVerb = remoteVerb({
  name: 'cancel',
  summary: 'end a run for good',
  help,
  kinds: { reason: 'text' },
  names: { min: 1, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const reason = request.values.reason ?? ''
    return printOutcome(request, await request.remote.call('runs.cancel', { runId, reason }))
  },
})
