/**
 * An expression as a machine stores it: its language and its text. Only the shape; `evaluate.ts`
 * evaluates it.
 */
import type { Json } from '../json.ts'

export type Expr =
  | { readonly language: 'jmespath' | 'cel'; readonly text: string; readonly origin: string }
  /** The first branch whose condition holds gives the value; none: null. */
  | { readonly language: 'case'; readonly branches: readonly CaseBranch[]; readonly origin: string }

export type CaseBranch = {
  readonly if: Expr | null
  readonly value:
    | { readonly kind: 'literal'; readonly value: Json }
    | { readonly kind: 'expr'; readonly expr: Expr }
}

/** What an expression sees. Globals are visible bare and under `vars`. */
export type Scope = {
  readonly vars: { readonly [key: string]: Json }
  readonly local: { readonly [key: string]: Json }
  readonly inputs: { readonly [key: string]: Json }
}

/** The value of an expression, or why it has none. Faults are never swallowed. */
export type Evaluated =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string }
