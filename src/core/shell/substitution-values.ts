/**
 * What a substitution says, as far as that is known without running it: `$(echo x)` is `x`. Some
 * programs say something that nobody knows, but that is never an option.
 */
import type { ParsedScript, SyntaxNode, Word } from './parse.ts'
import table from './speakers.json' with { type: 'json' }

export type SaidValue = {
  /** Null: only known when it runs. */
  readonly value: string | null
  /** Whatever it says, it is no option: a number, a version, names of files. */
  readonly isTame: boolean
}

const unknown: SaidValue = { value: null, isTame: false }
const tame: SaidValue = { value: null, isTame: true }

/** What its arguments have to be for its output to begin with no dash and say no free text. */
type Speaker = {
  /** All of them in one line; unknown ones are `\0`. */
  readonly whole?: string
  /** For each pattern, one of them; and none of them. */
  readonly some?: readonly string[]
  readonly none?: readonly string[]
  readonly verbs?: Readonly<Record<string, Speaker>>
}

type SpeakerCheck = (args: readonly string[]) => boolean

function checksOf(raws: Readonly<Record<string, Speaker>>): ReadonlyMap<string, SpeakerCheck> {
  return new Map(
    Object.entries(raws).flatMap(([names, raw]) => {
      const check = checkOf(raw)
      return names.split(' ').map((name) => [name, check] as const)
    }),
  )
}

function checkOf({ whole = '', some = [], none = [], verbs }: Speaker): SpeakerCheck {
  const line = new RegExp(whole)
  const wanted = some.map((one) => new RegExp(one))
  const unwanted = none.map((one) => new RegExp(one))
  const byVerb = verbs === undefined ? null : checksOf(verbs)
  return (args) => {
    if (byVerb !== null) {
      const at = args[0] === '-C' ? 2 : args[0] === '--no-pager' ? 1 : 0
      return byVerb.get(args[at] ?? '')?.(args.slice(at + 1)) === true
    }
    const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg))
    return line.test(args.join(' ')) && wanted.every(has) && !unwanted.some(has)
  }
}

const speakers = checksOf(table)

const filters: ReadonlySet<string> = new Set('grep head tail sort uniq wc cut true'.split(' '))

type ReadValues = (word: Word) => readonly (string | null)[]

/** What a script inside of `$(…)` says. `read`: the words of one of its commands. */
export function saidBy(script: ParsedScript, read: ReadValues): SaidValue {
  const [statement, ...more] = script.commands
  if (statement === undefined) return unknown
  const only = more.length === 0 ? wordsOf(statement.command, read) : null
  const value = only === null ? null : knownOutput(only)
  if (value !== null) return { value, isTame: false }
  return script.commands.every(({ command }) => isTame(command, read)) ? tame : unknown
}

/** Whether nothing that a part of a script says could be an option. */
function isTame(node: SyntaxNode, read: ReadValues): boolean {
  if (node.type === 'AndOr') return node.commands.every((one) => isTame(one, read))
  if (node.type === 'Pipeline') return isTameOutput(node.commands, read)
  return isSpeaking(wordsOf(node, read))
}

/** The same of what the commands of a pipe hand on. */
export function isTameOutput(commands: readonly SyntaxNode[], read: ReadValues): boolean {
  const [first, ...rest] = commands
  const isPassing = rest.every((one) => {
    const words = wordsOf(one, read)
    return isFilter(words) || isSpeaking(words)
  })
  return isPassing && first !== undefined && isSpeaking(wordsOf(first, read))
}

/** It hands on whole lines, or fields of them. */
function isFilter(words: readonly (string | null)[] | null): boolean {
  const [name, ...args] = words ?? []
  return filters.has(name ?? '') && !args.some((arg) => /^-(\w*o|[bc])/.test(arg ?? '-o'))
}

function wordsOf(node: SyntaxNode, read: ReadValues): readonly (string | null)[] | null {
  if (node.type !== 'Command' || node.name === undefined || node.prefix.length > 0) return null
  const words = [...read(node.name)]
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(...read(part))
    else if (part.type !== 'Redirect') return null
  }
  return words
}

function knownOutput(words: readonly (string | null)[]): string | null {
  if (words.includes(null)) return null
  const [name, ...args] = words as readonly string[]
  switch (name) {
    case 'echo': {
      const rest = args[0] === '-n' ? args.slice(1) : args
      return /^-[neE]+$/.test(rest[0] ?? '') ? null : rest.join(' ')
    }
    case 'printf':
      return printed(args)
    case 'pwd':
      return args.every((arg) => /^-[LP]$/.test(arg)) ? '.' : null
    default:
      return null
  }
}

/** What a command in front of a pipe says, as every shell says it; null: not known. */
export function textSaidBy(node: SyntaxNode | undefined, read: ReadValues): string | null {
  if (node?.type !== 'Command' || !/^(echo|printf)$/.test(node.name?.text ?? '')) return null
  const words = wordsOf(node, read)
  const said = words === null ? null : knownOutput(words)
  return said?.includes('\\') ? null : said
}

/** `printf %s a`, `printf '%s%s' a b`, `printf 'text\n'`. */
function printed(args: readonly string[]): string | null {
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args
  if (format.startsWith('-')) return null
  const plain = format.replace(/(\\n)+$/, '')
  if (/\\|%[^s%]/.test(plain) || values.some((value) => value.includes('\\'))) return null
  const places = plain.match(/%s/g)?.length ?? 0
  if (places === 0) return values.length === 0 ? plain.replaceAll('%%', '%') : null
  if (values.length > places) return places === 1 && plain === '%s' ? values.join('') : null
  let next = 0
  return plain.replace(/%s/g, () => values[next++] ?? '').replaceAll('%%', '%')
}

/** An option inside of an argument, which the program could say: `--format=-o`, `"-o"`. */
const hasOption = /[\s"'`=:,(]-{1,2}[A-Za-z]/

/** Nothing in its words could be said again as an option. */
function isSpeaking(words: readonly (string | null)[] | null | undefined): boolean {
  const [name, ...args] = words ?? []
  const check = speakers.get(name ?? '')
  if (check === undefined || args.some((arg) => hasOption.test(arg ?? ''))) return false
  return check(args.map((arg) => arg ?? '\0'))
}
