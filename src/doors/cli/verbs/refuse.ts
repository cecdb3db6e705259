/**
 * `pawl refuse`: a person does not agree.
 */
import { decideQuestion } from '../remote/decide.ts'
import { commonHelp, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl refuse: say no to what a run asks

Usage: pawl refuse ID [OPTIONS]

ID is that of a question (\`pawl approvals\` lists them) or its beginning. The first decision
counts.

Options:
  --note TEXT      why; the agent is told
${commonHelp}; an agent is refused

Exit codes: 0 refused as you wanted, 1 somebody was first, it has expired, or it is not yours to
decide, 2 it could not be asked
`

export const refuseVerb = remoteVerb({
  name: 'refuse',
  summary: 'say no to what a run asks',
  help,
  kinds: { note: 'text' },
  names: { min: 1, max: 1, what: 'the id of a question' },
  run: (request) =>
    decideQuestion(request, request.files[0] ?? '', {
      granted: false,
      note: request.values.note,
      edits: null,
    }),
})
