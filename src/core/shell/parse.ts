/**
 * The one place that knows the parser. What bash would reject is rejected here: the parser itself
 * recovers from errors, and a guard must not judge a guess.
 */

import type { ParsedScript, SyntaxNode } from 'unbash'
import { forEachChild, parse } from 'unbash'

export type {
  AndOr,
  ArithmeticExpression,
  Assignment,
  Command,
  CompoundList,
  Coproc,
  HereDoc,
  HereString,
  ParameterExpansionPart,
  ParsedScript,
  Pipeline,
  Redirect,
  Redirected,
  Redirection as RedirectionNode,
  SyntaxNode,
  TestBinaryExpression,
  TestUnaryExpression,
  Word,
  WordPart,
} from 'unbash'

export type ParsedShell =
  | { readonly ok: true; readonly script: ParsedScript }
  | { readonly ok: false; readonly reason: string; readonly token: string }

/** The tree of a text. A nested script reports its own errors: see `problemOf`. */
export function parseShell(text: string): ParsedShell {
  const script = parse(text)
  const problem = problemOf(script)
  if (problem === null) return { ok: true, script }
  return { ok: false, reason: problem.reason, token: shellExcerpt(text, problem.at) }
}

/** The first thing in a script that bash could not read. */
export function problemOf(
  script: ParsedScript,
): { readonly reason: string; readonly at: number } | null {
  const first = script.errors?.[0]
  return first === undefined ? null : { reason: first.message, at: first.pos }
}

/** The direct children of a node, in the order of the text. */
export function shellChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  forEachChild(node, (child) => {
    children.push(child)
  })
  return children
}

const excerptCharsMax = 40

/** A few characters of the text around a place, for a message. */
export function shellExcerpt(text: string, at: number): string {
  const begin = Math.max(0, Math.min(at, text.length - 1) - excerptCharsMax / 2)
  return text.slice(begin, begin + excerptCharsMax).trim()
}
