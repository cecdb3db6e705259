/**
 * What is gathered while a text is walked, before it becomes a reading. The only mutable value in
 * this folder; it never leaves `read-shell.ts`.
 */
import type { TextSpan } from './invisible-characters.ts'
import type { AssignedValue, Dirs, Hidden, Redirection, SimpleCommand } from './shell-reading.ts'

/** What is known of the values a variable gets in the text, from harmless to anything. */
type Quality = 'number' | 'plain' | 'chosen'

/** A use of variables that is only safe if none of them was given something else before. */
export type Doubt = {
  readonly names: readonly string[]
  readonly allows: 'number' | 'plain'
  readonly reason: string
  readonly token: string
}

/** How much has been gathered. */
export type Count = { readonly commands: number; readonly redirections: number }

export type Facts = {
  readonly commands: SimpleCommand[]
  readonly redirections: Redirection[]
  readonly reads: Set<string>
  readonly writes: Map<string, Quality>
  readonly assignments: AssignedValue[]
  readonly prefixes: string[]
  readonly functions: string[]
  readonly hidden: Hidden[]
  readonly doubts: Doubt[]
  readonly quoted: TextSpan[]
  /** Loops that move elsewhere, none inside another, and where they may run. */
  readonly loops: { readonly from: Count; readonly to: Count; readonly dirs: Dirs }[]
  listsVariables: boolean
  /** See `GoodReading`. */
  isPlain: boolean
  /** Something runs with an environment that was emptied before. */
  empties: boolean
  /** Set once something cannot be read at all: the walk ends there. */
  problem: { readonly reason: string; readonly token: string } | null
}

/** Nothing gathered yet. */
export function newFacts(): Facts {
  return {
    commands: [],
    redirections: [],
    reads: new Set(),
    writes: new Map(),
    assignments: [],
    prefixes: [],
    functions: [],
    hidden: [],
    doubts: [],
    quoted: [],
    loops: [],
    listsVariables: false,
    isPlain: true,
    empties: false,
    problem: null,
  }
}

const rank: Readonly<Record<Quality, number>> = { number: 0, plain: 1, chosen: 2 }

/** A value as it is written, or only what it is good for. */
export type WrittenFileFact = Quality | { readonly value: string | null }

/** Notes that the text writes a variable; the worst of its values counts. */
export function noteWrite(facts: Facts, name: string, written: WrittenFileFact): void {
  const isKnown = typeof written === 'object'
  const quality = isKnown ? qualityOf(written.value) : written
  facts.assignments.push({ name, value: isKnown ? written.value : null })
  const known = facts.writes.get(name)
  if (known === undefined || rank[quality] > rank[known]) facts.writes.set(name, quality)
}

/** What a value is good for; null: not known before it runs. */
function qualityOf(value: string | null): Quality {
  if (value === null) return 'chosen'
  if (/^-?\d*$/.test(value)) return 'number'
  return /^[\w./@:+,=%][\w./@:+,=%-]*$/.test(value) ? 'plain' : 'chosen'
}

/** Notes that something runs, or could, that the text does not show. */
export function noteHidden(facts: Facts, hidden: Hidden): void {
  facts.hidden.push(hidden)
}

/** Turns the doubts that turned out right into hidden values. */
export function settleDoubts(facts: Facts): void {
  for (const doubt of facts.doubts) {
    const isBad = doubt.names.some((name) => {
      const quality = facts.writes.get(name)
      return quality !== undefined && rank[quality] > rank[doubt.allows]
    })
    if (isBad) noteHidden(facts, { kind: 'value', reason: doubt.reason, token: doubt.token })
  }
}

/** Names of variables in a piece of shell text, `$x`, `${x` and, in arithmetic, `x`. */
export function variableNamesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? []
}

/** Names behind a dollar sign. */
export function expandedIn(text: string): readonly string[] {
  return [...text.matchAll(/\$\{?[#!]?([A-Za-z_]\w*)/g)].map((found) => found[1] ?? '')
}
