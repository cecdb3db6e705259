/**
 * Commands that only read, as a list of what is allowed: programs, and for each the options and
 * the kinds of words it may have. Anything else is no reading form, whatever it would do. They
 * stand in for the tools `Read`, `Grep`, `Glob` and `LS` where a host lacks them, and behind a
 * pipe they need no entry on a list of commands.
 * Knows programs. Must not know hosts, stages or the disk.
 */
import { findForm } from './find-form.ts'
import { type FoundOptions, harmlessOptions, type KnownOptions } from './harmless-options.ts'
import type { SimpleCommand } from './shell-reading.ts'

/** The tool that a command stands in for. */
export type LookingTool = 'Read' | 'Grep' | 'Glob'

export type ReadingForm = {
  /** Null: it only changes what it is fed with. */
  readonly tool: LookingTool | null
  /** The files and folders it opens, as it names them; none: its input, which may be a pipe. */
  readonly paths: readonly string[]
  /** How far it goes down into folders to show what is in their files. */
  readonly depth: 'none' | 'visible' | 'all'
}

const count = /^\d+$/
const anything = /^/s
const size = /^[-+]?\d+[bkKMG]?$/

/** How one program reads: its options, and what its operands are. */
type Program = {
  readonly options: KnownOptions
  readonly form: (found: FoundOptions) => ReadingForm | null
}

function readsFiles(options: KnownOptions): Program {
  return { options, form: ({ operands }) => reads(operands) }
}

function reads(paths: readonly string[]): ReadingForm {
  return { tool: 'Read', paths, depth: 'none' }
}

/** It takes its input and nothing else. */
function filters(options: KnownOptions): Program {
  return {
    options,
    form: ({ operands }) => (operands.length === 0 ? filter : null),
  }
}

const filter: ReadingForm = { tool: null, paths: [], depth: 'none' }

const ends: KnownOptions = {
  flags: 'qvz',
  values: { n: size, c: size },
  longFlags: ['quiet', 'silent', 'verbose'],
  longValues: { lines: size, bytes: size },
  takesNumber: true,
}

const color = /^(auto|always|never)$/

const grepOptions: KnownOptions = {
  flags: 'EFGPivwxyncoqshHabILlTZzr',
  values: { e: anything, m: count, A: count, B: count, C: count },
  longFlags: [
    ...['ignore-case', 'invert-match', 'word-regexp', 'line-regexp', 'count', 'line-number'],
    ...['files-with-matches', 'files-without-match', 'with-filename', 'no-filename', 'quiet'],
    ...['no-messages', 'only-matching', 'silent', 'extended-regexp', 'fixed-strings', 'text'],
    ...['perl-regexp', 'basic-regexp', 'recursive', 'null', 'line-buffered', 'color', 'colour'],
  ],
  longValues: {
    regexp: anything,
    'max-count': count,
    context: count,
    'after-context': count,
    'before-context': count,
    color,
    colour: color,
    include: anything,
    exclude: anything,
    'exclude-dir': anything,
    'binary-files': /^(text|without-match|binary)$/,
  },
  takesNumber: true,
}

/** Without a place it reads its input; going down, it always has one. */
function grepForm({ found, operands }: FoundOptions): ReadingForm | null {
  const searched = behindPattern(found, operands)
  if (searched === null) return null
  const goesDown = found.has('r') || found.has('recursive')
  if (!goesDown && searched.length === 0) return filter
  const paths = searched.length === 0 ? ['.'] : searched
  return { tool: 'Grep', paths, depth: goesDown ? 'all' : 'none' }
}

function behindPattern(
  found: FoundOptions['found'],
  operands: readonly string[],
): readonly string[] | null {
  if (found.has('e') || found.has('regexp')) return operands
  return operands.length === 0 ? null : operands.slice(1)
}

/**
 * A glob of `rg` makes it enter hidden folders that the glob itself means. So its name begins with
 * a letter, or is all that ends in one suffix, and there is one such glob; `!` only leaves out.
 * Several suffixes (`*.{a,b}`) could mean a hidden folder and the files in it: only to list names.
 */
const tameGlob =
  /^(?:!.*|(?:\*\*\/|[\w@-][\w@.-]*\/)*(?:\*\.[\w.]+|\*\.\{\w+(?:,\w+)*\}|[\w@-][\w@.*-]*))$/

const rgOptions: KnownOptions = {
  flags: 'inNwxvclFsSoHIqPUap0',
  values: {
    ...{ e: anything, g: tameGlob, t: /^\w+$/, T: /^\w+$/ },
    ...{ A: count, B: count, C: count, m: count, M: count, j: count },
  },
  longFlags: [
    ...['files', 'ignore-case', 'line-number', 'no-line-number', 'word-regexp', 'line-regexp'],
    ...['count', 'count-matches', 'files-with-matches', 'files-without-match', 'smart-case'],
    ...['fixed-strings', 'case-sensitive', 'only-matching', 'no-heading', 'heading', 'column'],
    ...['with-filename', 'no-filename', 'vimgrep', 'multiline', 'pcre2', 'trim', 'no-config'],
    ...['invert-match', 'quiet', 'null', 'pretty', 'stats', 'text', 'json', 'no-messages'],
  ],
  longValues: {
    ...{ regexp: anything, glob: tameGlob, type: /^\w+$/, 'type-not': /^\w+$/ },
    ...{ 'max-count': count, 'max-depth': count, 'max-columns': count, context: count },
    ...{ 'after-context': count, 'before-context': count, color },
    ...{ sort: /^(path|none|modified|created)$/, sortr: /^(path|none|modified|created)$/ },
  },
}

