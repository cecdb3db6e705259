/**
 * `pawl approvals`: lists approvals, or shows one of them with everything that it is about.
 */
import { PawlProblem } from '../../api/problem.ts'
import type { VerbHelp } from '../help.ts'
import { findRun, severalFit } from '../remote/find-run.ts'
import { notAsked, printResult, type RemoteContext, remoteVerb } from '../remote/remote-verb.ts'
import {
  type ApprovalItem,
  approvalsTable,
  approvalText,
  type ShownChanges,
} from '../remote/show-approval.ts'

const help: VerbHelp = {
  usage: ['approvals [OPTIONS]', 'approvals ID|RUN [OPTIONS]'],
  about: `\
Lists risky ones first, then the oldest, each on one line. With the id of an approval
or of a run, or the start of it, shows everything you need to decide: what is asked and
what is risky about it, what Pawl saw beside what the agent says, and a diff of what
changed in the run.`,
  options: [
    ['--all', 'include decided and expired approvals'],
    ['--diff', 'with an id: show the whole diff of what changed in the run, however long'],
  ],
  examples: ['approvals', 'approvals r4f0c1d2', 'approvals --all --json'],
  exits: { 0: 'listed', 2: notAsked },
}

const approvalsMax = 100
/** Pending approvals among which an id is looked for. */
const pendingMax = 500

export const approvalsVerb = remoteVerb({
  name: 'approvals',
  help,
  kinds: { all: 'flag', diff: 'flag' },
  names: { min: 0, max: 1, what: 'an approval or a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const [name] = files
    const status = values.all ? {} : ({ status: 'pending' } as const)
    const page =
      name === undefined
        ? await remote.call('approvals.list', { limit: approvalsMax, ...status })
        : await withEvidence(await findNamed(name, request, status), request)
    const [only, second] = page.items
    const shown =
      name === undefined || only === undefined || second !== undefined || request.look === 'json'
        ? null
        : await changesOf({ runId: only.runId, isWhole: values.diff }, request)
    printResult(request, page, () => {
      if (page.items.length === 0) return 'no pending approvals\n'
      if (name === undefined) return approvalsTable(page.items, io)
      return page.items.map((one) => approvalText(one, shown, io)).join('\n')
    })
    return 0
  },
})

/** One approval is shown with what Pawl saw; a list would have to look at every workspace. */
async function withEvidence(found: Found, { remote }: RemoteContext): Promise<Found> {
  const pending = found.items.filter(({ status }) => status === 'pending')
  if (pending.length !== 1) return found
  const whole = await remote.call('approvals.read', { id: pending[0]?.id ?? '' })
  return { ...found, items: found.items.map((one) => (one.id === whole.id ? whole : one)) }
}

/** What the run changed; agents may not ask, and a workspace may be gone. */
async function changesOf(
  { runId, isWhole }: { readonly runId: string; readonly isWhole: boolean },
  { remote }: RemoteContext,
): Promise<ShownChanges> {
  try {
    const changes = await remote.call('runs.changes', { runId })
    if (!isWhole) return { changes, isWhole }
    const files = []
    for (const file of changes.files) {
      const query = { runId, path: file.path }
      const alone = file.linesCut > 0 ? await remote.call('runs.changes', query) : { files: [] }
      files.push(alone.files[0] ?? file)
    }
    return { changes: { ...changes, files }, isWhole }
  } catch (thrown) {
    if (thrown instanceof PawlProblem) return null
    throw thrown
  }
}

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
