/**
 * `pawl notify test`: a test message over every channel.
 */
import type { VerbHelp } from '../help.ts'
import { usage } from '../options.ts'
import { printLines, styledSpan } from '../play/styled-text.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['notify test [OPTIONS]'],
  about: `\
Sends a test message over every channel under \`notify\` in config.json, and prints
the result of each. Not available to agents.`,
  examples: ['notify test'],
  exits: {
    0: 'all messages were sent',
    1: 'a channel failed, or no channel is configured',
    2: notAsked,
  },
}

export const notifyVerb = remoteVerb({
  name: 'notify',
  help,
  kinds: {},
  names: { min: 1, max: 1, what: '`test`' },
  run: async (request) => {
    if (request.files[0] !== 'test')
      throw usage('notify', 'the only subcommand of `pawl notify` is `test`')
    const answer = await request.remote.call('notify.test', {})
    printResult(request, answer, () => {
      if (answer.items.length === 0)
        return 'no channel is configured: see `notify` in docs/operate/people.md\n'
      return answer.items
        .map(({ channel, type, problem }) => {
          const told = problem === null ? styledSpan('sent', 'good') : styledSpan(problem, 'bad')
          return printLines([[styledSpan(`${channel} (${type})  `), told]], request.io)
        })
        .join('')
    })
    const isFine = answer.items.length > 0 && answer.items.every((one) => one.problem === null)
    return isFine ? 0 : 1
  },
})
