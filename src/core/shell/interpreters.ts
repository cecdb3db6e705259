/**
 * The code that a command is handed in its words or on its input. Which of its arguments contain
 * code is said in `programs/`.
 */
import { programArguments } from './read-arguments.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

const codeKinds: ReadonlySet<string> = new Set(
  'script code awk sed shell program setting'.split(' '),
)

/** Every piece of code that the command runs, as far as its text shows; empty: none. */
export function interpretedCode(command: SimpleCommand): readonly string[] {
  const found = programArguments(command)
  if (found === null) return []
  const { grammar, options, operands, verbs } = found
  const isQuery = /^(jq|gojq|jaq|yq)$/.test(baseName(command.words[0] ?? ''))
  const codes: string[] = []
  for (const { kind, value } of [...options, ...operands]) {
    const isCode = codeKinds.has(kind) || verbs.includes('eval') || isQuery
    if (isCode) codes.push(value ?? command.text)
  }
  const takesInput = grammar.use === 'runs' || grammar.raw.streams === 'no'
  if (takesInput && command.stdin !== null) codes.push(command.stdin)
  return codes
}
