/** Expansions and arithmetic in a walk: what they read, write and could run. */

import { readWord } from './expand-word.ts'
import type { ParameterExpansionPart, SyntaxNode } from './parse.ts'
import { noteHidden, noteWrite, variableNamesIn } from './shell-facts.ts'
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
  if (isQuotedCode) noteHidden(walk.facts, { kind: 'code', reason, token })
  else if (isPositional) noteHidden(walk.facts, { kind: 'value', reason, token })
  const names = variableNamesIn(text)
  if (names.length > 0) walk.facts.doubts.push({ names, allows: 'number', reason, token })
}

/** Notes what `${…}` does with its variable. */
export function visitParameter(walk: ShellWalk, node: ParameterExpansionPart): void {
  const { facts } = walk
  const { operation, prefix, index } = node
  if (/[<>]\(/.test(node.text)) {
    // WHY: bash runs it even between double quotes, where our parser sees letters.
    facts.problem = { reason: 'a stream inside an expansion', token: node.text.slice(0, 40) }
    return
  }
  const isWhole = index !== undefined && (index.text === '@' || index.text === '*')
  if (operation?.type === 'Names') facts.prefixes.push(node.parameter)
  else if (prefix === '!' && !isWhole) {
    facts.reads.add(node.parameter)
    facts.prefixes.push('')
    // The value names what is expanded, and a subscript in it is evaluated: `a[$(cmd)]`.
    const reason = 'a value that names another variable'
    noteHidden(facts, { kind: 'code', reason, token: node.text })
  } else facts.reads.add(node.parameter)
  if (index !== undefined && !isWhole) calculates(walk, index.text)
  if (operation?.type === 'Slice') {
    calculates(walk, operation.offset.text)
    if (operation.length !== undefined) calculates(walk, operation.length.text)
  }
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) {
    facts.isSure = false
    noteWrite(facts, node.parameter, { value: readWord(operation.operand)[0]?.value ?? null })
    const reason = 'an assignment inside a word'
    noteHidden(facts, { kind: 'value', reason, token: node.text })
  }
  const isPrompt = operation?.type === 'Transform' && operation.operand.value === 'P'
  if (isPrompt || operation?.type === 'Unknown') {
    noteHidden(facts, { kind: 'code', reason: 'a value that is expanded again', token: node.text })
  }
}
