/** Handlers of the operations for the dashboard. */
import type { JsonObject } from '../../core/json.ts'
import { readRunChanges } from '../../runtime/changes/run-changes.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OperationAnswer } from './contract.ts'
import type { DashboardOperation } from './dashboard-operations.ts'
import type { Handlers } from './handlers.ts'
import { listPolicies } from './list-policies.ts'
import { problem } from './problem.ts'
import { openUsageStats, type UsageStats } from './usage-stats.ts'

type ChangedFiles = OperationAnswer<'runs.changes'>['files']

const noSignIns = problem('NOT_PERMITTED', { detail: 'sign-in is not available on this daemon' })

const noMachine = problem('MACHINE_UNKNOWN', {
  detail: 'there is no machine with that hash',
  status: 404,
})

/** One count for each runtime: what was read once is not read again. */
const tallies = new WeakMap<Runtime, UsageStats>()

function talliesOf(runtime: Runtime): UsageStats {
  const opened = tallies.get(runtime) ?? openUsageStats()
  tallies.set(runtime, opened)
  return opened
}

export const dashboardHandlers: Pick<Handlers, DashboardOperation> = {
  me: async ({ actor, access }) => {
    const role = actor.kind === 'person' ? 'person' : 'agent'
    return { ok: true, output: { role, name: actor.name, access: access ?? 'admin' } }
  },
  'signIns.invite': async ({ signIns, actor }, { access }) =>
    signIns === null
      ? { ok: false, problem: noSignIns }
      : { ok: true, output: { ...signIns.invite(access, actor.name), access } },
  'runs.changes': async ({ runtime }, { runId, path }) => {
    const { files, ...about } = await readRunChanges(runtime, runId, path ?? null)
    // WHY the copy: the answer may be changed on its way, what was read may not.
    return { ok: true, output: { ...about, files: structuredClone(files) as ChangedFiles } }
  },
  'machines.read': async ({ runtime }, { hash }) => {
    const machine = await runtime.readMachine(hash)
    if (machine === null) return { ok: false, problem: noMachine }
    // WHY the cast: a machine is JSON by its own rules, which its type does not say.
    return { ok: true, output: { machine: machine as unknown as JsonObject } }
  },
  'hosts.list': async ({ hosts }) => ({ ok: true, output: hosts() }),
  'policies.list': async ({ runtime }) => ({
    ok: true,
    output: { items: await listPolicies(runtime) },
  }),
  'stats.read': async ({ runtime }) => ({
    ok: true,
    output: await talliesOf(runtime).read(runtime),
  }),
}
