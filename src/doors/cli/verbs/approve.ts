/**
 * `pawl approve`: a person agrees.
 */
import { decideQuestion } from '../remote/decide.ts'
import { readPairs } from '../remote/read-values.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl approve: agree to what a run asks

Usage: pawl approve ID [OPTIONS]

ID is that of a question (\`pawl approvals\` lists them) or its beginning. What is granted is
exactly the move or call that waits, once. The first decision counts.

Options:
  --note TEXT      a word to the agent, and for the record
  --set KEY=VALUE  change a value of the move, where its gate lets you; may be given several times
${commonHelp}; an agent is refused

Exit codes: 0 granted, 1 refused: somebody was first, it has expired, or it is not yours to decide,
2 it could not be asked
`

export const approveVerb = remoteVerb({
  name: 'approve',
  summary: 'agree to what a run asks',
  help,
  kinds: { note: 'text', set: 'list' },
  names: { min: 1, max: 1, what: 'the id of a question' },
  run: async (request) => {
    const { files, values } = request
    const edits = values.set.length === 0 ? null : readPairs('--set', values.set)
    return decideQuestion(request, files[0] ?? '', { granted: true, note: values.note, edits })
  },
})
