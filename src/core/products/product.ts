/**
 * What converting a file of another product gives: definitions or policies for Pawl, and what was
 * changed or lost on the way. Types only.
 */
import type { SourceFormat } from '../source/read-source.ts'

export const productNames = ['statewright', 'cloudclawer', 'syllable', 'kruxos'] as const
export type ProductName = (typeof productNames)[number]

/** Something that is not as it was; `pointer` is its place in the file that was converted. */
export type ProductNote = {
  readonly kind: 'changed' | 'lost'
  readonly pointer: string
  readonly what: string
  /** What that means, or what to do about it. */
  readonly effect: string
}

export type ConvertedPart = {
  /** What it is called: the name of its file, if the original file has several. */
  readonly name: string
  readonly text: string
  readonly format: SourceFormat
  /** The text is the author's own, to the letter. */
  readonly isUnchanged: boolean
  readonly notes: readonly ProductNote[]
}

export type ConvertedFile = {
  readonly parts: readonly ConvertedPart[]
  /** About the file, not about one of its parts. */
  readonly notes: readonly ProductNote[]
}
