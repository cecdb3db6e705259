/**
 * `pawl init`: sets up Pawl for the agents of a workspace.
 */

import { join } from 'node:path'
import { agentHostIds, agentHosts, listInProse } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { applyInit } from '../../init/apply.ts'
import { checkInstall } from '../../init/check-install.ts'
import type { SetupContext } from '../../init/desired-files.ts'
import { type FoundHost, findHosts } from '../../init/find-hosts.ts'
import { hostSetups } from '../../init/hosts/host-setups.ts'
import { type HostPlan, isDone, planHost, planHosts } from '../../init/plan-host.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import { readWorkspaceFile } from '../../init/write-files.ts'
import type { VerbHelp } from '../help.ts'
import { acceptServers } from '../init/accept-servers.ts'
import {
  chooseHosts,
  hasUserHooksOnly,
  type InitPlace,
  initWorkspace,
  setupOf,
  userPlace,
} from '../init/choose-hosts.ts'
import { confirm } from '../init/confirm.ts'
import { findCommand } from '../init/find-pawl-command.ts'
import { choosePort, settlePort } from '../init/hook-port.ts'
import { changeText, detailsText, notesText, plansSummary } from '../init/show-plan.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions } from '../options.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['init [HOST…] [OPTIONS]', 'init --user [HOST…] [OPTIONS]', 'init --restore'],
  about: `\
HOST is ${listInProse(agentHostIds)}.
Without HOST: every host that is installed or has a folder here.

Shows a summary, asks for confirmation, then writes: hooks that ask Pawl about every
tool call, Pawl as an MCP server, and for Claude Code a slash command and a status
line. Everything else in those files is left unchanged. Running it again updates the
entries of an older Pawl. \`pawl uninit\` removes everything.
docs/reference/hosts.md lists what each host enforces. Not available to agents.

With --user it writes hooks into each host's user settings, which apply in every
folder. They guard sessions that do not load the hooks of a folder: in other git work
trees and subfolders, through links, and where the hooks were removed. They do nothing
in folders that Pawl does not guard. \`pawl uninit --user\` removes them.`,
  options: [
    ['--user', 'write hooks into your user settings, for every folder'],
    ['--restore', 'restore hooks that were changed or removed, in every folder'],
    ['--yes', 'do not ask'],
    ['--details', 'show the changes to every file; answering `d` does the same'],
    ['--dry-run', 'show the changes and write nothing'],
    ['--command', 'Claude Code: use only command hooks, none over HTTP'],
    [
      '--gateway',
      "also put the hosts' MCP servers behind Pawl's gateway (docs/reference/gateway.md)",
    ],
    ['--json', 'print one JSON object (see below)'],
  ],
  notes: `\
JSON output: { "workspace", "written", "hosts": [{ "host", "version", "wire",
"files": [{ "path", "change" }], "remarks" }], "remarks" }`,
  examples: ['init', `init ${agentHostIds[0]} --dry-run`],
  exits: {
    0: 'done, or nothing to do',
    2: 'usage error, declined, or no terminal to ask in',
  },
}

export const initVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const flags = { yes: 'flag', command: 'flag', 'dry-run': 'flag', json: 'flag' } as const
    const more = { gateway: 'flag', details: 'flag', user: 'flag', restore: 'flag' } as const
    const { files: names, values } = readOptions('init', args, { ...flags, ...more })
    refuseAgent(io, '`pawl init`')
    const gateway = values.gateway ? 'wanted' : 'stays'
    const setup = await setupOf(io)
    if (values.restore) return restore(setup, io)
    const place = values.user ? userPlace(setup) : { workspace: initWorkspace(io) }
    const here: Here = { setup, ...place, io, gateway }
    const found = await findThem(names, here)
    const http = values.command ? null : await httpFor(found, here)
    const plans = plansFor(found, http, here)
    const isNew = plans.some((plan) => !isDone(plan))
    const details = detailsText(plans, http?.token ?? null, io)
    const isDetailed = values.details || values['dry-run']
    if (!values.json) {
      if (isNew) io.out(plansSummary(plans, effectOf(plans), io))
      if (isDetailed) io.out(details)
    }
    const asking = { ...values, io, details: isDetailed ? null : details }
    const mode = values['dry-run'] ? 'show' : isNew ? await mayWrite(asking) : 'write'
    if (!values.json && mode === 'write' && !isDetailed) io.out(notesText(plans, io))
    const done =
      mode === 'write' ? await write(plans, { ...here, http, found }) : { plans, words: [] }
    if (values.json) io.out(`${JSON.stringify(jsonOf(done, mode, here))}\n`)
    else io.out(endText(done, mode === 'write' ? (isNew ? 'new' : 'same') : 'shown', here))
    return mode === 'declined' ? 2 : 0
  },
}

