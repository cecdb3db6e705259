/** The words of commands and assignments in a walk, with the values that variables in them have. */
import { isList, type ReadWord, readWord, staticWord, type WordLookup } from './expand-word.ts'
import type { Assignment, Command, Word, WordPart } from './parse.ts'
import { grammarOf } from './program-grammar.ts'
import { hideCode } from './shell-facts.ts'
import { choicesFor, lookupIn, type OpenWord, type ValueChoice } from './variable-values.ts'
import type { ShellWalk } from './walk-state.ts'

/** The value of an assignment is one word whatever is in it; a variable may give it several. */
export function valuesOfWord(walk: ShellWalk, word: Word, assigned: string): readonly ReadWord[] {
  const quoted = asOne(word)
  const base = readWord(quoted, lookupIn(walk))[0] ?? staticWord('', word.text)
  const open = [{ parts: word.parts ?? [], empties: 'part', assigned }] as const
  const choices = base.value !== null ? [] : choicesFor(walk, open)
  if (choices === null) return [{ ...base, isMade: true }]
  const others = choices.flatMap((choice) => readWord(quoted, lookupIn(walk, choice)))
  return [...others, base]
}

/** Nothing in it is split. */
function asOne(word: Word): Word {
  const { parts } = word
  if (parts === undefined || !parts.some((part) => /Expansion$/.test(part.type))) return word
  const { pos, end, text } = word
  const isChild = (part: WordPart) => /^(Literal|.*Expansion)$/.test(part.type)
  if (!parts.every(isChild)) return word
  const whole = { type: 'DoubleQuoted', pos, end, text, parts } as unknown as WordPart
  return { ...word, parts: [whole] }
}

/** The words of a command, with the values that are certain in their places. */
export function wordsIn(
  walk: ShellWalk,
  { name, suffix }: Command,
  choice?: ValueChoice,
): readonly ReadWord[] {
  const words: ReadWord[] = []
  const add = (part: Word) => {
    if (part.parts === undefined) words.push(staticWord(part.value, part.text))
    else words.push(...readWord(part, lookupIn(walk, choice)))
  }
  if (name !== undefined) add(name)
  for (const part of suffix) {
    if (part.type === 'Word') add(part)
    else if (part.type === 'Assignment') words.push(assignmentWord(part, lookupIn(walk, choice)))
  }
  const first = words[0]
  const isSaid = name?.parts?.some(({ type }) => type === 'CommandExpansion') === true
  if (first !== undefined && (first.isPattern || isSaid)) {
    // What another command picks is not known by its name, and `which` may find anything.
    const isPicked = /\b(which|command|type|whereis)\b/.test(first.text)
    const isMade = first.isMade || first.value !== null || isPicked
    words[0] = { ...first, value: null, isMade }
  }
  return words
}

/** What a word may become in a list, where it may be split. */
export function listWords(walk: ShellWalk, word: Word): readonly ReadWord[] {
  const choices = choicesFor(walk, [{ parts: word.parts ?? [], empties: 'part' }]) ?? []
  const others = choices.flatMap((choice) => readWord(word, lookupIn(walk, choice)))
  return [...readWord(word, lookupIn(walk)), ...others]
}

/** Whether a part may hold a variable. */
function isOpenPart({ type, text }: WordPart): boolean {
  if (type === 'DoubleQuoted') return text.includes('$') || text.includes('`')
  return type !== 'Literal' && type !== 'SingleQuoted'
}

/** Whether a program does the same whatever stands behind it: `echo`, `cat`, and not `cd`. */
function doesOneThing(name: Command['name']): boolean {
  if (name === undefined || name.parts !== undefined || name.value === 'cd') return false
  const grammar = grammarOf(name.value)
  return grammar?.isDangerous === false && !runsWords.test(grammar.operands.at(-1) ?? '')
}

/** The kinds of operands that are another command: `env`, `timeout`. */
const runsWords = /^(inner|tool|joined|bin|again)$/

/** The same words with every value that a variable in them may have. */
export function otherWords(walk: ShellWalk, command: Command): readonly (readonly ReadWord[])[] {
  const open: OpenWord[] = []
  let hasOpenGroup = false
  const { name, suffix } = command
  if (name?.parts?.some(isOpenPart)) open.push({ parts: name.parts, empties: 'part' })
  for (const [i, part] of suffix.entries()) {
    if (part.type !== 'Word' || !part.parts?.some(isOpenPart)) continue
    // The last word moves no other one.
    const [first] = part.parts
    const isWhole = i < suffix.length - 1 && (first?.type !== 'DoubleQuoted' || isList(first))
    const empties = doesOneThing(name) ? 'nothing' : isWhole ? 'whole' : 'part'
    open.push({ parts: part.parts, empties })
    hasOpenGroup ||= empties === 'whole' && isOpenGroup(part.parts)
  }
  if (open.length === 0) return []
  const choices = hasOpenGroup ? null : choicesFor(walk, open)
  if (choices === null) {
    const text = walk.scope.source.slice(command.pos, command.end)
    hideCode(walk.facts, 'its variables can have too many values', text)
    return []
  }
  return choices.map((choice) => wordsIn(walk, command, choice))
}

/** `{$x,$y}`: two words, one or none. */
function isOpenGroup(parts: readonly WordPart[]): boolean {
  const isOpen = ({ type, text }: WordPart) => type === 'BraceExpansion' && /[$`]/.test(text)
  return parts.every(({ type }) => type.endsWith('Expansion')) && parts.some(isOpen)
}

/** `export A=1`: one word, whatever its value. */
function assignmentWord(node: Assignment, lookup: WordLookup): ReadWord {
  const start = `${node.name}${node.append ? '+' : ''}=`
  const read = node.value.type === 'ArrayValue' ? null : readWord(asOne(node.value), lookup)[0]
  const value = read?.value ?? null
  const known = value === null ? null : start + value
  return {
    value: known,
    start: known ?? start,
    isOne: true,
    isPattern: false,
    isStream: false,
    isMade: known === null,
    text: node.text,
  }
}
