/**
 * An isolated environment for one host: a project, a home for the host, a data directory for Pawl,
 * and `pawl` as a person would call it there. Nothing of the real user is read or changed.
 * Knows folders and processes. Must not know canaries.
 */
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClient } from '../client/open-client.ts'
import { agentHosts, type ProvableHostId } from '../core/hosts/registry.ts'
import { hostEnv, prepareHome } from './hosts/drive.ts'

export type CommandResult = { readonly code: number; readonly out: string; readonly err: string }

export type SandboxEnv = {
  readonly host: ProvableHostId
  /** The program of the host. */
  readonly program: string
  readonly root: string
  readonly project: string
  readonly home: string
  readonly pawlHome: string
  /** What the host's process has beside its own variables. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `pawl` in the project, as a person. */
  readonly pawl: (...args: readonly string[]) => Promise<CommandResult>
  /** The same, where it must go well; gives what it printed. */
  readonly mustPawl: (...args: readonly string[]) => Promise<string>
  /** Runs git in the project; where there is none, what needs it will be seen not to work. */
  readonly git: (...args: readonly string[]) => Promise<CommandResult>
  /** A client of the daemon, as a person; whoever opens it closes it. */
  readonly openClient: () => Client
  /** The daemon, by its note; null: there is none. */
  readonly daemonPid: () => number | null
  readonly signalDaemon: (signal: NodeJS.Signals) => void
  readonly close: () => Promise<void>
}

export type SandboxRequest = {
  readonly host: ProvableHostId
  readonly program: string
  /** How `pawl` is started: a program and its first arguments. */
  readonly pawl: readonly [string, ...string[]]
  /** Where programs are found beside those of Pawl and the host; left out: on our PATH. */
  readonly path?: string
}

const pawlMsMax = 60_000

/** Makes a world; whoever opens it closes it. */
export async function openSandboxEnv(request: SandboxRequest): Promise<SandboxEnv> {
  const { host, program, pawl } = request
  // WHY the real path: hosts resolve links, and a project under another name is another project.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-prove-')))
  const project = join(root, 'project')
  const home = join(root, 'home')
  const pawlHome = join(root, 'pawl')
  for (const folder of [project, home]) mkdirSync(folder)
  prepareHome(host, { project, home })
  const own = hostEnv(host, { project, home })
  const PATH = [putProgram(root, pawl), dirname(program), request.path ?? own.PATH].join(delimiter)
  const env = { PATH, PAWL_HOME: pawlHome }
  const start = (command: readonly string[]): Promise<CommandResult> =>
    run(command, { cwd: project, env: { ...own, ...env } })
  const call = (...args: readonly string[]): Promise<CommandResult> => start([...pawl, ...args])
  const who = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com']
  const git: SandboxEnv['git'] = (...args) => start(['git', ...who, ...args])
  await git('init', '-q')
  const daemonPid = (): number | null => readPid(join(pawlHome, 'daemon.json'))
  const signalDaemon = (signal: NodeJS.Signals): void => {
    const pid = daemonPid()
    if (pid !== null) signalTo(pid, signal)
  }
  return {
    ...{ host, program, root, project, home, pawlHome, env, daemonPid, signalDaemon },
    pawl: call,
    git,
    openClient: () => {
      const { http } = JSON.parse(readFileSync(join(pawlHome, 'daemon.json'), 'utf8'))
      const token = readFileSync(join(pawlHome, 'person.token'), 'utf8').trim()
      return openClient({ url: http, token })
    },
    mustPawl: async (...args) => {
      const { code, out, err } = await call(...args)
      if (code !== 0) throw new Error(`\`pawl ${args.join(' ')}\` gave ${code}: ${err}${out}`)
      return out
    },
    close: async () => {
      signalDaemon('SIGKILL')
      await endRest(root)
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

const endMs = 200

/**
 * Ends what works on data in a folder and has not left word: a hook of the last moment may have
 * started a daemon that is still on its way. Elsewhere than on Linux nobody tells of them.
 */
async function endRest(root: string): Promise<void> {
  if (process.platform !== 'linux') return
  const mark = `PAWL_HOME=${root}/`
  // WHY twice: one that was just being started shows its environment a moment later.
  for (let looks = 0; looks < 2; looks += 1) {
    for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
      const env = fileText(join('/proc', name, 'environ'))?.split('\0') ?? []
      if (env.some((one) => one.startsWith(mark))) signalTo(Number(name), 'SIGKILL')
    }
    await sleep(endMs)
  }
}

/** `pawl` as a program on the PATH, for people and for the agent's shell; gives its folder. */
function putProgram(root: string, pawl: readonly string[]): string {
  const folder = join(root, 'bin')
  mkdirSync(folder)
  const words = pawl.map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  writeFileSync(join(folder, 'pawl'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return folder
}

/** A file of the project, made with its folders. */
export function putFile(world: SandboxEnv, name: string, text: string): string {
  const path = join(world.project, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** The file that holds the hooks of a host: in the project, or in the settings of its user. */
export function hooksPathOf({ host, project, home }: SandboxEnv): string {
  const { hooksFile, userHooks } = agentHosts[host]
  if (typeof hooksFile === 'string') return join(project, hooksFile)
  return 'none' in userHooks ? '' : join(home, userHooks.folder, userHooks.file)
}

/** The text of a file; null: there is none. */
export function fileText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not there, which is what was asked.
    return null
  }
}

function readPid(path: string): number | null {
  const text = fileText(path)
  const pid = text === null ? null : JSON.parse(text).pid
  return Number.isSafeInteger(pid) ? pid : null
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (fault) {
    // It has ended already.
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}

type Running = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

function run(
  [program = '', ...args]: readonly string[],
  { cwd, env }: Running,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: pawlMsMax, maxBuffer: 16 * 1024 * 1024 }
    execFile(program, args, options, (fault, out, err) => {
      const code = fault === null ? 0 : typeof fault.code === 'number' ? fault.code : 127
      resolve({ code, out, err: fault === null || err !== '' ? err : fault.message })
    })
  })
}
