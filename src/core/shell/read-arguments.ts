/**
 * The words of a command by the grammar of its program: options under every spelling that the
 * program accepts (abbreviations, letters in one word, glued values), operands, and its verb.
 * Knows words. Decides nothing.
 */
import { grammarOf, type OptionRule, type ProgramGrammar } from './program-grammar.ts'
import type { SimpleCommand } from './shell-reading.ts'

/** An option or operand as it stands there. */
export type ProgramArgument = {
  /** The full name of an option; empty: an operand. */
  readonly name: string
  /** What it means; empty: harmless. */
  readonly kind: string
  /** Null: only known when it runs. */
  readonly value: string | null
  /** What the value begins with in any case. */
  readonly start: string
  /** What is not known of it comes from the text itself. */
  readonly isMade: boolean
  /** The word it stands in. */
  readonly at: number
}

export type ReadArguments = {
  readonly grammar: ProgramGrammar
  readonly options: readonly ProgramArgument[]
  readonly operands: readonly ProgramArgument[]
  /** The first option that the table does not know, where it claims to know them all. */
  readonly unknown: string | null
  /** The first word that the text makes up and that could be any option or verb. */
  readonly loose: number
  /** Its verb is only known when it runs. */
  readonly isVerbUnknown: boolean
  /** The verbs, from the outer to the inner one. */
  readonly verbs: readonly string[]
  /** How many operands stand behind `--`. */
  readonly behindDashes: number
}

type Changing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer V)[] ? V[] : T[K] }

type Reading = Changing<ReadArguments> & {
  readonly command: SimpleCommand
  /** The word that is read next. */
  at: number
}

/**
 * The arguments of the last commands, each asked for by several rules.
 * WHY no WeakMap: its entries cost the garbage collector more than reading the words again.
 */
const lastCommands: (SimpleCommand | null)[] = Array.from({ length: 16 }, () => null)
const lastFound: (ReadArguments | null)[] = lastCommands.map(() => null)
let nextSlot = 0

/** The arguments of a command; null: nothing is known of its program. */
export function programArguments(command: SimpleCommand): ReadArguments | null {
  const slot = lastCommands.indexOf(command)
  if (slot >= 0) return lastFound[slot] ?? null
  const first = command.words[0]
  const grammar = first === undefined || first === null ? null : grammarOf(first)
  const found = grammar === null ? null : readArguments(command, grammar, 1)
  lastCommands[nextSlot] = command
  lastFound[nextSlot] = found
  nextSlot = (nextSlot + 1) % lastCommands.length
  return found
}

function readArguments(command: SimpleCommand, grammar: ProgramGrammar, from: number) {
  const reading: Reading = {
    command,
    grammar,
    options: [],
    operands: [],
    unknown: null,
    loose: 0,
    isVerbUnknown: false,
    verbs: [],
    behindDashes: 0,
    at: from,
  }
  const { starts, words } = command
  if (grammar.isBundle && from < words.length && !starts[from]?.startsWith('-')) readBundle(reading)
  for (; reading.at < words.length; reading.at += 1) {
    const start = starts[reading.at] as string
    if (words[reading.at] === '--') {
      // To programs such as `find` it is nothing, and what follows may be options.
      if (reading.grammar.isSingle) continue
      readRest(reading)
      break
    }
    if (isOption(reading, start)) readOption(reading, start)
    else if (readOperand(reading) === 'rest') break
  }
  takeBack(reading)
  placeOperands(reading)
  return reading
}

/** What keeps a program from changing anything. */
const harmlessKinds: ReadonlySet<string> = new Set(['shows', 'lists', 'checks'])

const off = /^(f|false|n|no|off|0|null)$/i

/** `--dry-run --no-dry-run`, `-check=false`, `--dry-run false`: nothing of it counts. */
function takeBack({ command, options, grammar }: Reading): void {
  if (!options.some(({ kind }) => harmlessKinds.has(kind))) return
  const { starts } = command
  const isTakenBack = starts.some((word, at) => {
    const [, no, name = '', value] = /^--?(no-)?(\w[\w-]*)(?:=(.*))?$/is.exec(word) ?? []
    if (name === '' || !meansHarmless(grammar, name)) return false
    // Only parsers that know such values for flags take the next word.
    return no !== undefined || off.test(value ?? '') || /^(false|null)$/.test(starts[at + 1] ?? '')
  })
  if (!isTakenBack) return
  for (const [i, option] of options.entries()) {
    if (harmlessKinds.has(option.kind)) options[i] = { ...option, kind: 'writes' }
  }
}

/** Whether a name, perhaps an abbreviation, is that of an option that keeps it from changing. */
function meansHarmless({ names, letters }: ProgramGrammar, name: string): boolean {
  for (const [one, { kind }] of [...names, ...letters]) {
    if (harmlessKinds.has(kind) && one.startsWith(name)) return true
  }
  return false
}

