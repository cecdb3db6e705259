/** The state of a walk: what is left to visit, the current position, and what was collected. */
import type { CommandScope } from './add-command.ts'
import type { SyntaxNode } from './parse.ts'
import type { Count, Facts } from './shell-facts.ts'

/** Sets the scope for what follows. */
export type WalkMark = {
  readonly type: 'Mark'
  readonly scope: CommandScope
  /** What was visited since then runs in the same shell, and may have moved it. */
  readonly joins: boolean
  /** It is a loop, and what was gathered before it. */
  readonly loop?: Count
}

/** Something to do once everything in front of it has been visited. */
export type WalkStep = { readonly type: 'Step'; readonly run: () => void }

/** What is visited next: a part of the tree, or a change of scope. */
export type WalkItem = SyntaxNode | WalkMark | WalkStep

export type ShellWalk = {
  readonly facts: Facts
  readonly stack: WalkItem[]
  scope: CommandScope
  nodesCount: number
  /** Parts of words that `[[ ]]` compares with: patterns, whatever bash is told. */
  readonly tested: Set<object>
  /** Assignments in front of a command: they are gone afterwards. */
  readonly prefixed: Set<object>
}

/** A walk that begins. */
export function newWalk(script: SyntaxNode, facts: Facts, scope: CommandScope): ShellWalk {
  return { facts, stack: [script], scope, nodesCount: 0, tested: new Set(), prefixed: new Set() }
}

/** Visits these, the first one first. */
export function pushItems(walk: ShellWalk, items: readonly WalkItem[]): void {
  for (let i = items.length - 1; i >= 0; i -= 1) walk.stack.push(items[i] as WalkItem)
}
