/**
 * `pawl run`: starts an agent host in a box, with its hooks in force.
 */
import { realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path'
import { type AgentHostId, agentHostIds, agentHosts } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationRequest } from '../../api/contract.ts'
import { PawlProblem } from '../../api/problem.ts'
import { type BoxLaunch, boxLaunchOf } from '../../init/box-launch.ts'
import {
  type BoxSettingsFile,
  refuseHooksOff,
  settingsFilesInBox,
} from '../../init/box-settings-files.ts'
import { findHost } from '../../init/find-hosts.ts'
import { workspaceOf } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io } from '../io.ts'
import { usage } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { isFileName, storeDefinition } from '../remote/store-definition.ts'

const help: VerbHelp = {
  usage: ['run [OPTIONS] -- HOST [ARGS]', 'run [OPTIONS] --shell'],
  about: `\
Starts an agent host in a box: the system is read-only, your home is empty
except for the host's own files, the network is the model's and what \`jobs.network\`
lists, and the files of the workspace are open as the stage of the run says.
Hooks are in force without \`pawl init\`, and nothing is written into the project.
See docs/operate/box.md.`,
  options: [
    ['--run RUN', 'the run that the session works on; default: the open one here'],
    ['--start NAME|FILE', 'start a run of this definition for the session'],
    ['--env NAME', 'pass a variable on; repeatable. The variables of the host are passed anyway'],
    ['--connect HOST[:PORT]', 'another server that the box may connect to; repeatable'],
    ['--workspace DIR', 'the folder of the agent; default: the current folder'],
    ['--shell', 'open a shell in the box instead of a host'],
  ],
  notes: `\
Without an open run, one of a definition that allows everything is started.`,
  examples: ['run -- claude', "run --start tdd-bug-fix -- claude -p 'fix the bug'", 'run --shell'],
  exits: { 0: 'as the host exits', 1: 'rejected', 2: notAsked, 126: 'the box could not be made' },
}

const kinds = {
  run: 'text',
  start: 'text',
  env: 'list',
  connect: 'list',
  workspace: 'text',
  shell: 'flag',
} as const

type RunRequest = RemoteVerbSpec<typeof kinds>

export const runVerb = remoteVerb({
  name: 'run',
  help,
  kinds,
  names: { min: 0, max: 10_000, what: 'a host and its arguments' },
  run: runInBox,
})

async function runInBox(request: RunRequest): Promise<number> {
  const { io, remote, values, files: words } = request
  if (values.shell === words.length > 0) {
    throw usage('run', 'name a host behind `--`, or use `--shell`')
  }
  if (io.runBox === undefined) throw usage('run', 'there is no terminal to run it in')
  const workspace = realpathSync(workspaceOf(values.workspace, io.cwd))
  const runId = await runFor(request, workspace)
  if (runId === null) return 1
  const env = io.env ?? {}
  const [program = shellOf(env), ...args] = words
  const host = agentHostIds.find((id) => agentHosts[id].program === program) ?? null
  const launch = host === null ? none : await launchOf(host, { io, workspace, args })
  const opened = await remote.call('boxes.open', {
    ...{ runId, host, cwd: workspace, files: { ...launch.files } },
    settingsFiles: [...launch.settingsFiles],
    program: [program, ...launch.args, ...args],
    environment: { ...variablesFor(env, host, values.env), ...launch.environment },
    programPaths: programPaths(program, env),
    modelUrl: modelUrlOf(host, env),
    connect: [...values.connect],
  })
  for (const note of opened.notes) io.err(`pawl: ${note}\n`)
  const about = `run ${runId}, isolation ${opened.level}, files: ${opened.mode}`
  if (io.isTerminal) io.err(`pawl: ${about}\n`)
  return io.runBox({ helper: opened.helper, words: opened.words })
}

type Launch = BoxLaunch & { readonly settingsFiles: readonly BoxSettingsFile[] }

const none: Launch = { files: {}, args: [], environment: {}, settingsFiles: [] }

type Launching = { readonly io: Io; readonly workspace: string; readonly args: readonly string[] }

