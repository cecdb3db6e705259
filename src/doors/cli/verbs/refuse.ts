/**
 * `pawl refuse`: refuses a pending move or call.
 */
import type { VerbHelp } from '../help.ts'
import { decideQuestion } from '../remote/decide.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['refuse ID [OPTIONS]'],
  about: `\
ID is the id of an approval (\`pawl approvals\` lists them), or the start of the id.
Only the first decision counts. Not available to agents.`,
  options: [['--note TEXT', 'the reason; the agent receives it']],
  examples: ["refuse 59b29 --note 'run the tests first'"],
  exits: {
    0: 'the move or call was refused, as you asked',
    1: 'already decided, expired, or not yours to decide',
    2: notAsked,
  },
}

export const refuseVerb = remoteVerb({
  name: 'refuse',
  help,
  kinds: { note: 'text' },
  names: { min: 1, max: 1, what: 'the id of an approval' },
  run: (request) =>
    decideQuestion(request, request.files[0] ?? '', {
      granted: false,
      note: request.values.note,
      edits: null,
    }),
})
