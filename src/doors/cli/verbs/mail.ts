/**
 * `pawl mail`: the key with which the agent of a run sends mail.
 */
import type { VerbHelp } from '../help.ts'
import { usage } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['mail key RUN [--revoke] [OPTIONS]'],
  about: `\
Creates the key with which a run's agent sends mail through Pawl's outbound proxy.
The key is printed once; Pawl keeps only a hash of it. It works for this run only,
while the run is open, and replaces the previous key. See docs/reference/mail.md. Not
available to agents.`,
  options: [['--revoke', 'revoke the key immediately']],
  examples: ['mail key r59b29', 'mail key r59b29 --revoke'],
  exits: { 0: 'done', 1: 'rejected', 2: notAsked },
}

export const mailVerb = remoteVerb({
  name: 'mail',
  help,
  kinds: { revoke: 'flag' },
  names: { min: 2, max: 2, what: '`key` and a run' },
  run: async (request) => {
    const [word, name] = request.files
    if (word !== 'key') throw usage('mail', 'the only subcommand of `pawl mail` is `key`')
    const runId = await findRun(name, request)
    if (!request.values.revoke) {
      const answer = await request.remote.call('mail.makeKey', { runId })
      printResult(request, answer, () => `${answer.key}\n`)
      return 0
    }
    const answer = await request.remote.call('mail.revokeKey', { runId })
    printResult(request, answer, () =>
      answer.revoked ? 'the key is revoked\n' : 'the run has no key\n',
    )
    return 0
  },
})
