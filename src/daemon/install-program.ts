/**
 * Installs one of our C programs atomically: the prebuilt one of the package if it fits this
 * machine, else one that is compiled here.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../home/private-file.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { cleanEnvironment } from './clean-environment.ts'
import {
  compileArgs,
  hashOfText,
  type NativeProgram,
  type PrebuiltProgram,
} from './native-programs.ts'

/** From the package; or compiled, with everything in it or against libraries of the system. */
type ProgramKind = 'prebuilt' | 'static' | 'dynamic'
type InstalledProgram =
  | { readonly kind: ProgramKind; readonly why: null }
  | { readonly kind: null; readonly why: string }

type Installing = {
  readonly program: NativeProgram
  readonly path: string
  /** Null: none fits. */
  readonly prebuilt: PrebuiltProgram | null
  /** Null: none was found. */
  readonly compiler: string | null
  /** What is wrong with a program that was made; empty: nothing. */
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

/** Puts the program in place, or tells why there is none. */
export async function installProgram(installing: Installing): Promise<InstalledProgram> {
  const { path } = installing
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  try {
    const whys: string[] = []
    for (const [kind, make] of waysToMake(installing)) {
      const why = (await make(draft)) || (await installing.whyUseless(draft))
      if (why !== '') {
        whys.push(why)
        continue
      }
      chmodSync(draft, programMode)
      renameSync(draft, path)
      return { kind, why: null }
    }
    return { kind: null, why: [...new Set(whys)].join('; ') }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Makes a draft; tells what went wrong, or nothing. */
type Make = (draft: string) => Promise<string>

function waysToMake(installing: Installing): readonly (readonly [ProgramKind, Make])[] {
  const { prebuilt } = installing
  const compiled = (['static', 'dynamic'] as const).map(
    (kind) => [kind, (draft: string) => compile(installing, kind, draft)] as const,
  )
  if (prebuilt === null) return compiled
  return [['prebuilt', async (draft) => copyPrebuilt(prebuilt, draft)], ...compiled]
}

/** INVARIANT: what is verified is what is written, not a file that may change in between. */
function copyPrebuilt({ path, sha256 }: PrebuiltProgram, draft: string): string {
  if (!existsSync(path)) return `\`${path}\` is missing from the package`
  const bytes = readFileSync(path)
  if (hashOfText(bytes) !== sha256) return `\`${path}\` is not the file that was packed`
  writeFileSync(draft, bytes, { mode: programMode })
  return ''
}

async function compile(
  { program, compiler }: Installing,
  kind: 'static' | 'dynamic',
  draft: string,
): Promise<string> {
  if (compiler === null) return 'no C compiler was found'
  const { code, stderr } = await runProgram(compiler, compileArgs(program, kind, draft))
  return code === 0 ? '' : `\`${compiler}\` ended with ${code}: ${stderr}`
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
