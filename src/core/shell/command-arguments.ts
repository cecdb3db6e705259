/** A listed command as the rules on options see it. Only the shape. */

import type { PathOrigin } from './leaves-workspace.ts'

/** The words of a listed command behind those of its entry. */
export type CommandArguments = PathOrigin & {
  readonly name: string
  /** All words; null: only known when it runs. */
  readonly words: readonly (string | null)[]
  readonly starts: readonly string[]
  /** How many of them the entry names itself: those are the author's wish. */
  readonly listedCount: number
}