function isOption({ command, grammar, at }: Reading, start: string): boolean {
  // `-$x`, and not `-` alone.
  if (start.startsWith('-')) return start.length > 1 || command.words[at] === null
  return start.startsWith('+') && grammar.letters.has('+')
}

/** Behind `--` there are only operands. */
function readRest(reading: Reading): void {
  const { command } = reading
  for (let i = reading.at + 1; i < command.words.length; i += 1) {
    if (reading.operands.length === 0 && reading.grammar.verbs !== null) {
      reading.at = i
      if (readOperand(reading) === 'rest') return
      continue
    }
    reading.operands.push(operandAt(command, i))
    reading.behindDashes += 1
  }
}

function operandAt({ words, starts, made }: SimpleCommand, at: number): ProgramArgument {
  const isMade = made[at] === true
  return { name: '', kind: '', value: words[at] ?? null, start: starts[at] ?? '', isMade, at }
}

/** Kinds of operands behind which the words belong to somebody else. */
const ends: ReadonlySet<string> = new Set(['inner', 'tool', 'rest', 'joined', 'bin', 'again'])

/** `rest`: what follows belongs to somebody else. */
function readOperand(reading: Reading): 'next' | 'rest' {
  const { command, grammar, at } = reading
  const value = command.words[at]
  if (isLoose(command, at)) reading.loose ||= at
  if (grammar.verbs !== null && reading.operands.length === 0) {
    if (value === null || value === undefined) reading.isVerbUnknown = true
    const verb = grammar.verbs.get(value ?? '') ?? grammar.verbs.get('*')
    if (verb !== undefined) {
      if (!verb.isOperand) reading.verbs.push(value ?? '')
      const known = grammar.verbs.has(value ?? '')
      reading.grammar = verb
      if (!verb.isOperand || known) return 'next'
    }
  }
  reading.operands.push(operandAt(command, at))
  const kinds = reading.grammar.operands
  const kind = kinds[Math.min(reading.operands.length, kinds.length) - 1]
  if (reading.grammar.raw.strict || reading.grammar.raw.wrapper) {
    for (let i = at + 1; i < command.words.length; i += 1) {
      reading.operands.push(operandAt(command, i))
    }
    return 'rest'
  }
  return ends.has(kind ?? '') ? 'rest' : 'next'
}

/** A word that something in the text makes up, and that may begin with anything. */
function isLoose({ words, starts, made }: SimpleCommand, at: number): boolean {
  return words[at] === null && made[at] === true && starts[at] === ''
}

function readOption(reading: Reading, start: string): void {
  const { command, grammar, at } = reading
  const isKnown = command.words[at] !== null
  if (!isKnown && !start.includes('=') && !/^-[A-Za-z]/.test(start)) reading.loose ||= at
  if (start.startsWith('--') || grammar.isSingle) return readLong(reading, start)
  const plus = start.startsWith('+') ? grammar.letters.get('+') : undefined
  if (plus !== undefined)
    return takeOption(reading, plus, isKnown ? start.slice(1) : `${start.slice(1)}\0`)
  const exact = grammar.names.get(start)
  if (exact !== undefined && isKnown) return takeOption(reading, exact, undefined)
  readLetters(reading, isKnown ? start : `${start}\0`)
}

/** `--name`, `--name=value`, `--na`; with one dash where a program writes them so. */
function readLong(reading: Reading, start: string): void {
  const { grammar } = reading
  const isKnown = reading.command.words[reading.at] !== null
  // `-Wl,-z`: what belongs to a part of a compiler.
  const part = grammar.isSingle ? /^-W[alp],/.exec(start) : null
  const at = part === null ? start.indexOf('=') : part[0].length - 1
  const name = start.slice(start.startsWith('--') ? 2 : 1, at < 0 ? undefined : at)
  const glued = at < 0 ? undefined : start.slice(at + 1)
  const value = glued === undefined ? undefined : isKnown ? glued : `${glued}\0`
  const rule = grammar.names.get(name) ?? abbreviated(grammar, name)
  const isWhole = isKnown || at >= 0
  if (rule !== undefined && (isWhole || !start.startsWith('--'))) {
    if (!isWhole && rule.takes === 'nothing') reading.loose ||= reading.at
    return takeOption(reading, rule, isWhole || rule.takes === 'nothing' ? value : '\0')
  }
  const letter = grammar.isSingle ? grammar.names.get(start[1] ?? '') : undefined
  if (letter !== undefined && letter.takes !== 'nothing' && !start.startsWith('--')) {
    return takeOption(reading, letter, isKnown ? start.slice(2) : `${start.slice(2)}\0`)
  }
  if (!isWhole) reading.loose ||= reading.at
  if (!/^(help|version)$/.test(name)) reading.unknown ??= start
}

