/**
 * Whether a shell text is one simple command and nothing else, so that its exit code is the exit
 * code of the text. Knows the syntax tree. Must not know what the command does.
 */
import { readWord } from './expand-word.ts'
import type { Assignment, Command, ParsedScript, RedirectionNode, Word } from './parse.ts'

/** One command in the foreground, with known words: no list, pipe, negation or wrapper. */
export type SingleCommand = {
  /** After quote removal. */
  readonly words: readonly string[]
  /** Variables set in front of it, by name. */
  readonly environment: Readonly<Record<string, string>>
}

/** The one command of a script; null: there are more, or its exit code could be another one. */
export function singleCommandOf(script: ParsedScript): SingleCommand | null {
  const [statement, ...others] = script.commands
  if (statement === undefined || others.length > 0 || statement.background === true) return null
  const { command } = statement
  if (command.type !== 'Command' || command.name === undefined) return null
  if (!command.redirects.every(joinsOutput)) return null
  const environment = environmentOf(command)
  const words = wordsOf(command)
  return environment === null || words === null ? null : { words, environment }
}

function wordsOf({ name, args }: Command): readonly string[] | null {
  const words: string[] = []
  for (const part of name === undefined ? args : [name, ...args]) {
    const value = part.type === 'Word' ? literal(part) : null
    if (value === null) return null
    words.push(value)
  }
  return words
}

function environmentOf({ prefix }: Command): Readonly<Record<string, string>> | null {
  const environment: Record<string, string> = {}
  for (const part of prefix) {
    if (part.type !== 'Assignment') continue
    const value = assignedValue(part)
    if (value === null || Object.hasOwn(environment, part.name)) return null
    environment[part.name] = value
  }
  return environment
}

function assignedValue(one: Assignment): string | null {
  if (one.append === true || one.index !== undefined || one.name === '__proto__') return null
  return one.value.type === 'Word' ? literal(one.value) : null
}

/** The value of a word that nothing expands; null: it is not known, or not one word. */
function literal(word: Word): string | null {
  const [first, ...others] = readWord(word)
  if (first === undefined || others.length > 0 || first.isPattern || !first.isOne) return null
  return first.value
}

/** `2>&1` sends the errors along; every other redirection hides output or feeds something in. */
function joinsOutput(node: RedirectionNode): boolean {
  if (node.type !== 'Redirect' || node.operator !== '>&') return false
  const isOfErrors = node.descriptor?.type === 'FileDescriptor' && node.descriptor.value === 2
  return isOfErrors && node.target?.text === '1'
}
