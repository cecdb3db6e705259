/**
 * The option grammars of programs, compiled from the tables in `programs/`: which options a program
 * has, which of them take a value and of what kind, what its operands are, and what its verbs do.
 * How a table is written is explained in docs/reference/programs.md.
 * Knows tables. Must not know commands.
 */
import names from './names.json' with { type: 'json' }
import builds from './programs/builds.json' with { type: 'json' }
import files from './programs/files.json' with { type: 'json' }
import git from './programs/git.json' with { type: 'json' }
import languages from './programs/languages.json' with { type: 'json' }
import services from './programs/services.json' with { type: 'json' }
import system from './programs/system.json' with { type: 'json' }
import text from './programs/text.json' with { type: 'json' }
import { baseName } from './wrappers.ts'

/** One option: its full name, whether it takes a value, and what the value or the flag means. */
export type OptionRule = {
  readonly name: string
  readonly takes: 'nothing' | 'value' | 'maybe' | 'two'
  /** The kind of its value; for a flag its effect; empty: harmless. */
  readonly kind: string
}

export type ProgramGrammar = {
  /** What it is for, as far as a stage that only reads is concerned. */
  readonly use: string
  /** Options that are not in the table are harmless. */
  readonly isOpen: boolean
  /** Long options have one dash: `-name`. */
  readonly isSingle: boolean
  /** The first word may be letters without a dash: `tar xf`. */
  readonly isBundle: boolean
  readonly letters: ReadonlyMap<string, OptionRule>
  readonly names: ReadonlyMap<string, OptionRule>
  readonly takesNumber: boolean
  /** Kinds of the operands, in order; the last one is repeated when it ends in `*`. */
  readonly operands: readonly string[]
  /** Options that stand in for the first operand. */
  readonly instead: ReadonlySet<string>
  readonly verbs: ReadonlyMap<string, ProgramGrammar> | null
  /** It is reached by any other verb, and that verb is its first operand. */
  readonly isOperand: boolean
  /** Some option or verb of it runs or writes something. */
  readonly isDangerous: boolean
  /** Settings by which it runs another program, loads code, or trusts somebody else. */
  readonly settings: RegExp | null
  readonly raw: RawGrammar
}

/** What a program does with variables, where its words are as the pattern says. */
export type VariablePattern = {
  /** It shows all of them, runs something without any, reads some, or takes some away. */
  readonly effect: 'lists' | 'empties' | 'reads' | 'unsets'
  /** Tested on its words in one line, `…` where one is not known; its group is the variable. */
  readonly pattern: RegExp
}

/** A program as its table says it. */
export type RawGrammar = {
  readonly use?: string
  readonly like?: string
  readonly options?: string | readonly string[]
  readonly shared?: string
  readonly open?: boolean
  readonly single?: boolean
  readonly bundle?: boolean
  readonly operands?: string
  readonly instead?: string
  readonly verbs?: Readonly<Record<string, RawGrammar | string>>
  readonly inherits?: boolean
  readonly isOperand?: boolean
  /** More operands than this change something. */
  readonly max?: number
  /** Operands change something unless an option lists. */
  readonly makes?: boolean
  /** What words behind `--` do. */
  readonly dashes?: string
  /** Which files of the work tree it changes at once. */
  readonly sweeps?: string
  /** Options that mean folders with all that is in them. */
  readonly deep?: string
  /** Words such as `of=`. */
  readonly keys?: string
  /** `no`: code that comes through its input is not read from there. */
  readonly streams?: string
  /** Kinds of the operands behind an option that tests or checks. */
  readonly tests?: string
  readonly checks?: string
  /** A verb that reads, wherever it stands. */
  readonly readsIf?: string
  /** Scripts of a project, with what they are asked to do, that only test or show. */
  readonly tasks?: string
  /** What its input is written in. */
  readonly stdin?: string
  /** The option that says where a compiler puts its result; without it, next to the sources. */
  readonly stage?: string
  /** Options end at the first operand. */
  readonly strict?: boolean
  /** It runs the words behind its own; options end there, and one that is not known hides them. */
  readonly wrapper?: boolean
  /** `NAME=value` may stand in front of what it runs. */
  readonly assigns?: boolean
  /** Settings, with or without a value, that change what it runs or trusts: a pattern, or names. */
  readonly settings?: string | SettingNames
  readonly variables?: Readonly<Partial<Record<VariablePattern['effect'], string>>>
}

