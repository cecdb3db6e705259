/** Compiles a program of ours on the user's machine, once, and installs it atomically. */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../home/private-file.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { cleanEnvironment } from './clean-environment.ts'

/** Compiled with everything in it, or against libraries of the system. */
type CompiledKind = 'static' | 'dynamic'
export type CompiledProgram =
  | { readonly kind: CompiledKind; readonly why: null }
  | { readonly kind: null; readonly why: string }

type Compiling = {
  readonly path: string
  readonly sources: readonly string[]
  /** Null: none was found. */
  readonly compiler: string | null
  readonly standard: 'c99' | 'gnu11'
  /** What is wrong with a program that was compiled; empty: nothing. */
  readonly whyUseless: (draft: string) => Promise<string>
}

export const programMode = 0o700
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

/** The first compiler that is there; `named`: instead of where systems have them. */
export function findCompiler(named?: readonly string[]): string | null {
  return (named ?? compilersKnown).find(isThere) ?? null
}

function isThere(compiler: string): boolean {
  const isShim = process.platform === 'darwin' && compiler.startsWith('/usr/bin/')
  return existsSync(compiler) && (!isShim || appleTools.some((one) => existsSync(one)))
}

/** Puts a compiled program in place, or tells why there is none. */
export async function compileProgram(compiling: Compiling): Promise<CompiledProgram> {
  const { path, sources, compiler, standard } = compiling
  if (compiler === null) return { kind: null, why: 'no C compiler was found' }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  const common = [`-std=${standard}`, '-O2', '-s', '-o', draft, ...sources]
  try {
    let why = ''
    for (const kind of ['static', 'dynamic'] as const) {
      const args = kind === 'static' ? ['-static', ...common] : common
      const { code, stderr } = await runProgram(compiler, args)
      const isDone = code === 0
      const useless = isDone ? await compiling.whyUseless(draft) : `${code}: ${stderr}`
      why = isDone ? useless : `\`${compiler}\` ended with ${useless}`
      if (why !== '') continue
      chmodSync(draft, programMode)
      renameSync(draft, path)
      return { kind, why: null }
    }
    return { kind: null, why }
  } finally {
    rmSync(draft, { force: true })
  }
}

type Ran = {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program with a clean environment; what it said is cut short. */
export function runProgram(file: string, args: readonly string[]): Promise<Ran> {
  const env = { ...cleanEnvironment(process.env), LC_ALL: 'C' }
  const short = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 300)
  return new Promise((resolve) => {
    execFile(file, args, { env, timeout: compileMsMax }, (fault, stdout, stderr) => {
      const code = fault === null ? 0 : (fault.code ?? fault.signal ?? errorCodeOf(fault))
      resolve({ code, stdout: short(stdout), stderr: short(stderr) })
    })
  })
}

/** What was put in place, and of what it was made. */
export type BuildStamp<Kind extends string> = {
  readonly madeOf: string
  readonly sha256: string
  readonly kind: Kind
  readonly why: string | null
}

export function readStamp<Kind extends string>(path: string): BuildStamp<Kind> | null {
  try {
    return JSON.parse(readPrivate(path) ?? 'null') as BuildStamp<Kind> | null
  } catch (fault) {
    if (fault instanceof PawlError) throw fault
    // WHY not a fault: without a stamp everything is made anew.
    return null
  }
}

export function writeStamp(path: string, stamp: BuildStamp<string>): void {
  writePrivate(path, `${JSON.stringify(stamp)}\n`)
}

/** The hash of a file; null: there is none. */
export function fileHash(path: string): string | null {
  return existsSync(path) ? hashOfText(readFileSync(path)) : null
}

export function hashOfText(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
