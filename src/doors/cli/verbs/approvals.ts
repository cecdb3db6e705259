/**
 * `pawl approvals`: lists approvals, or shows one of them with everything that it is about.
 */
import type { VerbHelp } from '../help.ts'
import { findRun, severalFit } from '../remote/find-run.ts'
import { notAsked, printResult, type RemoteContext, remoteVerb } from '../remote/remote-verb.ts'
import { type ApprovalItem, approvalsTable, approvalText } from '../remote/show-approval.ts'

const help: VerbHelp = {
  usage: ['approvals [OPTIONS]', 'approvals ID|RUN [OPTIONS]'],
  about: `\
Lists the oldest first, each on one line. With the id of an approval or of a run, or
the start of it, shows everything you need to decide.`,
  options: [['--all', 'include decided and expired approvals']],
  examples: ['approvals', 'approvals r4f0c1d2', 'approvals --all --json'],
  exits: { 0: 'listed', 2: notAsked },
}

const approvalsMax = 100
/** Pending approvals among which an id is looked for. */
const pendingMax = 500

export const approvalsVerb = remoteVerb({
  name: 'approvals',
  help,
  kinds: { all: 'flag' },
  names: { min: 0, max: 1, what: 'an approval or a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const [name] = files
    const status = values.all ? {} : ({ status: 'pending' } as const)
    const page =
      name === undefined
        ? await remote.call('approvals.list', { limit: approvalsMax, ...status })
        : await findNamed(name, request, status)
    printResult(request, page, () => {
      if (page.items.length === 0) return 'no pending approvals\n'
      if (name === undefined) return approvalsTable(page.items, io)
      return page.items.map((one) => approvalText(one, io)).join('\n')
    })
    return 0
  },
})

type Found = { readonly items: readonly ApprovalItem[]; readonly next: string | null }

/** Pending ones whose id begins so, one that was decided, or those of a run. */
async function findNamed(
  name: string,
  asked: RemoteContext,
  status: { readonly status?: 'pending' },
): Promise<Found> {
  const { remote } = asked
  const pending = await remote.call('approvals.list', { status: 'pending', limit: pendingMax })
  const fitting = pending.items.filter((one) => one.id.startsWith(name))
  const [first] = fitting
  if (first === undefined && name.includes(':')) {
    return { items: [await remote.call('approvals.read', { id: name })], next: null }
  }
  const other = fitting.find((one) => one.runId !== first?.runId)
  if (first !== undefined && other !== undefined) {
    throw severalFit(name, 'approval', [first.id, other.id])
  }
  if (name.includes(':')) return { items: fitting, next: null }
  const runId = first?.runId ?? (await findRun(name, asked))
  return remote.call('approvals.list', { runId, limit: approvalsMax, ...status })
}
