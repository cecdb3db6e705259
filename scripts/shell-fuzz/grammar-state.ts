/**
 * The state of generating a command: randomness, a size budget, and the parts of the grammar that
 * words need, so that words can contain commands without importing the grammar.
 */
import type { Random } from './random.ts'

export type GrammarState = {
  readonly random: Random
  /** Wrappers and builtins are on the list. */
  readonly isLong: boolean
  /** How often, of 100, a command is a stranger. */
  readonly strangeness: number
  /** What is left of the size; constructs use it up. */
  fuel: number
  readonly list: Part
  readonly simple: Part
  readonly arithmetic: Part
}

type Part = (make: GrammarState) => string
