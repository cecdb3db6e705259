/**
 * Our programs that are written in C: what they are made of, and how they are compiled. Used where
 * they are installed, and by `scripts/prebuild.mjs`, which compiles them for the package.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type NativeProgram = {
  readonly name: string
  readonly sources: readonly string[]
  readonly standard: 'c99' | 'gnu11'
  /** Files beside the sources that they include. */
  readonly headers: readonly string[]
}

/** `src` or `dist`: `scripts/build.mjs` copies the sources to the same places. */
const tree = join(import.meta.dirname, '..')

export const hookClientProgram: NativeProgram = {
  name: 'pawl-hook',
  sources: [join(tree, 'doors', 'hook', 'client', 'pawl-hook.c')],
  standard: 'c99',
  headers: [],
}

const jobParts = [
  ...['', '-words', '-chain', '-inner', '-box', '-filter', '-tree', '-relay', '-landlock'],
  ...[
    '-supervise',
    '-session',
    '-files',
    '-record',
    '-covers',
    '-look',
    '-list',
    '-git',
    '-stat',
    '-hold',
    '-digest',
    '-keep',
    '-peer',
  ],
]

export const jobHelperProgram: NativeProgram = {
  name: 'pawl-job',
  sources: jobParts.map((part) => join(tree, 'runner', `pawl-job${part}.c`)),
  standard: 'gnu11',
  headers: ['pawl-job.h', 'pawl-job-look.h'].map((name) => join(tree, 'runner', name)),
}

/** Changes when a source or header of the program does. */
export function sourcesHash({ sources, headers }: NativeProgram): string {
  const texts = [...sources, ...headers].map((path) => readFileSync(path, 'utf8'))
  return hashOfText(JSON.stringify(texts))
}

/** The arguments of a C compiler that make the program, with everything in it or not. */
export function compileArgs(
  { sources, standard }: NativeProgram,
  kind: 'static' | 'dynamic',
  out: string,
): readonly string[] {
  const common = [`-std=${standard}`, '-O2', '-s', '-o', out, ...sources]
  return kind === 'static' ? ['-static', ...common] : common
}

/** What `scripts/prebuild.mjs` writes beside the programs, by machine and program. */
export type PrebuiltList = Readonly<
  Record<string, Readonly<Record<string, { readonly sha256: string; readonly madeOf: string }>>>
>

export const prebuiltListName = 'hashes.json'
/** Beside `src` and `dist`; not in git, but in the npm package. */
export const prebuiltFolder = join(dirname(tree), 'prebuilt')

export type PrebuiltProgram = { readonly path: string; readonly sha256: string }

/** The prebuilt program for this machine, made of the sources that are here; null: none. */
export function findPrebuilt(program: NativeProgram, folder: string): PrebuiltProgram | null {
  const listPath = join(folder, prebuiltListName)
  if (!existsSync(listPath)) return null
  const machine = `${process.platform}-${process.arch}`
  // WHY the cast: it is a file of our own package, and what it names is verified before use.
  const list = JSON.parse(readFileSync(listPath, 'utf8')) as PrebuiltList
  const known = list[machine]?.[program.name]
  if (known === undefined || known.madeOf !== sourcesHash(program)) return null
  return { path: join(folder, machine, program.name), sha256: known.sha256 }
}

/** The hash of a file; null: there is none. */
export function fileHash(path: string): string | null {
  return existsSync(path) ? hashOfText(readFileSync(path)) : null
}

export function hashOfText(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
