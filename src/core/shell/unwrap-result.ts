/** The result of unwrapping a command, and helpers for it. */

import type { ReadWord } from './expand-word.ts'
import type { AssignedValue } from './shell-reading.ts'

/** `at`: the word of the outer command where it begins; null: made of other words. */
type InnerWords = {
  readonly kind: 'words'
  readonly words: readonly ReadWord[]
  readonly at: number | null
  readonly assigns: readonly AssignedValue[]
  readonly isByRunner: boolean
}

export type Inner =
  | InnerWords
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'hidden'; readonly reason: string; readonly token: string }

/** What stands behind a command's standard input. */
export type Feed =
  | { readonly kind: 'none' }
  | { readonly kind: 'file' }
  | { readonly kind: 'text'; readonly text: string }
  /** `isPipe`: it is what the command in front of it says; `isTame`: names, numbers, no options. */
  | {
      readonly kind: 'unknown'
      readonly isPipe?: true
      readonly isTame?: () => boolean
      /** All that it says, where that is known. */
      readonly said?: string | null
    }

/** Something runs that the words do not show. */
export function hide(reason: string, word: ReadWord | undefined): readonly Inner[] {
  return [{ kind: 'hidden', reason, token: word?.text ?? '' }]
}

/** An inner command that begins at a word of the outer one. */
export function inner(words: readonly ReadWord[], at: number | null): InnerWords {
  return { kind: 'words', words, at, assigns: [], isByRunner: false }
}

/** `--help` and `--version` alone run nothing. */
export function isAsking(words: readonly ReadWord[]): boolean {
  return words.length === 2 && /^(--help|--version)$/.test(words[1]?.value ?? '')
}

/** Words joined to a script, as `watch`, `eval` and others do it. */
export function joined(words: readonly ReadWord[]): readonly Inner[] {
  const unknown = words.find((word) => word.value === null)
  if (unknown !== undefined) return hide('a script that is only known when it runs', unknown)
  return [{ kind: 'script', text: words.map((word) => word.value).join(' ') }]
}

/** One word as a script. */
export function scriptOf(word: ReadWord): readonly Inner[] {
  if (word.value === null) return hide('a script that is only known when it runs', word)
  return [{ kind: 'script', text: word.value }]
}

/** Files that are streams the command has: its input, or another descriptor. */
export function streamOf(word: ReadWord): 'input' | 'other' | null {
  const value = word.value ?? ''
  if (/^\/dev\/(stdin|fd\/0)$|^\/proc\/self\/fd\/0$/.test(value)) return 'input'
  return /^\/dev\/fd\/|^\/proc\/.*\/fd\//.test(value) ? 'other' : null
}
