/** Assignments and loops in a walk: the values that they give to variables. */
import { guessOption } from './expand-word.ts'
import type { Assignment, Word } from './parse.ts'
import { giveUp, hideCode, noteWrite } from './shell-facts.ts'
import type { ShellWalk } from './walk-state.ts'
import { calculates } from './walk-values.ts'
import { listWords, valuesOfWord } from './walk-words.ts'

/** Notes what a loop gives its variable. */
export function noteList(walk: ShellWalk, name: Word, list: readonly Word[] | undefined): void {
  walk.facts.isSure = false
  if (list === undefined) noteWrite(walk.facts, name.value, 'chosen')
  for (const word of list ?? []) {
    for (const one of listWords(walk, word)) {
      const { value, isMade, isPattern, start } = one
      const isFile = isPattern && !/^[-*?[]/.test(start)
      const guess = guessOption(one)
      if (guess !== null) noteWrite(walk.facts, name.value, { value: guess })
      noteWrite(walk.facts, name.value, isFile ? 'plain' : { value, isMade: isMade && !isPattern })
      // A pattern stands for files, and could stand for any of them.
      if (isPattern && value !== null) noteWrite(walk.facts, name.value, { value })
    }
  }
}

/** Notes what an assignment gives its variable. */
export function noteAssignment(walk: ShellWalk, node: Assignment): void {
  const { facts } = walk
  facts.isSure = walk.scope.isSure && !walk.prefixed.has(node) && node.index === undefined
  if (node.index !== undefined) calculates(walk, node.index.text)
  if (node.index !== undefined || node.value.type === 'ArrayValue') facts.arrays.add(node.name)
  if (node.value.type === 'ArrayValue') {
    noteWrite(facts, node.name, 'chosen')
    // Bash 5.2 loses the backslash in a substitution, stumbles, and goes on in the next line.
    if (walk.scope.isInner && node.text.includes('\\')) {
      hideCode(facts, 'a backslash in an array, inside a substitution', node.text.slice(0, 40))
    }
    for (const element of node.value.elements) {
      const at = element.text.indexOf(']=')
      if (element.text.startsWith('[') && at > 0) calculates(walk, element.text.slice(1, at))
    }
    return
  }
  if (node.value.text.startsWith('(')) {
    // WHY: to bash it is an array with a word behind it; our parser takes all of it for a text.
    return giveUp(facts, 'an array directly before a word', node.text)
  }
  const parts = node.value.parts
  const isCalculated = parts?.length === 1 && parts[0]?.type === 'ArithmeticExpansion'
  if (isCalculated) return noteWrite(facts, node.name, 'number')
  const before = node.append ? (facts.current.get(node.name) ?? null) : ''
  for (const one of valuesOfWord(walk, node.value, node.name)) {
    const value = one.value === null || before === null ? null : before + one.value
    const guess = guessOption(one)
    if (guess !== null) noteWrite(facts, node.name, { value: guess })
    noteWrite(facts, node.name, { value, isMade: one.isMade || before === null })
  }
}
