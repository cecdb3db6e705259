/**
 * What tests of the daemon share: a data directory of its own, command lines that use it, and
 * processes that end with the test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { View } from '../core/dialects/run-view.ts'
import type { DaemonNote } from '../daemon/daemon-file.ts'
import { run } from '../doors/cli/dispatch-verb.ts'
import type { Io } from '../doors/cli/io.ts'
import { homeOf, openHome } from '../home/home.ts'
import { hookSecretOf } from '../home/hook-secrets.ts'
import { writeInstalls } from '../home/installs.ts'
import type { RunHead } from '../runtime/ports.ts'
import { nodeProblem } from './node-version.ts'
import { openDaemonDoor } from './open-daemon-door.ts'

/** WHY: by hand, vitest may run on a Node that can't run the program; see vitest.config.ts. */
export const isOurNode = nodeProblem(process.version) === null

export const program = join(import.meta.dirname, 'pawl.ts')

export type CliResult = { readonly code: number; readonly out: string; readonly err: string }

export type House = {
  /** The data directory. */
  readonly folder: string
  /** A folder to work in. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command line in the workspace, in this process. */
  readonly cli: (...args: string[]) => Promise<CliResult>
  /** Runs one, expects that it goes well, and gives its JSON. */
  readonly json: (...args: string[]) => Promise<JsonOutput>
  /** Starts the program as a process of its own. */
  readonly start: (args: readonly string[], more?: Started) => Process
  /** What `daemon.json` says; null: there is none. */
  readonly note: () => DaemonNote | null
  readonly log: () => string
  /** Ends the daemon, every process, and the folders. */
  readonly close: () => Promise<void>
}

type Started = {
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArgs?: readonly string[]
}

export type Process = {
  readonly child: ChildProcess
  readonly pid: number
  readonly ended: Promise<CliResult & { readonly signal: string | null }>
  /** What it has said so far. */
  readonly said: () => string
}

/** Whatever a verb answers, as far as tests look into it. */
export type JsonOutput = {
  readonly runId: string
  readonly credential: string
  readonly head: RunHead
  readonly view: View
  readonly items: readonly Item[]
  readonly next: unknown
  readonly definition: object
  readonly source: string
  readonly pid: number
  readonly found: readonly string[]
  readonly waitersCount: number
  readonly runsCount: number
}
type Item = {
  readonly id: string
  readonly seq: number
  readonly stage: string
  readonly status: string
}

/** The program as it stands in the sources. */
const fromSources: readonly string[] = [process.execPath, program]

/** A new, empty data directory; `command` is how the program is started. */
export function openHouse(
  env: Readonly<Record<string, string>> = {},
  command: readonly string[] = fromSources,
): House {
  const root = mkdtempSync(join(tmpdir(), 'pawl-d-'))
  const folder = join(root, 'home')
  const workspace = join(root, 'work')
  mkdirSync(workspace)
  const whole = { PATH: process.env.PATH ?? '', HOME: root, PAWL_HOME: folder, ...env }
  const processes: Process[] = []
  const note = (): DaemonNote | null => {
    const path = join(folder, 'daemon.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DaemonNote) : null
  }
  const cli = (...args: string[]): Promise<CliResult> => runIn(workspace, whole, args)
  return {
    folder,
    workspace,
    env: whole,
    cli,
    json: async (...args) => {
      const { code, out, err } = await cli(...args, '--json')
      if (code !== 0) throw new Error(`pawl ${args.join(' ')} gave ${code}: ${out}${err}`)
      return JSON.parse(out)
    },
    start: (args, more = {}) => {
      const [name = '', ...rest] = command
      const line = [name, ...(more.nodeArgs ?? []), ...rest, ...args]
      const started = startIn(workspace, { ...whole, ...more.env }, line)
      processes.push(started)
      return started
    },
    note,
    log: () => readFileSync(join(folder, 'daemon.log'), 'utf8'),
    close: async () => {
      await cli('stop').catch(() => null)
      for (const one of processes) one.child.kill('SIGKILL')
      await Promise.all(processes.map((one) => one.ended))
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function runIn(
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<CliResult> {
  let out = ''
  let err = ''
  const io: Io = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    hasColour: false,
    isTerminal: false,
    columns: 100,
    cwd,
    input: Readable.from([]),
    daemon: openDaemonDoor(env, cwd),
  }
  const code = await run(args, io)
  return { code, out, err }
}

function startIn(
  cwd: string,
  env: Readonly<Record<string, string>>,
  [name = '', ...args]: readonly string[],
): Process {
  const child = spawn(name, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }))
  return { child, pid: child.pid ?? 0, ended, said: () => out + err }
}

/** Lets one client with `agent.token` work on many runs, as `credentials.sharedAgentToken` does. */
export function shareAgentToken(house: House, more: object = {}): House {
  mkdirSync(house.folder, { recursive: true, mode: 0o700 })
  const config = { credentials: { sharedAgentToken: true }, ...more }
  writeFileSync(join(house.folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  return house
}

/** Gives the hooks of a folder their secret, as `pawl init` would, without any settings. */
export function installHooksIn({ env, workspace }: House, ...folders: readonly string[]): void {
  const install = { host: 'claude', hostVersion: null, wire: 'command', at: 0 } as const
  const home = homeOf(env, workspace)
  openHome(home)
  const all = [workspace, ...folders]
  writeInstalls(home, [
    ...all.map((folder) => ({ ...install, workspace: folder, files: [], folders: [] })),
    { ...install, workspace: '/home/ada', scope: 'user', files: [], folders: [] },
  ])
}

/** The secret for hooks of a folder. */
export function hookSecretIn({ env, workspace }: House, folder = workspace): string {
  return hookSecretOf(homeOf(env, workspace), folder) ?? ''
}

const untilMsMax = 60_000

/** Waits until something is so. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + untilMsMax; performance.now() < end; ) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`it did not come to pass: ${what}`)
}

/** A workflow with a gate that lets a value be set, and an end. */
export const release = {
  id: 'release',
  initial: 'plan',
  meta: { debug: true },
  states: {
    plan: { instructions: 'Plan it.', allowed_tools: ['Read'], on: { READY: 'build' } },
    build: {
      instructions: 'Build it.',
      allowed_tools: ['Read', 'Edit'],
      max_iterations: 5,
      on: {
        SHIP: {
          target: 'done',
          requires_approval: true,
          approval_message: 'ship it?',
          approval_editable: ['version'],
        },
        BACK: 'plan',
      },
    },
    done: { type: 'final' },
  },
}
