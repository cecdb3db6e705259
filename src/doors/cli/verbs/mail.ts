/**
 * `pawl mail`: the key under which the agent of a run sends out.
 */
import { usage } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl mail: give the agent of a run a key for the outbound proxy

Usage: pawl mail key RUN [--revoke] [OPTIONS]

Prints the key once; only a hash of it is kept. It is good for this run alone, as long as the run
is open, and replaces the one before: RESEND_API_KEY=$(pawl mail key RUN).
See docs/reference/mail.md.

Options:
  --revoke         take the key away; it counts no longer, at once
${commonHelp}; an agent is refused

Exit codes: 0 done, 1 refused, 2 it could not be asked
`

export const mailVerb = remoteVerb({
  name: 'mail',
  summary: 'give the agent of a run a key to send out with',
  help,
  kinds: { revoke: 'flag' },
  names: { min: 2, max: 2, what: '`key` and a run' },
  run: async (request) => {
    const [word, name] = request.files
    if (word !== 'key') throw usage('mail', '`pawl mail` knows `key` only')
    const runId = await findRun(name, request)
    if (!request.values.revoke) {
      const answer = await request.remote.call('mail.makeKey', { runId })
      printResult(request, answer, () => `${answer.key}\n`)
      return 0
    }
    const answer = await request.remote.call('mail.revokeKey', { runId })
    printResult(request, answer, () =>
      answer.revoked ? 'the key counts no longer\n' : 'the run has no key\n',
    )
    return 0
  },
})
