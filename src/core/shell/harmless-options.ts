/**
 * The options of a command against the few that are known to be harmless. Whatever is not listed
 * is unknown, also an abbreviation of something that is.
 */

/** What a value may be. */
type Value = RegExp

export type KnownOptions = {
  /** Letters without a value. */
  readonly flags?: string
  /** Letters with one. */
  readonly values?: Readonly<Record<string, Value>>
  readonly longFlags?: readonly string[]
  /** With `=` or in the next word. */
  readonly longValues?: Readonly<Record<string, Value>>
  /** `-20`. */
  readonly takesNumber?: boolean
}

export type FoundOptions = {
  /** Letters and long names, as often as they stand there. */
  readonly found: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
}

/** The options and operands behind the name of a program; null: one of them is not known. */
export function harmlessOptions(
  words: readonly string[],
  known: KnownOptions,
): FoundOptions | null {
  const found = new Map<string, string[]>()
  const note = (name: string, value: string) => found.set(name, [...(found.get(name) ?? []), value])
  const operands: string[] = []
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as string
    if (word === '--') return { found, operands: [...operands, ...words.slice(i + 1)] }
    if (!word.startsWith('-') || word === '-') operands.push(word)
    else if (known.takesNumber && /^-\d+$/.test(word)) note('number', word.slice(1))
    else {
      const one = word.startsWith('--') ? longOption(word, words[i + 1], known) : null
      const options = one === null ? shortOptions(word, words[i + 1], known) : [one]
      if (options === null) return null
      for (const { name, value, isNext } of options) {
        note(name, value)
        if (isNext) i += 1
      }
    }
  }
  return { found, operands }
}

type Option = { readonly name: string; readonly value: string; readonly isNext: boolean }

function longOption(
  word: string,
  next: string | undefined,
  { longFlags = [], longValues = {} }: KnownOptions,
): Option | null {
  const [, name = '', glued] = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? []
  if (glued === undefined && longFlags.includes(name)) return { name, value: '', isNext: false }
  const wanted = Object.hasOwn(longValues, name) ? longValues[name] : undefined
  const value = glued ?? next
  if (wanted === undefined || value === undefined || !wanted.test(value)) return null
  return { name, value, isNext: glued === undefined }
}

/** Letters in one word; the first with a value takes the rest, or the next word. */
function shortOptions(
  word: string,
  next: string | undefined,
  { flags = '', values = {} }: KnownOptions,
): readonly Option[] | null {
  if (word.startsWith('--')) return null
  const options: Option[] = []
  for (let i = 1; i < word.length; i += 1) {
    const name = word[i] as string
    if (flags.includes(name)) {
      options.push({ name, value: '', isNext: false })
      continue
    }
    const wanted = Object.hasOwn(values, name) ? values[name] : undefined
    const rest = word.slice(i + 1)
    const value = rest === '' ? next : rest
    if (wanted === undefined || value === undefined || !wanted.test(value)) return null
    return [...options, { name, value, isNext: rest === '' }]
  }
  return options
}
