/**
 * What several checks need to know about one machine, computed once.
 * Knows stages and edges. Must not make findings.
 */
import { assertNever } from '../assert.ts'
import type { Finding } from '../finding.ts'
import { own } from '../json.ts'
import { type Edge, edgesOf } from './graph.ts'
import type { Machine, Stage } from './machine.ts'
import { nearestName } from './name-suggestions.ts'

export type CheckContext = {
  readonly machine: Machine
  readonly edges: readonly Edge[]
  /** Stage names in the author's order; a node of a graph is an index into it. */
  readonly names: readonly string[]
  readonly index: ReadonlyMap<string, number>
  /** The stage of that name, else the one that was probably meant. */
  readonly meant: (name: string) => string | undefined
  readonly words: AuthorWords
}

/** What the author calls things. A finding is read beside the author's file. */
type AuthorWords = {
  readonly stage: string
  readonly signal: string
  readonly detour: string
  /** How a way to the end is written. */
  readonly ending: string
}

/** One look at a machine. */
export type Check = (survey: CheckContext) => readonly Finding[]

// INVARIANT: guesses cost a comparison with every stage, so that there is a maximum of them.
const guessesMax = 30

/** Everything the checks share about a machine. */
export function checkContextOf(machine: Machine): CheckContext {
  const names = Object.keys(machine.stages)
  const guesses = new Map<string, string | undefined>()
  return {
    machine,
    edges: edgesOf(machine),
    names,
    index: new Map(names.map((name, node) => [name, node])),
    meant: (name) => {
      if (Object.hasOwn(machine.stages, name)) return name
      if (!guesses.has(name) && guesses.size < guessesMax) {
        guesses.set(name, nearestName(name, names))
      }
      return guesses.get(name)
    },
    words: wordsOf(machine),
  }
}

function wordsOf(machine: Machine): AuthorWords {
  const detour = 'interrupt'
  switch (machine.dialect) {
    case 'process': {
      const ending = 'give one of them an answer that completes or blocks'
      return { stage: 'state', signal: 'answer', detour, ending }
    }
    case 'workflow': {
      const ending = 'lead one of them to a final state'
      return { stage: 'state', signal: 'event', detour, ending }
    }
    case 'steps': {
      const ending = 'give every route out of one of them a condition, or omit `next`'
      return { stage: 'step', signal: 'submission', detour, ending }
    }
    default:
      return assertNever(machine.dialect)
  }
}

/** The stage of that name, if there is one. */
export function stageOf(survey: CheckContext, name: string | null): Stage | undefined {
  return name === null ? undefined : own(survey.machine.stages, name)
}

/** Whether the run goes on there: a stage that exists and ends nothing. */
export function isOpenEnded(survey: CheckContext, name: string | null): boolean {
  return stageOf(survey, name)?.final === null
}

/** Links between stages by the edges that are wanted; none leads out of a final stage. */
export function linksOf(survey: CheckContext, isWanted: (edge: Edge) => boolean): number[][] {
  const next: number[][] = survey.names.map(() => [])
  for (const edge of survey.edges) {
    if (edge.to === null || !isOpenEnded(survey, edge.from) || !isWanted(edge)) continue
    const from = survey.index.get(edge.from ?? '')
    const to = survey.index.get(survey.meant(edge.to) ?? '')
    if (from !== undefined && to !== undefined) next[from]?.push(to)
  }
  return next
}

/**
 * The links with one node more, which stands for "any stage": whoever may name the stage to go to
 * leads to it. WHY: an edge to each would be quadratic.
 */
export function withNamed(survey: CheckContext, next: readonly (readonly number[])[]): number[][] {
  const links = next.map((targets) => [...targets])
  const anyStage = links.length
  links.push(survey.names.map((_, node) => node))
  for (const edge of survey.edges) {
    if (edge.kind !== 'named' || !isOpenEnded(survey, edge.from)) continue
    links[survey.index.get(edge.from ?? '') ?? anyStage]?.push(anyStage)
  }
  return links
}
