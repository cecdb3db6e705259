/**
 * Runs a command in a temporary folder under `strace` and lists every program it tried to start.
 * Only stub programs are in PATH; the user has no rights, the environment is empty, and time,
 * processes and file sizes are limited.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { getuid, kill } from 'node:process'
import {
  isListed,
  type ListName,
  longList,
  moreStrangers,
  namesOf,
  readingPrograms,
  realPrograms,
  strangers,
} from './allow-lists.ts'

/** Nobody: a user that owns nothing. */
const nobody = 65_534
const runMsMax = 2_000
const blowsMax = 1_000
const attemptsMax = 4

const standardFolders: ReadonlySet<string> = new Set(['/bin', '/usr/bin', '/sbin', '/usr/sbin'])

export type Sandbox = {
  readonly root: string
  /** Stubs, for commands that a list allows. */
  readonly bin: string
  /** The programs themselves, for those of a stage that only reads. */
  readonly tools: string
  readonly isRoot: boolean
}

/** What a command did. */
export type Traced = { readonly started: readonly Started[]; readonly changed: readonly string[] }

/** A program that was started, or would have been if it existed. */
export type Started = { readonly path: string; readonly words: readonly string[] }

/** Why commands cannot be traced here; null: they can. */
export function traceProblem(): string | null {
  const tried = spawnSync('strace', ['-f', '-e', 'trace=execve', 'true'], { encoding: 'utf8' })
  if (tried.error !== undefined) return '`strace` is not installed'
  if (tried.status !== 0) return `\`strace\` may not trace here: ${tried.stderr.slice(0, 120)}`
  return findProgram('bash') === null ? '`bash` is not installed' : null
}

/** A folder with the stub programs, to be removed with `closeSandbox`. */
export function openSandbox(): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'pawl-shell-fuzz-'))
  const bin = join(root, 'bin')
  mkdirSync(bin)
  const stub = findProgram('true')
  if (stub === null) throw new Error('there is no `true` to make stubs of')
  const names = [...namesOf(longList), ...strangers, ...moreStrangers, 'pawl-not-found']
  for (const name of new Set(names)) {
    const real = realPrograms.includes(name) ? findProgram(name) : null
    if (/^[\w[-]+$/.test(name)) symlinkSync(real ?? stub, join(bin, name))
  }
  const tools = join(root, 'tools')
  mkdirSync(tools)
  for (const name of readingPrograms) {
    const real = findProgram(name)
    if (real !== null) symlinkSync(real, join(tools, name))
  }
  chmodSync(root, 0o755)
  return { root, bin, tools, isRoot: getuid?.() === 0 }
}

/** Removes all of it. */
export function closeSandbox(sandbox: Sandbox): void {
  rmSync(sandbox.root, { recursive: true, force: true })
}

function findProgram(name: string): string | null {
  for (const folder of ['/usr/bin', '/bin', '/usr/local/bin']) {
    const path = join(folder, name)
    if (existsSync(path)) return path
  }
  return null
}

let foldersCount = 0

/** A workspace with a few files, the names among them that a careless `xargs` would run. */
function openWorkspace({ root, isRoot }: Sandbox): string {
  foldersCount += 1
  const folder = join(root, `w${foldersCount}`)
  mkdirSync(join(folder, 'src'), { recursive: true })
  // A listed shell may run any file, so that the files say nothing but listed commands.
  const files = {
    'a.txt': 'ls\necho two\n',
    'b c.txt': 'ls\n',
    'names.txt': 'evil\nrm\n',
    'src/main.js': 'ls\n',
    'script.sh': 'ls\n',
    evil: '#!/bin/true\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  chmodSync(join(folder, 'evil'), 0o755)
  if (isRoot) {
    const owned = ['', 'src', ...Object.keys(files)].map((name) => join(folder, name))
    for (const path of owned) chownSync(path, nobody, nobody)
  }
  return folder
}

/** Every program that the command starts or tries to start, beside the shell that reads it. */
export async function traceCommand(
  sandbox: Sandbox,
  command: string,
  list: ListName = 'long',
): Promise<Traced> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const { started, changed } = await traceOnce(sandbox, command, list)
    // WHY: no shell, no answer: the machine was out of processes, which passes.
    if (started.length > 0) return { started: started.slice(1), changed }
    await new Promise((resolve) => setTimeout(resolve, runMsMax / 4))
  }
  throw new Error(`the shell never started for ${JSON.stringify(command.slice(0, 200))}`)
}

