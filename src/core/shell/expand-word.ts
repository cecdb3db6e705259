/**
 * One word of a command after quote removal and brace expansion, as far as that is known without
 * running anything. Does not know what the word means to a command.
 */
import type { Word, WordPart } from './parse.ts'

export type ReadWord = {
  /** Null: only known when it runs. */
  readonly value: string | null
  /** What it begins with in any case; the whole value when that is known. */
  readonly start: string
  /** It is one word whatever its value: quoted, or nothing in it splits. */
  readonly isOne: boolean
  /** File names are put in its place. */
  readonly isPattern: boolean
  /** What is in it comes from another command: `<(…)`, or a file that `find` picks. */
  readonly isStream: boolean
  /** What is not known of it comes from the text itself, and is no option of the host's choice. */
  readonly isMade: boolean
  readonly text: string
}

/** The most words that one word with braces may become. */
const wordsPerBraceMax = 64

/** What is known of the variables and substitutions in a word. */
export type WordLookup = {
  /** The value of a part; null: only known when it runs. */
  readonly valueOf: (part: WordPart) => string | null
  /** Whether what is not known of it comes from the text itself. */
  readonly isMade: (part: WordPart) => boolean
}

const nothingKnown: WordLookup = { valueOf: () => null, isMade: () => false }

/** What a word becomes: mostly one word, several by braces, none where it expands to nothing. */
export function readWord(word: Word, lookup: WordLookup = nothingKnown): readonly ReadWord[] {
  const parts = word.parts
  if (parts === undefined) return [staticWord(word.value, word.text)]
  const hasBraces = parts.some(({ type }) => type === 'BraceExpansion')
  if (!hasBraces) return splitWords(parts, lookup, word.text)
  const values = braceValues(parts, lookup)
  if (values !== null) return values.map((value) => staticWord(value, word.text))
  const unknown = { value: null, isOne: false, isMade: true } as const
  return splitWords(parts, lookup, word.text).map((one) => ({ ...one, ...unknown }))
}

/** A word that is known. */
export function staticWord(value: string, text: string): ReadWord {
  return { ...known, value, start: value, text }
}

const known = { isOne: true, isPattern: false, isStream: false, isMade: false } as const

/** A word or words that nobody knows yet, such as those `xargs` adds. */
export function unknownWord(text: string): ReadWord {
  return { ...known, value: null, start: '', isOne: false, text }
}

/** One word with something in it that another command picks: `{}` of `find`. */
export function pickedWord(text: string): ReadWord {
  return { ...unknownWord(text), isOne: true, isStream: true }
}

/** A value that a word may have of which only the beginning is known, where that is an option. */
export function guessOption({ value, start }: ReadWord): string | null {
  return value === null && /(^|\s)-/.test(start) ? `${start}x` : null
}

