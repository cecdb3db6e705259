/**
 * What is collected while a text is walked, before it becomes a reading. The only mutable value in
 * this folder; it never leaves `read-shell.ts`.
 */
import type { TextSpan } from './invisible-characters.ts'
import type { AssignedValue, Dirs, Hidden, Redirection, SimpleCommand } from './shell-reading.ts'
import { type VariableFact, withAssignment } from './variable-values.ts'

/** What is known of the values a variable gets in the text, from harmless to anything. */
type Quality = 'number' | 'plain' | 'chosen'

/** A use of variables that is only safe if none of them was given something else before. */
export type Doubt = {
  readonly names: readonly string[]
  readonly allows: 'number' | 'plain' | 'scalar'
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
  /** Variables that the text makes arrays, or may. */
  readonly arrays: Set<string>
  /** What the text assigns, gathered anew with every walk. */
  readonly found: Map<string, VariableFact>
  /** The same from the walk before; null: this is the first one. */
  readonly known: ReadonlyMap<string, VariableFact> | null
  /** The values at this point of the straight way. */
  readonly current: Map<string, string>
  /** What is being visited happens in any case, once. */
  isSure: boolean
  /** A file or a text that is evaluated could assign anything. */
  isOpaque: boolean
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

/** Nothing gathered yet but what a walk before has found. */
export function newFacts({ known, isOpaque }: Pick<Facts, 'known' | 'isOpaque'>): Facts {
  return {
    found: new Map(),
    known,
    current: new Map(),
    isSure: true,
    isOpaque,
    commands: [],
    redirections: [],
    reads: new Set(),
    writes: new Map(),
    arrays: new Set(),
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
export type WrittenFileFact =
  | Quality
  /** `isMade`: see `ReadWord`; if it is not said, a value that is not known could be anything. */
  | { readonly value: string | null; readonly isMade?: boolean }

/** Numbers of the shell itself: what is assigned to one is calculated, and so evaluated. */
const shellNumbers = /^(RANDOM|SRANDOM|SECONDS|OPTIND|HISTCMD|LINENO|BASHPID|EPOCHSECONDS)$/

/** Notes that the text writes a variable; the worst of its values counts. */
export function noteWrite(facts: Facts, name: string, written: WrittenFileFact): void {
  const isKnown = typeof written === 'object'
  const quality = isKnown ? qualityOf(written.value) : written
  facts.assignments.push({ name, value: isKnown ? written.value : null })
  if (quality !== 'number' && shellNumbers.test(name)) {
    hideCode(facts, 'a number that is calculated', name)
  }
  const before = facts.writes.get(name)
  if (before === undefined || rank[quality] > rank[before]) facts.writes.set(name, quality)
  const value = isKnown ? written.value : null
  const isMade = isKnown ? (written.isMade ?? true) : written === 'chosen'
  const { isSure } = facts
  facts.found.set(name, withAssignment(facts.found.get(name), value, { isMade, isSure }))
  if (value !== null && isSure) facts.current.set(name, value)
  else facts.current.delete(name)
}

/** What a value is good for; null: not known before it runs. */
function qualityOf(value: string | null): Quality {
  if (value === null) return 'chosen'
  if (/^-?\d*$/.test(value)) return 'number'
  return /^[\w./@:+,=%][\w./@:+,=%-]*$/.test(value) ? 'plain' : 'chosen'
}

/** The most characters of the text in a message about what cannot be read. */
const tokenCharsMax = 40

/** Something cannot be read at all: nothing after it is looked at. */
export function giveUp(facts: Facts, reason: string, token: string): void {
  facts.problem = { reason, token: token.slice(0, tokenCharsMax) }
}

/** Notes that a program or script runs, or could, that the text does not show. */
export function hideCode(facts: Facts, reason: string, token: string): void {
  facts.hidden.push({ kind: 'code', reason, token })
}

/** Notes that a value could carry a command. */
export function hideValue(facts: Facts, reason: string, token: string): void {
  facts.hidden.push({ kind: 'value', reason, token })
}

/** Turns the doubts that turned out right into hidden values. */
export function settleDoubts(facts: Facts): void {
  for (const doubt of facts.doubts) {
    const bad = doubt.names.filter((name) => {
      if (doubt.allows === 'scalar') return facts.arrays.has(name)
      const quality = facts.writes.get(name)
      return quality !== undefined && rank[quality] > rank[doubt.allows]
    })
    if (bad.length === 0) continue
    const hide = bad.some((name) => holdsCode(facts, name)) ? hideCode : hideValue
    hide(facts, doubt.reason, doubt.token)
  }
}

/**
 * A value that holds a subscript, or that the text makes up, is code, and so is one that names
 * such a variable: bash goes on evaluating. Others only might be.
 */
function holdsCode(facts: Facts, name: string): boolean {
  // INVARIANT: each name once, however many values name it: texts may name each other in a ring.
  const names = new Set([name])
  for (const one of names) {
    const fact = facts.found.get(one)
    if (fact === undefined) continue
    if (fact.isMade || fact.values.some((value) => /[[$`]/.test(value))) return true
    for (const value of fact.values) for (const other of variableNamesIn(value)) names.add(other)
  }
  return false
}

/** Names of variables in a piece of shell text, `$x`, `${x` and, in arithmetic, `x`. */
export function variableNamesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? []
}

/** Names behind a dollar sign. */
export function expandedIn(text: string): readonly string[] {
  return [...text.matchAll(/\$\{?[#!]?([A-Za-z_]\w*)/g)].map((found) => found[1] ?? '')
}
