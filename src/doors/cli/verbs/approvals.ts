/**
 * `pawl approvals`: lists approvals.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { approvalText } from '../remote/show-approval.ts'

const help: VerbHelp = {
  usage: ['approvals [RUN] [OPTIONS]'],
  about: `\
Lists the oldest first.`,
  options: [['--all', 'include decided and expired approvals']],
  examples: ['approvals', 'approvals --all --json'],
  exits: { 0: 'listed', 2: notAsked },
}

const approvalsMax = 100

export const approvalsVerb = remoteVerb({
  name: 'approvals',
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
      if (page.items.length === 0) return 'no pending approvals\n'
      return page.items.map((one) => approvalText(one, io)).join('\n')
    })
    return 0
  },
})
