/**
 * `pawl notify test`: a word over every channel.
 */
import { usage } from '../options.ts'
import { printLines, styledSpan } from '../play/styled-text.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl notify: try the channels that reach people elsewhere

Usage: pawl notify test [OPTIONS]

Sends a test message over every channel of \`notify\` in config.json and says what became of each.

Options:
${commonHelp}; an agent is refused

Exit codes: 0 all went through, 1 one did not or there is none, 2 it could not be asked
`

export const notifyVerb = remoteVerb({
  name: 'notify',
  summary: 'try the channels that reach people elsewhere',
  help,
  kinds: {},
  names: { min: 1, max: 1, what: '`test`' },
  run: async (request) => {
    if (request.files[0] !== 'test') throw usage('notify', '`pawl notify` knows `test` only')
    const answer = await request.remote.call('notify.test', {})
    printResult(request, answer, () => {
      if (answer.items.length === 0) {
        return 'no channel is set: see `notify` in docs/operate/people.md\n'
      }
      return answer.items
        .map(({ channel, type, problem }) => {
          const told =
            problem === null ? styledSpan('went through', 'good') : styledSpan(problem, 'bad')
          return printLines([[styledSpan(`${channel} (${type})  `), told]], request.io)
        })
        .join('')
    })
    const isFine = answer.items.length > 0 && answer.items.every((one) => one.problem === null)
    return isFine ? 0 : 1
  },
})
