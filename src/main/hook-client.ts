/**
 * Puts the client of command hooks into the data directory: compiled where there is a C compiler,
 * else a shell script that starts the client in Node. Cheap where nothing has changed, so that
 * every start of the daemon may call it; what changes is replaced whole, under hooks that run.
 */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { clientName, quoteWord } from '../doors/hook/hook-command.ts'
import { codeOf } from '../runtime/code-of.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { cleanEnvironment } from './clean-environment.ts'
import type { Home } from './home.ts'
import { ensurePrivateFolder, readPrivate, writePrivate } from './private-file.ts'

export type HookClient = {
  readonly path: string
  /** Compiled with everything in it, compiled against libraries of the system, or the script. */
  readonly kind: 'static' | 'dynamic' | 'script'
  /** Why it is the script; null: it is not. */
  readonly why: string | null
}

export type HookClientMeans = {
  /** The Node that the daemon and the client in Node run on. */
  readonly node: string
  readonly program: string
  /** Compilers in the order in which they are tried; absent: where systems have them. */
  readonly cc?: readonly string[]
}

const source = join(import.meta.dirname, '..', 'doors', 'hook', 'client', 'pawl-hook.c')
const programMode = 0o700
const compileMsMax = 60_000

/**
 * WHY not PATH: it may lead into a workspace (`npm run` puts `node_modules/.bin` there), and then
 * the agent would choose the compiler of the program that judges it.
 */
const compilersKnown = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/opt/local/bin']
  .concat('/run/current-system/sw/bin')
  .flatMap((folder) => ['cc', 'gcc', 'clang'].map((name) => join(folder, name)))

/** Without Apple's tools, what stands in `/usr/bin` of a Mac only asks a person to install them. */
const appleTools = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app']

/** What was put there, and of what it was made. */
type Stamp = Made & { readonly madeOf: string; readonly sha256: string }

/** Installs the client and its settings. Faults: `FILE_UNWRITABLE`, `CONFIG_INVALID`. */
export async function installHookClient(home: Home, means: HookClientMeans): Promise<HookClient> {
  ensurePrivateFolder(home.bin)
  const path = join(home.bin, clientName)
  const stampPath = join(home.bin, 'hook.stamp')
  const confPath = join(home.bin, 'hook.conf')
  const conf = confText(home, means)
  const script = scriptText(home, means)
  const compiler = (means.cc ?? compilersKnown).find(isThere) ?? null
  const madeOf = hashOf(JSON.stringify([script, compiler, readFileSync(source, 'utf8')]))
  if (readPrivate(confPath) !== conf) writePrivate(confPath, conf)
  const stamp = readStamp(stampPath)
  const found = existsSync(path) ? hashOf(readFileSync(path)) : null
  const isOurs = stamp !== null && found === stamp.sha256
  if (isOurs && stamp.madeOf === madeOf) return { path, kind: stamp.kind, why: stamp.why }
  // WHY first: hooks work while the compiler does, however slowly.
  if (!isOurs) writePrivate(path, script, programMode)
  const made = await compile(path, compiler)
  if (made.kind === 'script') writePrivate(path, script, programMode)
  const fresh: Stamp = { madeOf, sha256: hashOf(readFileSync(path)), ...made }
  writePrivate(stampPath, `${JSON.stringify(fresh)}\n`)
  return { path, ...made }
}

function isThere(compiler: string): boolean {
  const isShim = process.platform === 'darwin' && compiler.startsWith('/usr/bin/')
  return existsSync(compiler) && (!isShim || appleTools.some((one) => existsSync(one)))
}

function confText(home: Home, { node, program }: HookClientMeans): string {
  const lines = { socket: home.hookSocket, token: home.tokens.agent, node, program }
  const whole = Object.entries({ ...lines, home: home.folder })
  for (const [name, path] of whole) {
    if (!/[\n\0]/.test(path)) continue
    throw new PawlError('CONFIG_INVALID', `the path of the ${name} holds the end of a line`, {
      hint: 'name another folder with PAWL_HOME, or move Pawl',
    })
  }
  return whole.map(([name, path]) => `${name} ${path}\n`).join('')
}

/** What could change Node before Pawl has a say; the compiled client drops all that begin so. */
const unwanted =
  'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DEBUG ' +
  'LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH'

function scriptText(home: Home, { node, program }: HookClientMeans): string {
  return [
    '#!/bin/sh',
    "# Pawl's client of hooks, where no other could be made: starts the one in Node.",
    `unset ${unwanted}`,
    `PAWL_HOME=${quoteWord(home.folder)}`,
    'export PAWL_HOME',
    `exec ${quoteWord(node)} ${quoteWord(program)} hook "$@"`,
    '',
  ].join('\n')
}

type Made = Pick<HookClient, 'kind' | 'why'>

/** Puts a compiled client in place, or tells why it has to be the script. */
async function compile(path: string, compiler: string | null): Promise<Made> {
  if (compiler === null) return { kind: 'script', why: 'no C compiler was found' }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  const common = ['-std=c99', '-O2', '-s', '-o', draft, source]
  try {
    let why = ''
    for (const kind of ['static', 'dynamic'] as const) {
      const args = kind === 'static' ? ['-static', ...common] : common
      const { code, said } = await run(compiler, args)
      why = code === 0 ? await whyUseless(draft) : `\`${compiler}\` ended with ${code}: ${said}`
      if (why !== '') continue
      chmodSync(draft, programMode)
      renameSync(draft, path)
      return { kind, why: null }
    }
    return { kind: 'script', why }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Without arguments it has to refuse: it runs here, and it is what we think it is. */
async function whyUseless(draft: string): Promise<string> {
  const { code, said } = await run(draft, [])
  const isGood = code === 2 && said.startsWith('Pawl: blocked: ')
  return isGood ? '' : `what was compiled does not run: ${code} ${said}`
}

type Ran = { readonly code: number | string; readonly said: string }

function run(file: string, args: readonly string[]): Promise<Ran> {
  const env = { ...cleanEnvironment(process.env), LC_ALL: 'C' }
  return new Promise((resolve) => {
    execFile(file, args, { env, timeout: compileMsMax }, (fault, _, stderr) => {
      const said = stderr.replace(/\s+/g, ' ').trim().slice(0, 300)
      resolve({ code: fault === null ? 0 : (fault.code ?? fault.signal ?? codeOf(fault)), said })
    })
  })
}

function readStamp(path: string): Stamp | null {
  try {
    return JSON.parse(readPrivate(path) ?? 'null') as Stamp | null
  } catch (fault) {
    if (fault instanceof PawlError) throw fault
    // WHY not a fault: without a stamp everything is made anew.
    return null
  }
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
