/**
 * Reads the options of a verb, strictly: an unknown option is a fault with a suggestion.
 * Must not know what any option means.
 */
import { parseArgs } from 'node:util'
import { closestName } from '../../core/closest-name.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

/** `list`: a text that may be given several times. */
export type OptionKinds = Readonly<Record<string, 'flag' | 'text' | 'list'>>

export type Options<Kinds extends OptionKinds> = {
  readonly files: readonly string[]
  readonly values: {
    readonly [Name in keyof Kinds]: ValueOf<Kinds[Name]>
  }
}

type ValueOf<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'list'
    ? readonly string[]
    : string | null

/** The options of a verb; an absent flag is false, an absent text null, an absent list empty. */
export function readOptions<const Kinds extends OptionKinds>(
  verb: string,
  args: readonly string[],
  kinds: Kinds,
): Options<Kinds> {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  // WHY not strict: the words of Node's own errors are not ours, and name no near miss.
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const values: Record<string, boolean | string | readonly string[] | null> = {}
  const lists = new Map<string, string[]>()
  for (const [name, kind] of Object.entries(kinds)) {
    if (kind === 'list') lists.set(name, [])
    values[name] = kind === 'flag' ? false : (lists.get(name) ?? null)
  }
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name } = token
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw unknownOption(verb, token.rawName, Object.keys(kinds))
    if (kind === 'list') lists.get(name)?.push(textValue(verb, token))
    else values[name] = kind === 'flag' ? flagValue(verb, token) : textValue(verb, token)
  }
  // WHY the cast: each name has got the value of its kind just above.
  return { files: positionals, values: values as Options<Kinds>['values'] }
}

type OptionToken = {
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function flagValue(verb: string, token: OptionToken): boolean {
  if (token.value === undefined) return true
  throw usage(verb, `the option \`${token.rawName}\` does not take a value`)
}

function textValue(verb: string, token: OptionToken): string {
  const { value } = token
  const isNextOption = token.inlineValue === false && value !== undefined && /^-./.test(value)
  if (value === undefined || value === '' || isNextOption) {
    throw usage(verb, `the option \`${token.rawName}\` needs a value`)
  }
  return value
}

function unknownOption(verb: string, name: string, known: readonly string[]): PawlError {
  const meant = closestName(name.replace(/^-+/, ''), known)
  const all = known.length === 0 ? '' : `it has ${known.map((one) => `\`--${one}\``).join(', ')}; `
  const hint = meant === null ? `${all}${seeHelp(verb)}` : `did you mean \`--${meant}\`?`
  return new PawlError('USAGE', `\`${verb}\` has no option \`${name}\``, { hint })
}

/** A fault in how a verb was called, with where to read about it. */
export function usage(verb: string, message: string): PawlError {
  return new PawlError('USAGE', message, { hint: seeHelp(verb) })
}

/** A fault where there are more arguments than a verb takes. */
export function refuseMore(verb: string, args: readonly string[], max: number): void {
  if (args.length > max) throw usage(verb, `unexpected argument \`${args[max]}\``)
}

function seeHelp(verb: string): string {
  return `see \`pawl ${verb} --help\``
}

/** One of the values that an option may have; null when the option is absent. */
export function oneOf<const Word extends string>(
  verb: string,
  option: { readonly name: string; readonly value: string | null },
  words: readonly Word[],
): Word | null {
  if (option.value === null) return null
  return oneAmong(verb, { what: `\`--${option.name}\``, value: option.value }, words)
}

/** The subcommand, or another word from a fixed list. */
export function oneWord<const Word extends string>(
  verb: string,
  value: string,
  words: readonly Word[],
): Word {
  return oneAmong(verb, { what: `the argument of \`pawl ${verb}\``, value }, words)
}

function oneAmong<Word extends string>(
  verb: string,
  { what, value }: { readonly what: string; readonly value: string },
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  const list = words.map((word) => `\`${word}\``).join(', ')
  const message = `${what} must be one of ${list}, not \`${value}\``
  const meant = closestName(value, words)
  const hint = meant === null ? seeHelp(verb) : `did you mean \`${meant}\`?`
  throw new PawlError('USAGE', message, { hint })
}