/** WHY two texts: the notes name what a host runs without a hook. */
function effectOf(plans: readonly HostPlan[]): readonly [label: string, text: string] {
  const hasNotes = plans.some(({ remarks }) => remarks.length > 0)
  const judged = 'every tool call is judged by Pawl before it runs'
  return ['enforced', hasNotes ? `${judged}, except as noted in the details` : judged]
}

type Here = InitPlace & {
  readonly setup: SetupDoor
  readonly io: Io
  readonly gateway: 'wanted' | 'stays'
}
type Http = SetupContext['http'] & { readonly port: number }
type Mode = 'show' | 'write' | 'declined'
type Done = { readonly plans: readonly HostPlan[]; readonly words: readonly string[] }

async function findThem(
  names: readonly string[],
  { setup, workspace }: Here,
): Promise<readonly FoundHost[]> {
  const isMeant = ({ program, hasFolder }: FoundHost): boolean => program !== null || hasFolder
  const found = await chooseHosts('init', { names, workspace, isMeant }, setup)
  if (found.length > 0) return found
  throw new PawlError('USAGE', 'no host found: no program on the PATH and no folder here', {
    hint: `install one, or name it: \`pawl init ${agentHostIds[0]}\``,
  })
}

/** Where HTTP hooks go; null: no host that was found has such hooks. */
async function httpFor(found: readonly FoundHost[], here: Here): Promise<Http | null> {
  const { setup, io, scope, workspace } = here
  // The hooks of a user must not need a daemon where nothing is guarded.
  if (scope === 'user') return null
  if (!found.some(({ name }) => agentHosts[name].wires.includes('http'))) return null
  const port = await choosePort(io, setup)
  return { url: `http://127.0.0.1:${port}`, token: setup.hookSecret(workspace) ?? noSecret, port }
}

/** Stands for the secret while there is none: nothing is made before it is agreed. */
const noSecret = '(secret)'

function plansFor(found: readonly FoundHost[], http: Http | null, here: Here): readonly HostPlan[] {
  const { setup, workspace, scope, withFolders, gateway } = here
  const installs = setup.readInstalls()
  const unasked = withFolders === undefined ? {} : { withFolders }
  const where = scope === undefined ? { workspace } : { workspace, scope, ...unasked }
  const plans = planHosts(found, { setup, ...where, http, installs, gateway }, planHost)
  if (scope === 'user') return plans
  // What has no hooks of a folder is held by those of its user.
  const others = found.filter(({ name }) => hasUserHooksOnly(name))
  return [...plans, ...plansFor(others, null, { ...here, ...userPlace(setup), withFolders: true })]
}

type InitPrompt = {
  readonly yes: boolean
  readonly json: boolean
  readonly io: Io
  readonly details: string | null
}

async function mayWrite({ yes, json, io, details }: InitPrompt): Promise<Mode> {
  if (yes) return 'write'
  if (json) {
    throw new PawlError('USAGE', '`--json` cannot ask, so nothing was written', {
      hint: 'check `pawl init --dry-run`, then add `--yes`',
    })
  }
  const answer = await confirm(io, { question: 'Write these changes?', verb: 'init', details })
  return answer === 'yes' ? 'write' : 'declined'
}

type Writing = Here & { readonly http: Http | null; readonly found: readonly FoundHost[] }

