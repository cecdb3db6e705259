/**
 * `pawl approve`: approves a pending move or call.
 */
import type { VerbHelp } from '../help.ts'
import { decideQuestion } from '../remote/decide.ts'
import { readPairs } from '../remote/read-values.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['approve ID [OPTIONS]'],
  about: `\
ID is the id of an approval (\`pawl approvals\` lists them), or the start of the id.
The approval covers exactly the move or call that is waiting, once. Only the first
decision counts. Not available to agents.`,
  options: [
    ['--note TEXT', 'a note to the agent, kept in the log'],
    ['--var KEY=VALUE', 'change a value of the move, if its gate allows it; repeatable'],
  ],
  examples: ['approve 59b29', "approve 59b29 --note 'after the backup' --var version=2"],
  exits: {
    0: 'approved',
    1: 'already decided, expired, or not yours to decide',
    2: notAsked,
  },
}

export const approveVerb = remoteVerb({
  name: 'approve',
  help,
  kinds: { note: 'text', var: 'list' },
  names: { min: 1, max: 1, what: 'the id of an approval' },
  run: async (request) => {
    const { files, values } = request
    const edits = values.var.length === 0 ? null : readPairs('--var', values.var)
    return decideQuestion(request, files[0] ?? '', { granted: true, note: values.note, edits })
  },
})
