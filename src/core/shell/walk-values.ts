/** Expansions and arithmetic in a walk: what they read, write and could run. */

import { readWord } from './expand-word.ts'
import type { ParameterExpansionPart, SyntaxNode } from './parse.ts'
import { giveUp, hideCode, hideValue, noteWrite, variableNamesIn } from './shell-facts.ts'
import type { ShellWalk } from './walk-state.ts'

/** Notes the variable that a calculation writes. */
export function noteTarget(walk: ShellWalk, node: SyntaxNode): void {
  if (node.type !== 'ArithmeticWord') return
  for (const name of variableNamesIn(node.value).slice(0, 1)) noteWrite(walk.facts, name, 'number')
}

// WHY from the first quote of a line on: trying every quote takes seconds where there are many.
const quotedCode = /^[^'"\\\n\r\u2028\u2029]*['"\\].*(\$\(|`)/m

/** Whatever bash calculates it evaluates again: a value `a[$(cmd)]` runs the command. */
export function calculates(walk: ShellWalk, written: string): void {
  // How many there are is a number, whatever they are.
  const text = written.replace(/\$\{#\w+(\[[@*]\])?\}/g, '0')
  if (/^\d*$/.test(text)) return
  const isQuotedCode = quotedCode.test(text)
  const token = text.slice(0, 40)
  const reason = 'arithmetic with a value that could contain a command'
  const isPositional = /\$\{?[#!]?[0-9@*]/.test(text)
  if (isQuotedCode) hideCode(walk.facts, reason, token)
  else if (isPositional) hideValue(walk.facts, reason, token)
  const names = variableNamesIn(text)
  if (names.length > 0) walk.facts.doubts.push({ names, allows: 'number', reason, token })
}

/**
 * WHY quotes do not matter: bash looks for the end of `$((…))` before it reads what is inside. A
 * lone `)` of a `case` ends it too early, and what was arithmetic is then commands.
 */
export function hasLoneParenthesis(text: string): boolean {
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth += 1
    else if (letter === ')') depth -= 1
    if (depth < 0) return true
  }
  return depth !== 0
}

/** Notes what `${…}` does with its variable. */
export function visitParameter(walk: ShellWalk, node: ParameterExpansionPart): void {
  const { facts } = walk
  const { operation, prefix, index } = node
  if (/[<>]\(/.test(node.text)) {
    // WHY: bash runs it even between double quotes, where our parser sees letters.
    return giveUp(facts, 'a stream inside an expansion', node.text)
  }
  const isWhole = index !== undefined && (index.text === '@' || index.text === '*')
  if (operation?.type === 'Names') facts.prefixes.push(node.parameter)
  else if (prefix === '!' && !isWhole) {
    facts.reads.add(node.parameter)
    facts.prefixes.push('')
    // The value names what is expanded, and a subscript in it is evaluated: `a[$(cmd)]`.
    hideCode(facts, 'a value that names another variable', node.text)
  } else facts.reads.add(node.parameter)
  if (index !== undefined && !isWhole) calculates(walk, index.text)
  if (operation?.type === 'Slice') {
    calculates(walk, operation.offset.text)
    if (operation.length !== undefined) calculates(walk, operation.length.text)
  }
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) {
    facts.isSure = false
    noteWrite(facts, node.parameter, { value: readWord(operation.operand)[0]?.value ?? null })
    hideValue(facts, 'an assignment inside a word', node.text)
  }
  const isPrompt = operation?.type === 'Transform' && operation.operand.value === 'P'
  if (isPrompt || operation?.type === 'Unknown') {
    hideCode(facts, 'a value that is expanded again', node.text)
  }
}