/** WHY its input only behind a pipe: elsewhere it looks through the folder it stands in. */
function rgForm({ found, operands }: FoundOptions, { isPiped }: SimpleCommand): ReadingForm | null {
  const globs = [...(found.get('g') ?? []), ...(found.get('glob') ?? [])]
  if (globs.filter((glob) => !glob.startsWith('!')).length > 1) return null
  if (found.has('files')) {
    return { tool: 'Glob', paths: operands.length === 0 ? ['.'] : operands, depth: 'none' }
  }
  const searched = behindPattern(found, operands)
  if (searched === null || globs.some((glob) => glob.endsWith('}'))) return null
  if (searched.length === 0 && isPiped) return filter
  return { tool: 'Grep', paths: searched.length === 0 ? ['.'] : searched, depth: 'visible' }
}

const line = String.raw`(?:\d+|\$)`
/** `1,40p`, `5p;10q`: lines by their numbers, and nothing else. */
const sedScript = new RegExp(
  `^\\s*${line}(?:,\\+?${line})?[pq](?:\\s*;\\s*${line}(?:,\\+?${line})?[pq])*\\s*;?\\s*$`,
)

function sedForm({ found, operands }: FoundOptions): ReadingForm | null {
  if (!found.has('n') && !found.has('quiet')) return null
  const given = found.get('e')
  const [first, ...files] = operands
  const scripts = given ?? (first === undefined ? [] : [first])
  if (scripts.length === 0 || !scripts.every((script) => sedScript.test(script))) return null
  return reads(given === undefined ? files : operands)
}

const keys = /^[\d.,bdfghinMRrV]+$/
const list = /^[\d,-]+$/

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['cat', readsFiles({ flags: 'AbeEnstTuv', longFlags: ['number', 'show-all'] })],
  ['head', readsFiles(ends)],
  ['tail', readsFiles(ends)],
  [
    'nl',
    readsFiles({ values: { b: /^[atn]$/, n: /^(ln|rn|rz)$/, w: count, v: count, s: anything } }),
  ],
  ['wc', readsFiles({ flags: 'lwcmL', longFlags: ['lines', 'words', 'bytes', 'chars'] })],
  [
    'sed',
    { options: { flags: 'nEr', longFlags: ['quiet'], values: { e: anything } }, form: sedForm },
  ],
  ['grep', { options: grepOptions, form: grepForm }],
  ['egrep', { options: grepOptions, form: grepForm }],
  ['fgrep', { options: grepOptions, form: grepForm }],
  [
    'ls',
    {
      options: {
        flags: 'laAhtr1RdFpSsgo',
        longFlags: ['all', 'almost-all', 'human-readable', 'recursive', 'reverse', 'color'],
        longValues: { color },
      },
      form: ({ operands }) => ({
        tool: 'Glob',
        paths: operands.length === 0 ? ['.'] : operands,
        depth: 'none',
      }),
    },
  ],
  [
    'sort',
    filters({
      flags: 'nrufhVbsgMd',
      values: { k: keys, t: /^.$/s },
      longFlags: ['reverse', 'unique', 'numeric-sort', 'human-numeric-sort', 'version-sort'],
    }),
  ],
  ['uniq', filters({ flags: 'cdui', values: { f: count, s: count, w: count } })],
  ['cut', filters({ flags: 's', values: { d: /^.$/s, f: list, c: list, b: list } })],
  [
    'tr',
    {
      options: { flags: 'dscCt' },
      form: ({ operands }) => (operands.length > 0 && operands.length < 3 ? filter : null),
    },
  ],
  ['tac', filters({})],
  ['rev', filters({})],
  ['fold', filters({ flags: 's', values: { w: count } })],
])

/**
 * How a command reads; null: it is no reading form.
 * WHY nothing of git: a folder that looks like a repository may set the programs that git runs.
 */
export function readingFormOf(command: SimpleCommand): ReadingForm | null {
  const { words, wild, assigns } = command
  // Names that the shell looks up may begin with a dash, and be links to anywhere.
  if (assigns.length > 0 || wild.includes(true) || words.includes(null)) return null
  const [name = '', ...rest] = words as readonly string[]
  if (name === 'find') return findForm(rest)
  if (name === 'rg') {
    const found = harmlessOptions(rest, rgOptions)
    return found === null ? null : rgForm(found, command)
  }
  const program = programs.get(name)
  const found = program === undefined ? null : harmlessOptions(rest, program.options)
  return found === null ? null : (program?.form(found) ?? null)
}

/** Whether a command only changes what a pipe feeds it with: no file is opened. */
export function isPipedFilter(command: SimpleCommand): boolean {
  if (!command.isPiped) return false
  const form = readingFormOf(command)
  return form !== null && form.paths.length === 0
}
