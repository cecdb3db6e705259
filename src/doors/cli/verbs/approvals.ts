/**
 * `pawl approvals`: questions that wait for a person.
 */
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { approvalText } from '../remote/show-approval.ts'

const help = `\
pawl approvals: questions that wait for a person, the oldest first

Usage: pawl approvals [RUN] [OPTIONS]

Options:
  --all            decided and expired ones as well
${commonHelp}

Exit codes: 0 listed, 2 it could not be asked
`

const approvalsMax = 100

export const approvalsVerb = remoteVerb({
  name: 'approvals',
  summary: 'list questions that wait for a person',
  help,
  kinds: { all: 'flag' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const runId = files[0] === undefined ? null : await findRun(files[0], request)
    const page = await remote.call('approvals.list', {
      limit: approvalsMax,
      ...(values.all ? {} : { status: 'pending' as const }),
      ...(runId === null ? {} : { runId }),
    })
    printResult(request, page, () => {
      if (page.items.length === 0) return 'nothing waits for a person\n'
      return page.items.map((one) => approvalText(one, io)).join('\n')
    })
    return 0
  },
})
