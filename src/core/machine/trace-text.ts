/**
 * A path through a machine in one line, and what it takes to walk it.
 * Knows moves. Must not know why the path is shown.
 */
import { assertNever } from '../assert.ts'
import type { Guard } from './machine.ts'
import type { ProofMove } from './proof-moves.ts'

/** `red → WRITTEN → green → FIXED → done`; a path without moves is where it begins. */
export function traceText(initial: string, path: readonly ProofMove[]): string {
  const steps = path.flatMap((move) => [howText(move), move.to ?? 'end'])
  return [path[0]?.from ?? initial, ...steps].join(' → ')
}

function howText({ how, name, isOpaque }: ProofMove): string {
  switch (how) {
    case 'signal':
      return isOpaque === true ? `${name} (invoke)` : (name ?? '')
    case 'unknown signal':
      return '(any other signal)'
    case 'named stage':
      return `${name} (names the stage)`
    case 'interrupt':
      return `(interrupt ${name})`
    case 'branch':
      return `${name} (branch)`
    case 'join':
      return `${name} (after its branches)`
    default:
      return assertNever(how)
  }
}

/** What has to be true on the way: guards that hold and approvals, each once. */
export function traceNeeds(path: readonly ProofMove[]): readonly string[] {
  const needs = path.flatMap((move) => {
    const guards = move.guards.map((guard) => `guard \`${guardText(guard)}\` holds`)
    return move.hasGate ? [...guards, `a person approves \`${move.name}\``] : guards
  })
  return [...new Set(needs)]
}

function guardText(guard: Guard): string {
  if (guard.kind !== 'expr') return guard.name
  return guard.expr.language === 'case' ? 'case' : guard.expr.text
}