/** A word without braces: one, none, or what the value of a variable in it splits into. */
function splitWords(
  parts: readonly WordPart[],
  lookup: WordLookup,
  text: string,
): readonly ReadWord[] {
  /** What a value splits into; all but the last are complete. */
  const fields: string[] = []
  let start = ''
  let isKnown = true
  let isOne = true
  let isPattern = false
  let isStream = false
  let isMade = false
  /** Quotes and letters make a word, even an empty one. */
  let isThere = false
  for (const part of parts) {
    const value = partValue(part, lookup)
    const isBare = isExpansion(part)
    if (!isBare && !(value === '' && isList(part))) isThere = true
    if (value === null) {
      if (isKnown && isQuoted(part)) start += quotedText(part, lookup).start
      isKnown = false
    } else if (isKnown && isBare) {
      if (/[*?[]/.test(value)) isPattern = true
      const split = value.split(/[ \t\n]+/)
      if (split.length > 1 && isOne && parts.every((one) => partValue(one, lookup) !== null)) {
        fields.push(...split.slice(0, -1).map((field, i) => (i === 0 ? start + field : field)))
        start = split.at(-1) ?? ''
      } else start += value
    } else if (isKnown) start += value
    if (part.type === 'Glob' || part.type === 'ExtendedGlob') isPattern = true
    else if (part.type === 'ProcessSubstitution') isStream = true
    else if (value === null && splits(part)) isOne = false
    if (value === null && makes(part, lookup)) isMade = true
  }
  const value = isKnown ? start : null
  const last = { isOne, isPattern, isStream, isMade, value, start, text }
  if (fields.length === 0 && (value !== '' || isThere)) return [last]
  const whole = fields
    .filter((field) => field !== '')
    .map((field) => ({ ...staticWord(field, text), isPattern }))
  return value === '' && !isThere ? whole : [...whole, last]
}

type Quoted = Extract<WordPart, { type: 'DoubleQuoted' | 'LocaleString' }>

function isQuoted(part: WordPart): part is Quoted {
  return part.type === 'DoubleQuoted' || part.type === 'LocaleString'
}

/** What a quoted part begins with, up to what is only known when it runs. */
function quotedText({ parts }: Quoted, lookup: WordLookup) {
  let start = ''
  for (const child of parts) {
    const value = child.type === 'Literal' ? child.value : lookup.valueOf(child as WordPart)
    if (value === null) return { start, isKnown: false }
    start += value
  }
  return { start, isKnown: true }
}

/** `"$@"`, `"${a[@]}"`, `"${!x@}"`: as many words as there are elements, or none. */
export function isList(part: WordPart): boolean {
  return isQuoted(part) && part.parts.length > 0 && part.parts.every(isListed)
}

function isListed({ text }: { readonly text: string }): boolean {
  return /^\$\{?!?(?:\w+\[|\w*)@/.test(text)
}

function isExpansion(part: WordPart): boolean {
  return /^(SimpleExpansion|ParameterExpansion|CommandExpansion)$/.test(part.type)
}

/** Whether what a part says comes from the text: a substitution, or a value assigned in it. */
function makes(part: WordPart, lookup: WordLookup): boolean {
  if (part.type === 'ProcessSubstitution') return true
  if (!isQuoted(part)) return lookup.isMade(part)
  return part.parts.some((child) => child.type !== 'Literal' && lookup.isMade(child as WordPart))
}

/** Whether the value of a part could become several words. */
function splits(part: WordPart): boolean {
  if (!isQuoted(part)) return true
  return part.text.includes('$@') || part.text.includes('[@]')
}

function partValue(part: WordPart, lookup: WordLookup): string | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'Glob':
    case 'ExtendedGlob':
      return part.parts?.some((inner) => partValue(inner, lookup) === null) ? null : part.text
    case 'DoubleQuoted':
    case 'LocaleString': {
      const { start, isKnown } = quotedText(part, lookup)
      return isKnown ? start : null
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
      return lookup.valueOf(part)
    default:
      return null
  }
}

/** Every word that braces make; null when something in them has to run first, or too many. */
function braceValues(parts: readonly WordPart[], lookup: WordLookup): readonly string[] | null {
  let values = ['']
  for (const part of parts) {
    const value = part.type === 'BraceExpansion' ? '' : partValue(part, lookup)
    const choices = part.type === 'BraceExpansion' ? expandBraces(part.text) : [value]
    if (value === null || choices === null || values.length * choices.length > wordsPerBraceMax)
      return null
    values = values.flatMap((value) => choices.map((choice) => value + choice))
  }
  return values
}

/**
 * A group without groups inside, which is all of a choice around it but some letters. NUL parts
 * what an inner group has become: commas alone make `{…}` a group.
 */
const braceGroup = /(?<=^|[,{\0])([^{},\0]*)\{([^{}]*)\}([^{},\0]*)(?=$|[,}\0])/
/** The longest text with braces that is looked into. */
const braceCharsMax = 4_000

/** `{a,b}` and `{1..3}` without quotes, expansions or patterns inside; else null. */
function expandBraces(text: string): readonly string[] | null {
  if (/["'$`\\]/.test(text)) return null
  let flat = text
  // From the inside out: each turn takes one pair of braces away.
  for (let found = braceGroup.exec(flat); found !== null; found = braceGroup.exec(flat)) {
    const [whole, before = '', inside = '', after = ''] = found
    const choices = choicesIn(inside)
    if (choices === null || flat.length > braceCharsMax) return null
    const made = choices.map((choice) => before + choice + after).join('\0')
    flat = flat.slice(0, found.index) + made + flat.slice(found.index + whole.length)
  }
  const all = flat.split('\0')
  return /[{}]/.test(flat) || all.length > wordsPerBraceMax ? null : all
}

function choicesIn(inside: string): readonly string[] | null {
  const [, first, last] = /^(-?\d{1,4})\.\.(-?\d{1,4})$/.exec(inside) ?? []
  if (first !== undefined && last !== undefined) return countFrom(first, last)
  return inside.includes(',') ? inside.split(/[,\0]/) : null
}

function countFrom(first: string, last: string): readonly string[] | null {
  const isPadded = /^-?0\d/.test(first) || /^-?0\d/.test(last)
  const from = Number(first)
  const to = Number(last)
  if (isPadded || Math.abs(to - from) >= wordsPerBraceMax) return null
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => String(from + i * step))
}
