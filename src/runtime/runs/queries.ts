/** Queries about runs, without a command. */

import { type Family, mainOf } from '../../core/engine/family.ts'
import { hasEnded } from '../../core/engine/is-running.ts'
import { describeEvidence, type EvidenceLine } from '../../core/evidence/describe-evidence.ts'
import type { MinIsolation } from '../../core/machine/isolation-levels.ts'
import type { Machine, MailRule } from '../../core/machine/machine.ts'
import { readCosts } from '../costs/cost-report.ts'
import { PawlError } from '../pawl-error.ts'
import { approvalQuestionOf } from '../people/approval-question.ts'
import type { ApprovalRow, Store } from '../ports.ts'
import type { Runtime } from '../runtime.ts'
import { realFolder } from '../sessions/folders.ts'
import { type CommandContext, currentRun } from './handle-command.ts'
import type { LoadedRun } from './load-run.ts'
import { leafOf } from './plan-command.ts'
import type { RunTitles } from './run-titles.ts'

type Looks = Pick<
  Runtime,
  | 'readHead'
  | 'listRuns'
  | 'readEvents'
  | 'listApprovals'
  | 'readQuestion'
  | 'readEvidence'
  | 'readCosts'
  | 'readMachine'
  | 'minIsolations'
  | 'mailRules'
  | 'readFamily'
>

/** What can be looked at without changing anything. */
export function queriesOf(context: CommandContext & { readonly titles: RunTitles }): Looks {
  const { store, shelf, policies, titles } = context
  return {
    readHead: store.readHead,
    listRuns: (query) => {
      const { workspace } = query
      return store.listRuns({
        ...query,
        workspace: workspace === null ? null : realFolder(workspace),
      })
    },
    readEvents: store.readEvents,
    listApprovals: store.listApprovals,
    readQuestion: async (id) => {
      const row = await knownApproval(store, id)
      const title = (await titles.of([row.runId])).get(row.runId)?.title ?? null
      const run = await currentRun(context, row.runId)
      const evidence = row.kind === 'move' ? await evidenceIn(context, run, 'look') : []
      return approvalQuestionOf(row, run, { title, evidence })
    },
    readEvidence: async (runId, how) => evidenceIn(context, await currentRun(context, runId), how),
    readCosts: (query) => readCosts(store, query),
    readMachine: async (hash) => {
      if ((await store.readMachine(hash)) === null) return null
      await shelf.fetch([hash])
      return shelf.get(hash)
    },
    minIsolations: async ({ runId, branch, workspace }) => {
      const run = runId === null ? null : await currentRun(context, runId)
      const by = 'a policy'
      const all = policies(workspace).flatMap((policy) => levelsIn(policy, by))
      if (run === null) return all
      const own = leafOf(run, branch).machine.policy
      return [...all, ...(own === null ? [] : levelsIn(own, by)), ...levelsOf(run.family)]
    },
    readFamily: async (runId) => (await currentRun(context, runId)).family,
    mailRules: async (runId) => mailRulesOf((await currentRun(context, runId)).family),
  }
}

/** The last ends of watched commands in any run of the family, newest first. */
async function evidenceIn(
  { clock, observeWorkspace }: CommandContext,
  { head, family }: LoadedRun,
  how: 'look' | 'as kept',
): Promise<EvidenceLine[]> {
  const recorded = family.members.flatMap(({ state }) => state.evidence ?? [])
  if (recorded.length === 0) return []
  const looks = how === 'look' && head.workspace !== null
  const seen = looks ? await observeWorkspace(head.workspace ?? '') : {}
  const newest = recorded.toSorted((a, b) => b.endedAt - a.endedAt)
  return newest.map((one) => describeEvidence(one, { at: clock.now(), ...seen }))
}

function mailRulesOf(family: Family): readonly MailRule[] {
  return machinesAtWork(family).flatMap(({ mail }) => (mail === null ? [] : [mail]))
}

/** What a definition above asks for holds below it: an invoked one may be anybody's. */
function levelsOf(family: Family): readonly MinIsolation[] {
  return machinesAtWork(family).flatMap((machine) =>
    levelsIn(machine, `the definition \`${machine.name}\``),
  )
}

function levelsIn(rules: Pick<Machine, 'minIsolation'>, by: string): readonly MinIsolation[] {
  const { minIsolation: level } = rules
  return level === undefined ? [] : [{ level, by: `\`min_isolation\` of ${by}` }]
}

/** Of the run at work and of all above it; a branch has its parent's machine. */
function machinesAtWork(family: Family): readonly Machine[] {
  const machines = new Set<Machine>([mainOf(family).machine])
  for (const { machine, state } of family.members) if (!hasEnded(state)) machines.add(machine)
  return [...machines]
}

/** A question to a person; fault `APPROVAL_UNKNOWN`. */
export async function knownApproval(store: Store, id: string): Promise<ApprovalRow> {
  const row = await store.readApproval(id)
  if (row !== null) return row
  const hint = '`pawl approvals` lists the pending ones'
  throw new PawlError('APPROVAL_UNKNOWN', `there is no approval \`${id}\``, { hint })
}