async function traceOnce(sandbox: Sandbox, command: string, list: ListName): Promise<Traced> {
  const cwd = openWorkspace(sandbox)
  const path = list === 'reading' ? sandbox.tools : sandbox.bin
  const before = filesIn(cwd)
  const out = `${cwd}.trace`
  writeFileSync(out, '')
  if (sandbox.isRoot) chownSync(out, nobody, nobody)
  const [program, ...args] = tracedBy([join(sandbox.bin, 'bash'), '-c', command], out)
  const child = spawn(program as string, args, {
    cwd,
    // WHY: the handler tells of names that have no stub; bash would only look them up.
    env: {
      PATH: path,
      HOME: cwd,
      'BASH_FUNC_command_not_found_handle%%': `() { ${sandbox.bin}/pawl-not-found "$@"; }`,
    },
    stdio: 'ignore',
    detached: true,
    ...(sandbox.isRoot ? { uid: nobody, gid: nobody } : {}),
  })
  await ended(child)
  const text = readFileSync(out, 'utf8')
  const changed = list === 'reading' ? differences(before, filesIn(cwd)) : []
  rmSync(cwd, { recursive: true, force: true })
  rmSync(out, { force: true })
  return { started: startedIn(text), changed }
}

/** Every file and folder below one, with what is in it. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    files.set(relative(folder, path), entry.isFile() ? readFileSync(path, 'latin1') : 'no file')
  }
  return files
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name))
}

/** The command with its tracer and its limits in front, all by their full names. */
function tracedBy(shell: readonly string[], out: string): readonly string[] {
  const strace = findProgram('strace') ?? 'strace'
  const prlimit = findProgram('prlimit')
  const limits = ['--nproc=400', '--fsize=1048576', '--cpu=3', '--core=0']
  const options = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-s',
    '200',
    '-e',
    'trace=execve,execveat',
    '-e',
    'signal=none',
  ]
  const traced = [strace, ...options, '-o', out, ...shell]
  return prlimit === null ? traced : [prlimit, ...limits, ...traced]
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => endGroup(child), runMsMax)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('close', () => {
      clearTimeout(timer)
      endGroup(child)
      resolve()
    })
  })
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    // WHY: a group that keeps forking is not over after one blow.
    for (let blow = 0; blow < blowsMax; blow += 1) kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left: that is what was wanted.
  }
}

/** The programs in the output of strace, in order. */
export function startedIn(trace: string): Started[] {
  const started: Started[] = []
  for (const line of trace.split('\n')) {
    const call = /\bexecve(?:at)?\((?:[\w-]+, )?"((?:[^"\\]|\\.)*)"(?:\.\.\.)?, \[(.*)$/.exec(line)
    if (call === null) continue
    const words = [...(call[2] ?? '').matchAll(/"((?:[^"\\]|\\.)*)"(\.\.\.)?(?=,|\])/g)]
    started.push({ path: call[1] ?? '', words: words.map((found) => found[1] ?? '') })
  }
  return started
}

/** What was started and is on no entry of the list, as a person would write it. */
export function unlistedIn(
  sandbox: Sandbox,
  started: readonly Started[],
  list: readonly string[],
): string[] {
  return started.flatMap(({ path, words }) => {
    // WHY: `env -i ls` and `command -p ls` look the bare name up in the system's own folders.
    const isStandard = !(words[0] ?? '/').includes('/') && standardFolders.has(dirname(path))
    const isStub = dirname(path) === sandbox.bin
    const name = isStub || isStandard ? basename(path) : path
    if (name === 'pawl-not-found') {
      const wanted = words.slice(1)
      return isListed(wanted, list) ? [] : [wanted.join(' ')]
    }
    const ran = [name, ...words.slice(1)]
    return isListed(ran, list) ? [] : [ran.join(' ')]
  })
}
