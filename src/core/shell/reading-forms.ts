/**
 * Commands that only read, as a list of what is allowed: programs, and for each the options and
 * the kinds of words it may have (`reading-forms.json`). Anything else is no reading form, whatever
 * it would do. They stand in for the tools `Read`, `Grep`, `Glob` and `LS` where a host lacks them,
 * and behind a pipe they need no entry on a list of commands.
 * Knows programs. Must not know hosts, stages or the disk.
 */
import { type ProgramArgument, programArguments } from './read-arguments.ts'
import table from './reading-forms.json' with { type: 'json' }
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

/** How one program reads: its harmless options, and what its operands are. */
type Program = {
  readonly flags: ReadonlySet<string>
  /** What the values of the others may be. */
  readonly values: ReadonlyMap<string, RegExp>
  readonly form: FormName
}

/** Options that are all harmless, with their values, and operands. */
type FoundOptions = {
  readonly found: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
}

type FormName = keyof typeof forms

function reads(paths: readonly string[]): ReadingForm {
  return { tool: 'Read', paths, depth: 'none' }
}

const filter: ReadingForm = { tool: null, paths: [], depth: 'none' }

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

/** Places in front, then tests. */
function findForm({ operands }: FoundOptions, { words }: SimpleCommand): ReadingForm | null {
  const begin = words.findIndex((word) => /^[-(!]/.test(word ?? ''))
  const places = words.slice(1, begin < 0 ? undefined : begin) as readonly string[]
  const signs = operands.filter((operand) => /^[(!)]$/.test(operand))
  if (places.length + signs.length < operands.length) return null
  return { tool: 'Glob', paths: places.length === 0 ? ['.'] : places, depth: 'none' }
}

const forms = {
  files: ({ operands }: FoundOptions) => reads(operands),
  find: findForm,
  /** It takes its input and nothing else. */
  filter: ({ operands }: FoundOptions) => (operands.length === 0 ? filter : null),
  grep: grepForm,
  names: ({ operands }: FoundOptions): ReadingForm => ({
    tool: 'Glob',
    paths: operands.length === 0 ? ['.'] : operands,
    depth: 'none',
  }),
  rg: rgForm,
  sed: sedForm,
  tr: ({ operands }: FoundOptions) => (operands.length > 0 && operands.length < 3 ? filter : null),
} satisfies Readonly<
  Record<string, (found: FoundOptions, command: SimpleCommand) => ReadingForm | null>
>

/**
 * What the values in the table may be.
 * WHY `glob` is strict: a glob of `rg` makes it enter hidden folders that the glob itself means. So
 * its name begins with a letter, or is all that ends in one suffix, and there is one such glob; `!`
 * only leaves out. Several suffixes (`*.{a,b}`) could mean a hidden folder and the files in it:
 * only to list names.
 */
const valueKinds = new Map(
  Object.entries(table.values).map(([kind, pattern]) => [kind, new RegExp(pattern)]),
)
const nothing = /(?!)/

/** A program as the table says it. */
type RawForm = {
  readonly like?: string
  readonly form?: string
  readonly flags?: string
  readonly values?: string
}

const raws: Readonly<Record<string, RawForm>> = table.programs
const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries(raws).map(([name, raw]) => [name, programOf(raws[raw.like ?? ''] ?? raw)]),
)

function programOf({ form, flags = '', values = '' }: RawForm): Program {
  const pairs = values.split(' ').map((pair) => pair.split(':'))
  return {
    flags: new Set(flags.split(' ')),
    values: new Map(pairs.map(([name = '', kind = '']) => [name, valueKinds.get(kind) ?? nothing])),
    form: form as FormName,
  }
}

/**
 * How a command reads; null: it is no reading form.
 * WHY nothing of git: a folder that looks like a repository may set the programs that git runs.
 */
export function readingFormOf(command: SimpleCommand): ReadingForm | null {
  const { words, wild, assigns } = command
  // Names that the shell looks up may begin with a dash, and be links to anywhere.
  if (assigns.length > 0 || wild.includes(true) || words.includes(null)) return null
  const program = programs.get(words[0] ?? '')
  const found = program === undefined ? null : harmlessOptions(command, program)
  return program === undefined || found === null ? null : forms[program.form](found, command)
}

/** The options of a command, if all of them are harmless; an abbreviation is not known. */
function harmlessOptions(command: SimpleCommand, program: Program): FoundOptions | null {
  const read = programArguments(command)
  if (read === null || read.unknown !== null) return null
  const found = new Map<string, readonly string[]>()
  for (const option of read.options) {
    if (!isHarmless(option, command, program)) return null
    const { name, value } = option
    found.set(name, [...(found.get(name) ?? []), value ?? ''])
  }
  return { found, operands: read.operands.map(({ start }) => start) }
}

function isHarmless(
  { name, value, at }: ProgramArgument,
  { words }: SimpleCommand,
  { flags, values }: Program,
): boolean {
  const written = words[at]?.replace(/^-+|=.*$/gs, '') ?? ''
  if (value === null || (name.length > 1 && written !== name)) return false
  return (value === '' && flags.has(name)) || values.get(name)?.test(value) === true
}

/** Whether a command only changes what a pipe feeds it with: no file is opened. */
export function isPipedFilter(command: SimpleCommand): boolean {
  if (!command.isPiped) return false
  const form = readingFormOf(command)
  return form !== null && form.paths.length === 0
}
