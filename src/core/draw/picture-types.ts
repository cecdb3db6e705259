/**
 * The shape of a picture: nodes, edges and short texts, the same for every printer.
 * Must not know a dialect's words, a layout or an output format.
 */
import type { EndOutcome } from '../machine/machine.ts'

/** One thing worth knowing, under a short word that says what kind of thing it is. */
export type PictureFact = { readonly key: FactKey; readonly text: string }

type FactKey =
  | 'brief'
  | 'asks'
  | 'tools'
  | 'runs'
  | 'env'
  | 'limits'
  | 'calls'
  | 'jumps'
  | 'model'
  | 'policy'

export type Picture = {
  readonly title: string
  /** `6 stages · 3 ends`: the size, in words. */
  readonly about: string
  /** What holds in every stage. */
  readonly notes: readonly PictureFact[]
  /** What each named guard compares, in the order of first use. */
  readonly guards: readonly GuardNote[]
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly PictureEdge[]
}

export type GuardNote = { readonly name: string; readonly text: string }

export type PictureNode = {
  /** Letters, digits and `_` only, unique in the picture: safe in any output format. */
  readonly id: string
  readonly kind: NodeKind
  /** Short enough for a box. */
  readonly title: string
  /** The whole name, on one line. */
  readonly name: string
  readonly isInitial: boolean
  /** How the run ends here; null where it goes on. */
  readonly outcome: EndOutcome | null
  readonly facts: readonly PictureFact[]
}

/**
 * `handler`: a stage of a detour · `final`: a stage that ends the run · `branch_end`: a stage that
 * ends a branch · `end`: the run ends without a stage · `detour`: a file was changed, anywhere ·
 * `return`: back to where the detour began
 */
export type NodeKind =
  | 'stage'
  | 'handler'
  | 'final'
  | 'branch_end'
  | 'end'
  | 'fork'
  | 'join'
  | 'machine'
  | 'detour'
  | 'return'

export type PictureEdge = {
  readonly from: string
  readonly to: string
  readonly kind: PictureEdgeKind
  /** One line per different condition or gate; none when there is nothing to say. */
  readonly lines: readonly EdgeLine[]
  /** It leads to a failed or blocked end. */
  readonly isBad: boolean
}

export type PictureEdgeKind = 'normal' | 'fallback' | 'detour' | 'return' | 'fork' | 'join' | 'fail'

export type EdgeLine = {
  /** What is sent, `yes, n/a`; empty where the only thing to send is the form itself. */
  readonly signals: string
  /** `[tests_passed]`, `[else]` or nothing. */
  readonly condition: string
  /** What a person is asked before the move; null without a gate. */
  readonly gate: string | null
}