async function write(shown: readonly HostPlan[], writing: Writing): Promise<Done> {
  const { http, found, setup, io, workspace: folder } = writing
  const words: string[] = []
  await setup.installPrograms()
  const isHttp = shown.some(({ wire }) => wire === 'http')
  const trouble = isHttp && http !== null ? await settlePort(http.port, io, setup) : null
  if (trouble !== null) words.push(trouble)
  const token = setup.hookSecret(folder)
  const real = http === null || token === null ? http : { ...http, token }
  const plans = real?.token === http?.token ? shown : plansFor(found, real, writing)
  for (const plan of plans) {
    applyInit(plan, setup, Date.now())
    const { trust } = hostSetups[plan.host]
    const { program } = plan.found
    const { workspace } = plan
    if (trust !== null) words.push(await trust.grant({ program, workspace, env: setup.env }))
  }
  words.push(...(await acceptServers(plans, writing)))
  return { plans, words }
}

function endText({ plans, words }: Done, what: 'new' | 'same' | 'shown', here: Here): string {
  const { setup, scope } = here
  const said = words.map((word) => `${word}\n`).join('')
  if (what === 'shown') return `${said}nothing was written\n`
  if (what === 'same') return `${said}nothing to do: everything is in place\n`
  if (scope === 'user') return `${said}done: the hooks count in every folder that Pawl guards\n`
  return `${said}\n${nextText(plans, setup)}`
}

/** Writes what was changed or removed as it was, in every folder and for every host. */
async function restore(setup: SetupDoor, io: Io): Promise<number> {
  const broken = setup.readInstalls().filter((install) => {
    const { workspace } = install
    return checkInstall(install, (path) => readWorkspaceFile(workspace, path)).length > 0
  })
  const all = broken.length === 0 ? [] : await findHosts(initWorkspace(io), setup.env)
  for (const { host, workspace, scope, withFolders, wire } of broken) {
    const unasked = withFolders === undefined ? {} : { withFolders }
    const place = scope === undefined ? { workspace } : { workspace, scope, ...unasked }
    const here: Here = { setup, ...place, io, gateway: 'stays' }
    const found = all.filter(({ name }) => name === host)
    const http = wire === 'http' ? await httpFor(found, here) : null
    const { words } = await write(plansFor(found, http, here), { ...here, http, found })
    const where = scope === 'user' ? 'for every folder' : `in ${workspace}`
    io.out([`restored the hooks of ${agentHosts[host].title} ${where}`, ...words, ''].join('\n'))
  }
  if (broken.length === 0) io.out('nothing to do: all hooks are in place\n')
  return 0
}

function nextText(plans: readonly HostPlan[], setup: SetupDoor): string {
  const example = join(setup.program, '../../../examples/workflow/tdd-bug-fix.json')
  const tries = plans.slice(0, 1).map(({ host }) => `  ${agentHosts[host].tryCommand}`)
  const { text, remark } = findCommand(setup)
  return [
    'Done. Try it:',
    `  ${text} start ${example}`,
    ...tries,
    `  ${text} log`,
    'The first stage is read-only, so the write is denied, and the log shows why.',
    ...(remark === null ? [] : [remark]),
    ...everywhereText(plans, setup),
    '',
  ].join('\n')
}

/** What the hooks of a folder do not reach, unless it is covered already. */
function everywhereText(plans: readonly HostPlan[], setup: SetupDoor): readonly string[] {
  const users = setup.readInstalls().filter(({ scope }) => scope === 'user')
  const isCovered = plans.every((plan) => users.some(({ host }) => host === plan.host))
  if (isCovered) return []
  const what = 'Sessions in other git work trees, or after the hooks were removed, are not held yet'
  return ['', `${what}:`, `  ${findCommand(setup).text} init --user`]
}

function jsonOf({ plans, words }: Done, mode: Mode, { workspace }: Here): object {
  return {
    workspace,
    written: mode === 'write',
    hosts: plans.map(({ host, found, wire, files, remarks }) => ({
      host,
      version: found.version,
      wire,
      files: files.map((file) => ({ path: file.path, change: changeText(file) })),
      remarks,
    })),
    remarks: words,
  }
}
