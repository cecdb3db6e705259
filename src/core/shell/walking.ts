/**
 * The state of a walk: what lies ahead, where we stand, what was gathered.
 */
import type { Scope } from './add-command.ts'
import type { Facts } from './facts.ts'
import type { SyntaxNode } from './parse.ts'

/** Sets the scope for what follows; `joins`: unless a branch has moved elsewhere. */
export type Mark = { readonly type: 'Mark'; readonly scope: Scope; readonly joins: boolean }

/** What is visited next: a part of the tree, or a change of scope. */
export type Item = SyntaxNode | Mark

export type Walk = {
  readonly facts: Facts
  readonly stack: Item[]
  scope: Scope
  nodesCount: number
  /** Parts of words that `[[ ]]` compares with: patterns, whatever bash is told. */
  readonly tested: Set<object>
}

/** Visits this before what lies ahead. */
export function push(walk: Walk, item: Item): void {
  walk.stack.push(item)
}

/** Visits these, the first one first. */
export function pushAll(walk: Walk, items: readonly Item[]): void {
  for (let i = items.length - 1; i >= 0; i -= 1) walk.stack.push(items[i] as Item)
}
