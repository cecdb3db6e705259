/**
 * Where a move leads, in a few words.
 */
import { assertNever } from '../assert.ts'
import type { Move } from './machine.ts'

/** `→ review`: what a person reads before agreeing to it. */
export function moveText(move: Move): string {
  switch (move.kind) {
    case 'goto':
      return `→ ${move.stage}`
    case 'return':
      return '→ back'
    case 'end':
      return `→ ${move.outcome}`
    case 'invoke':
      return `→ runs ${move.machine}, then ${move.onComplete}`
    case 'fork':
      return `→ forks ${move.branches.map((one) => one.name).join(', ')}, then ${move.onComplete}`
    default:
      return assertNever(move)
  }
}
