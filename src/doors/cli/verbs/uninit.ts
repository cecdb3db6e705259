/**
 * `pawl uninit`: removes what `pawl init` wrote.
 */

import { agentHostIds, agentHosts } from '../../../core/hosts/registry.ts'
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
import type { VerbHelp } from '../help.ts'
import {
  chooseHosts,
  type InitPlace,
  initWorkspace,
  setupOf,
  userPlace,
} from '../init/choose-hosts.ts'
import { confirm } from '../init/confirm.ts'
import { detailsText, plansSummary } from '../init/show-plan.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions } from '../options.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['uninit [HOST…] [OPTIONS]', 'uninit --user [HOST…] [OPTIONS]'],
  about: `\
Without HOST: all hosts. Removes Pawl's entries and nothing else: a file that has
not changed since is restored byte for byte, and a file that only Pawl needed is
deleted. Runs and their logs stay. The agents are no longer guarded. Not available
to agents.

With --user: removes the hooks that \`pawl init --user\` wrote for every folder.`,
  options: [
    ['--user', 'remove the user hooks instead of those of this folder'],
    ['--yes', 'do not ask'],
    ['--details', 'show the changes to every file; answering `d` does the same'],
  ],
  examples: ['uninit', `uninit ${agentHostIds[0]} --yes`],
  exits: {
    0: 'done, or nothing to do',
    2: 'usage error, declined, or no terminal to ask in',
  },
}

export const uninitVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files: names, values } = readOptions('uninit', args, {
      yes: 'flag',
      details: 'flag',
      user: 'flag',
    })
    refuseAgent(io, '`pawl uninit`')
    const setup = await setupOf(io)
    const where = values.user ? userPlace(setup) : { workspace: initWorkspace(io) }
    const plans = (await plansFor(names, setup, where)).filter(
      (plan) => !isDone(plan) || plan.known !== null,
    )
    if (plans.length === 0) {
      const place = values.user ? 'for this user' : 'in this folder'
      io.out(`nothing to do: Pawl is not installed ${place}\n`)
      return 0
    }
    const details = detailsText(plans, null, io)
    const effect = values.user
      ? 'sessions in other work trees, or with hooks removed, are no longer guarded'
      : 'the agents are no longer guarded'
    io.out(plansSummary(plans, ['effect', effect], io))
    if (values.details) io.out(details)
    const asking = { question: 'Remove Pawl?', verb: 'uninit' }
    const more = values.details ? null : details
    if (!values.yes && (await confirm(io, { ...asking, details: more })) === 'no') {
      io.out('nothing was changed\n')
      return 2
    }
    for (const plan of plans) applyUninit(plan, setup)
    const titles = new Set(plans.map(({ host }) => agentHosts[host].title))
    io.out(`done: removed Pawl from ${[...titles].join(', ')}\n`)
    return 0
  },
}

async function plansFor(
  names: readonly string[],
  setup: SetupDoor,
  where: InitPlace,
): Promise<readonly HostPlan[]> {
  const { workspace } = where
  const installs = setup.readInstalls()
  const isMeant = ({ name, hasFolder }: FoundHost): boolean =>
    hasFolder || installOf(installs, { ...where, host: name }) !== null
  const found = await chooseHosts('uninit', { names, workspace, isMeant }, setup)
  const wish = { setup, http: null, installs }
  const plans = planHosts(found, { ...wish, ...where }, planHostRemoval)
  if (where.scope === 'user') return plans
  const going = plans.flatMap(({ known }) => (known === null ? [] : [known]))
  const isLast = installs.every((one) => one.scope === 'user' || going.includes(one))
  if (going.length === 0 || !isLast) return plans
  // Hooks that were written with those of folders have nothing left to hold.
  const user = userPlace(setup)
  const isLeft = ({ name }: FoundHost): boolean =>
    installOf(installs, { ...user, host: name })?.withFolders === true
  const left = await chooseHosts('uninit', { names: [], workspace, isMeant: isLeft }, setup)
  return [...plans, ...planHosts(left, { ...wish, ...user }, planHostRemoval)]
}