/** Any beginning of a long option means it; of several, the worst one. */
function abbreviated({ names, isSingle }: ProgramGrammar, name: string): OptionRule | undefined {
  if (name.length === 0 || isSingle) return undefined
  let found: OptionRule | undefined
  for (const [key, rule] of names) {
    // Programs that write `--outFile` take no abbreviations.
    if (!key.startsWith(name) || /^-|[A-Z]/.test(key)) continue
    if (found === undefined || (found.kind === '' && rule.kind !== '')) found = rule
  }
  return found
}

/** A word that looks like letters in one word, and not like a letter with its value. */
const fewLetters = /^-[A-Za-z]{2,4}$/

/** Letters in one word: flags, and at last one with a value. */
function readLetters(reading: Reading, word: string): void {
  const { grammar } = reading
  if (grammar.takesNumber && /^-\d+$/.test(word)) return
  let isDoubtful = false
  for (let i = 1; i < word.length; i += 1) {
    const letter = word[i] as string
    // What follows only shows when it runs.
    if (letter === '\0') {
      reading.loose ||= reading.at
      return
    }
    const rule = grammar.letters.get(letter)
    const rest = word.slice(i + 1)
    if (rule === undefined) {
      reading.unknown ??= word.replace('\0', '…')
      // What follows may be its value, or letters like it: `fd -Hx rm`.
      if (!grammar.isOpen || !fewLetters.test(word)) return
      isDoubtful = true
    } else if (rule.takes === 'nothing') takeOption(reading, rule, undefined)
    // The next word stays where it is: it may be an option of its own.
    else return takeOption(reading, rule, rest === '' && !isDoubtful ? undefined : rest)
  }
}

/** Notes an option; without a glued value it may take the next word. */
function takeOption(reading: Reading, rule: OptionRule, glued: string | undefined): void {
  const { command, at } = reading
  const isOpen = glued?.endsWith('\0') ?? false
  const text = isOpen ? glued?.slice(0, -1) : glued
  let value: string | null = text === undefined || isOpen ? null : text
  let start = text ?? ''
  let isMade = command.made[at] === true
  if (glued === undefined && (rule.takes === 'value' || rule.takes === 'two')) {
    value = command.words[at + 1] ?? null
    start = command.starts[at + 1] ?? ''
    isMade = command.made[at + 1] === true
    reading.at += rule.takes === 'two' ? 2 : 1
  } else if (glued === undefined) value = ''
  reading.options.push({ name: rule.name, kind: rule.kind, value, start, isMade, at })
  if (rule.kind === 'inner') skipInner(reading)
  if (rule.kind === 'module') {
    reading.grammar = grammarOf(`py:${value}`) ?? grammarOf(value ?? '') ?? reading.grammar
    reading.verbs.push(value ?? '')
  }
}

/** The words of a command that another one runs: to `;`, to `{} +`, or all that follow. */
function skipInner(reading: Reading): void {
  const { words } = reading.command
  while (reading.at < words.length) {
    const word = words[reading.at]
    if (word === ';' || (word === '+' && words[reading.at - 1] === '{}')) return
    reading.at += 1
  }
}

/** `tar cfI a b`: letters without a dash, and their values in the words that follow. */
function readBundle(reading: Reading): void {
  const { command, grammar } = reading
  const first = reading.at
  if (command.words[first] === null) reading.unknown ??= `${command.starts[first] ?? ''}…`
  for (const letter of command.starts[first] ?? '') {
    if (letter === '-') continue
    const rule = grammar.letters.get(letter)
    if (rule === undefined) reading.unknown ??= command.starts[first] ?? ''
    else if (rule.takes !== 'value') takeOption(reading, rule, undefined)
    else {
      reading.at += 1
      const value = command.words[reading.at] ?? null
      const start = command.starts[reading.at] ?? ''
      const isMade = command.made[reading.at] === true
      reading.options.push({ name: rule.name, kind: rule.kind, value, start, isMade, at: first })
    }
  }
  reading.at += 1
}

/** Gives each operand the kind that the grammar has for its place. */
function placeOperands(reading: Reading): void {
  const { grammar, options, operands } = reading
  const { raw } = grammar
  const has = (effect: string) => options.some((option) => option.kind === effect)
  const isTest = raw.tests !== undefined && has('tests')
  const special = isTest ? raw.tests : raw.checks !== undefined && has('checks') ? raw.checks : null
  let kinds = special?.split(' ') ?? grammar.operands
  if (options.some((option) => grammar.instead.has(option.name))) kinds = kinds.slice(1)
  const last = kinds.at(-1) ?? ''
  for (let i = 0; i < operands.length; i += 1) {
    const kind = kinds[i] ?? (last.endsWith('*') ? last : '')
    const plain = kind.endsWith('*') ? kind.slice(0, -1) : kind
    if (plain !== '' && plain !== 'text') {
      operands[i] = { ...(operands[i] as ProgramArgument), kind: plain }
    }
  }
}