/** Settings by name: `diff.*.command`, and with a dot at the end all that begin so. */
type SettingNames = {
  readonly names: readonly string[]
  /** With one of these values, or none, such a setting is harmless, except where this is in it. */
  readonly tameValues: string
  readonly exceptIn: string
}

const tables = { ...text, ...files, ...git, ...builds, ...languages, ...services, ...system }
const raws: ReadonlyMap<string, RawGrammar> = new Map(
  Object.entries(tables as unknown as Readonly<Record<string, RawGrammar>>),
)

const systemNames: ReadonlySet<string> = new Set([
  ...names.systemPrograms.split(' '),
  ...Object.keys(files).filter((name) => rawOf(name)?.use !== 'reads'),
])

/** Whether a name belongs to the system, and to no tool that a project installs. */
export function isSystemProgram(name: string): boolean {
  return systemNames.has(name)
}

const compiled = new Map<string, ProgramGrammar | null>()

/** The names of all programs that have a table. */
export const knownPrograms: readonly string[] = [...raws.keys()]

/** Programs that run another one, given in their words. */
export const wrapperNames: readonly string[] = knownPrograms.filter(
  (name) => raws.get(name)?.wrapper === true,
)

/** The grammar of a program by its name or path; null: nothing is known of it. */
export function grammarOf(program: string): ProgramGrammar | null {
  const known = compiled.get(program)
  if (known !== undefined) return known
  // `npx jest@29` and `@scope/jest`: packages are mostly called like the programs in them.
  const name = baseName(program).replace(/(.)@.*$/, '$1')
  const same = compiled.get(name)
  if (same !== undefined) return same
  const raw = rawOf(name)
  const grammar = raw === null ? null : compileGrammar(raw, null)
  // Names of programs come from outside: what is not known is not kept.
  if (grammar !== null) compiled.set(name, grammar)
  return grammar
}

/** What programs do with variables, by their names. */
export const variablePatterns: ReadonlyMap<string, readonly VariablePattern[]> = new Map(
  [...raws].flatMap(([name, raw]) => {
    const patterns = Object.entries(resolveLike(raw).variables ?? {}).map(([effect, pattern]) => ({
      effect: effect as VariablePattern['effect'],
      pattern: new RegExp(pattern),
    }))
    return patterns.length === 0 ? [] : [[name, patterns] as const]
  }),
)

/** Whether a setting changes what a program runs or trusts; null: it is only known later. */
export function changesSetting(program: string, setting: string | null): boolean {
  return setting === null || grammarOf(program)?.settings?.test(setting) === true
}

/** `python3.11` is `python`, `gsed` is `sed`, `gcc-12` is `gcc`. */
function rawOf(name: string): RawGrammar | null {
  const own = raws.get(name)
  if (own !== undefined) return resolveLike(own)
  const bare = name.replace(/\.exe$/i, '').replace(/-?\d+(\.\d+)*$/, '')
  const plain = raws.get(bare) ?? (bare.startsWith('g') ? raws.get(bare.slice(1)) : undefined)
  return plain === undefined || bare === '' ? null : resolveLike(plain)
}

/** `like` names another program, or a verb of one: `docker compose`. */
function resolveLike(raw: RawGrammar): RawGrammar {
  if (raw.like === undefined) return raw
  const [program = '', ...verbs] = raw.like.split(' ')
  let found = resolveLike(raws.get(program) ?? {})
  for (const verb of verbs) found = resolveLike(rawVerb(found.verbs?.[verb]))
  return found
}

function rawVerb(raw: RawGrammar | string | undefined): RawGrammar {
  return typeof raw === 'string' ? { use: raw, open: true } : (raw ?? {})
}

type Options = {
  readonly letters: Map<string, OptionRule>
  readonly names: Map<string, OptionRule>
}

