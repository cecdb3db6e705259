/**
 * `pawl uninit`: takes out what `pawl init` has put in.
 */
import { agentHosts } from '../../../core/hosts/registry.ts'
import { applyUninit } from '../../init/apply.ts'
import type { FoundHost } from '../../init/find-hosts.ts'
import {
  type HostPlan,
  installOf,
  isDone,
  planHostRemoval,
  planHosts,
} from '../../init/plan-host.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import { chooseHosts, initWorkspace, setupOf } from '../init/choose-hosts.ts'
import { confirm } from '../init/confirm.ts'
import { planText } from '../init/show-plan.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions } from '../options.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help = `\
pawl uninit: take out what \`pawl init\` has put into this folder

Usage: pawl uninit [HOST…] [--yes]

Without a HOST, of all of them. Takes out the entries of Pawl and nothing else: a file that was not
changed since is again what it was, byte for byte, and one that only Pawl needed is removed. Runs
and their logs stay; the agents are free again.

Options:
  --yes       do not ask

Exit codes: 0 done, or nothing to do, 2 it could not be done, or nobody was there to ask
`

export const uninitVerb: Verb = {
  name: 'uninit',
  summary: 'take out what `pawl init` has put into this folder',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files: names, values } = readOptions('uninit', args, { yes: 'flag' })
    refuseAgent(io, '`pawl uninit`')
    const setup = await setupOf(io)
    const plans = (await plansFor(names, setup, io)).filter(
      (plan) => !isDone(plan) || plan.known !== null,
    )
    if (plans.length === 0) {
      io.out('nothing to do: there is nothing of Pawl here\n')
      return 0
    }
    for (const plan of plans) io.out(planText(plan, null, io))
    if (!values.yes && !(await confirm(io, 'Take this out?', 'uninit'))) {
      io.out('nothing was changed\n')
      return 2
    }
    for (const plan of plans) applyUninit(plan, setup)
    const titles = plans.map(({ host }) => agentHosts[host].title).join(', ')
    io.out(`done: nothing of Pawl is left in ${titles}\n`)
    return 0
  },
}

async function plansFor(
  names: readonly string[],
  setup: SetupDoor,
  io: Io,
): Promise<readonly HostPlan[]> {
  const workspace = initWorkspace(io)
  const installs = setup.readInstalls()
  const isMeant = ({ name, hasFolder }: FoundHost): boolean =>
    hasFolder || installOf(installs, workspace, name) !== null
  const found = await chooseHosts('uninit', { names, workspace, isMeant }, setup)
  return planHosts(found, { setup, workspace, http: null, installs }, planHostRemoval)
}