async function launchOf(host: AgentHostId, { io, workspace, args }: Launching): Promise<Launch> {
  const setup = await io.setup?.()
  if (setup === undefined) throw usage('run', 'there is no data directory')
  await setup.installPrograms()
  const found = await findHost(host, setup.env)
  const place = { setup, workspace }
  const launch = await boxLaunchOf(found, place)
  if (launch !== null) {
    refuseHooksOff(found, place, args)
    return { ...launch, settingsFiles: settingsFilesInBox(found, place) }
  }
  const { title } = agentHosts[host]
  throw new PawlError('USAGE', `${title} cannot be started in a box with its hooks yet`, {
    hint: 'install its hooks with `pawl init` and start it without a box',
  })
}

/** The run that is named, one that is started, or the open one here; null: it has errors. */
async function runFor(request: RunRequest, workspace: string): Promise<string | null> {
  const { values, remote } = request
  if (values.run !== null) return findRun(values.run, request)
  const { start } = values
  if (start === null) {
    const open = await remote.call('runs.locate', { workspace })
    if (open.kind === 'run') return open.runId
    if (open.kind === 'unclear') {
      throw new PawlError('RUN_UNKNOWN', open.reason, { hint: 'name one with `--run`' })
    }
  }
  const named = start ?? (await openDefinition(request))
  const stored = isFileName(named) ? await storeDefinition(named, request) : named
  if (stored === null) return null
  const definition = typeof stored === 'string' ? stored : stored.definition.id
  return (await remote.call('runs.start', { definition, workspace })).runId
}

const openName = 'open-session'
const openSource = JSON.stringify({
  id: openName,
  initial: 'work',
  states: {
    work: { instructions: 'Everything is allowed.', on: { DONE: 'done' } },
    done: { type: 'final' },
  },
})

/** A definition that allows everything: the box holds all the same. */
async function openDefinition({ remote }: RunRequest): Promise<string> {
  try {
    await remote.call('definitions.read', { id: openName })
  } catch (thrown) {
    const isUnknown = thrown instanceof PawlProblem && thrown.code === 'DEFINITION_UNKNOWN'
    if (!isUnknown) throw thrown
    await remote.call('definitions.create', { source: openSource, format: 'json' })
  }
  return openName
}

type Environment = NonNullable<Io['env']>

function shellOf(env: Environment): string {
  const { SHELL } = env
  return SHELL !== undefined && isAbsolute(SHELL) ? SHELL : '/bin/sh'
}

/** Of everybody's environment: how things look, and where programs are. */
const plainNames = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'COLORTERM', 'LANG', 'TZ']
const plainPrefixes = ['LC_', 'NO_COLOR', 'FORCE_COLOR', 'CI']

function variablesFor(
  env: Environment,
  host: AgentHostId | null,
  named: readonly string[],
): OperationRequest<'boxes.open'>['environment'] {
  const prefixes = [...plainPrefixes, ...(host === null ? [] : agentHosts[host].box.variables)]
  const isPassed = (name: string): boolean =>
    plainNames.includes(name) ||
    named.includes(name) ||
    prefixes.some((one) => name.startsWith(one))
  const passed = Object.entries(env).filter(([name]) => isPassed(name))
  return Object.fromEntries(passed.flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
}

function modelUrlOf(host: AgentHostId | null, env: Environment): string | null {
  const name = host === null ? null : agentHosts[host].model.baseUrlVariable
  return typeof name === 'string' ? (env[name] ?? null) : null
}

/** Where the program and what it is made of lie, links resolved. */
function programPaths(program: string, env: Environment): string[] {
  const folders = isAbsolute(program) ? [''] : (env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const path = join(folder, program)
    try {
      const real = realpathSync(path)
      const at = real.indexOf(`${sep}node_modules${sep}`)
      const base = at < 0 ? dirname(real) : real.slice(0, at + `${sep}node_modules`.length)
      return [...new Set([dirname(path), base])].filter(isAbsolute)
    } catch {
      // Not in this folder.
    }
  }
  return []
}