function compileGrammar(given: RawGrammar, parent: ProgramGrammar | null): ProgramGrammar {
  const raw = resolveLike(given)
  const isSingle = raw.single === true
  const options: Options = { letters: new Map(), names: new Map() }
  if (parent !== null && (raw.inherits || parent.raw.inherits)) {
    for (const [key, rule] of parent.letters) options.letters.set(key, rule)
    for (const [key, rule] of parent.names) options.names.set(key, rule)
  }
  const shared = parent?.raw.shared ?? ''
  const lines = typeof raw.options === 'string' ? [raw.options] : (raw.options ?? [])
  const tokens = [shared, ...lines].join(' ').split(' ').filter(Boolean)
  for (const token of tokens) addOption(options, token, isSingle ? 'one dash' : 'two dashes')
  const kinds = [...options.letters.values(), ...options.names.values()].map((rule) => rule.kind)
  const grammar = {
    use: raw.use ?? 'changes',
    isOpen: raw.open === true,
    isSingle,
    isBundle: raw.bundle === true,
    ...options,
    takesNumber: tokens.includes('#'),
    operands: (raw.operands ?? 'text*').split(' '),
    instead: new Set((raw.instead ?? '').split(' ')),
    isOperand: raw.isOperand === true,
    isDangerous:
      raw.verbs !== undefined ||
      kinds.some((kind) => dangerous.has(kind)) ||
      /\b(write|key|put|emit)\b/.test(raw.operands ?? ''),
    settings: raw.settings === undefined ? null : settingPattern(raw.settings),
    raw,
    verbs: null as ReadonlyMap<string, ProgramGrammar> | null,
  }
  if (raw.verbs !== undefined) grammar.verbs = lazyVerbs(raw.verbs, grammar)
  return grammar
}

function settingPattern(settings: string | SettingNames): RegExp {
  if (typeof settings === 'string') return new RegExp(settings, 'i')
  const { names, tameValues, exceptIn } = settings
  const patterns = names
    .flatMap((line) => line.split(' '))
    .map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*'))
  const isTame = `(?![^]*${exceptIn})[^]*=(?:${tameValues.replaceAll(' ', '|')})?$`
  return new RegExp(`^(?!${isTame})(?:$|${patterns.join('|')})`, 'i')
}

/** Kinds and effects that make a program do more than its name says. */
const dangerous: ReadonlySet<string> = new Set(names.dangerousKinds.split(' '))

/** Verbs are compiled when they are first asked for. */
function lazyVerbs(
  raw: NonNullable<RawGrammar['verbs']>,
  parent: ProgramGrammar,
): ReadonlyMap<string, ProgramGrammar> {
  const verbs = new Map<string, ProgramGrammar>()
  const names = Object.keys(raw)
  const get = (verb: string): ProgramGrammar | undefined => {
    const known = verbs.get(verb)
    if (known !== undefined || !names.includes(verb)) return known
    const made = compileGrammar(rawVerb(raw[verb]), parent)
    verbs.set(verb, made)
    return made
  }
  return { get, has: (verb: string) => names.includes(verb), keys: () => names.values() } as never
}

/** The form of one option in a table; see docs/reference/programs.md. */
const optionForm = /^(-{0,2})([^:!?]+|\?)(?:([:?!])([a-z0-9]*))?$/

/** Adds what one token says; a token that is none is an error of the table. */
function addOption(
  { letters, names }: Options,
  token: string,
  style: 'one dash' | 'two dashes',
): void {
  const isSingle = style === 'one dash'
  const [, dashes = '', name = '', sign, kind = ''] = optionForm.exec(token) ?? []
  if (name === '') throw new Error(`not an option: ${token}`)
  if (token === '#') return
  const takes = sign === ':' ? (kind === '2' ? 'two' : 'value') : sign === '?' ? 'maybe' : 'nothing'
  const effect = takes === 'two' ? '' : kind
  if (dashes === '') {
    for (const letter of name) letters.set(letter, { name: letter, takes, kind: effect })
  } else if (dashes === '-' && name.length === 1 && !isSingle) {
    letters.set(name, { name, takes, kind: effect })
  } else if (dashes === '-') names.set(isSingle ? name : `-${name}`, { name, takes, kind: effect })
  else names.set(name, { name, takes, kind: effect })
}
