/**
 * Findings about counters that are reset in every round they count.
 * Knows ops and cycles. Reads expressions as text only: whether they name a variable.
 */
import type { Expr } from '../expr/expression-types.ts'
import { type Finding, finding } from '../finding.ts'
import { type CheckContext, linksOf, stageOf } from './check-context.ts'
import { cyclesOf } from './graph.ts'
import type { Guard, Op, ScopePath, Stage } from './machine.ts'
import { opsAt } from './variable-writers.ts'

// INVARIANT: each candidate costs a walk over its cycle, so that there is a maximum of them.
const candidatesMax = 200

type SetOp = Extract<Op, { kind: 'set' }>

/**
 * COUNTER_RESET_IN_LOOP: entering a stage sets a variable that the rounds through it count and a
 * condition reads, so that the condition never sees more than one round.
 */
export function checkCounters(survey: CheckContext): readonly Finding[] {
  // The agent may go back wherever it may name a stage: no loop that the author counts.
  const next = linksOf(survey, (edge) => edge.kind !== 'named')
  const found: Finding[] = []
  let candidates = 0
  for (const cycle of cyclesOf(next)) {
    const stages = cycle.flatMap((node) => stageOf(survey, survey.names[node] ?? '') ?? [])
    const counted = countedIn(stages)
    if (counted.size === 0) continue
    for (const stage of stages) {
      for (const op of resetsOf(stage)) {
        const counters = counted.get(pathText(op.path))
        if (counters === undefined || candidates >= candidatesMax) continue
        candidates += 1
        if (!isReadIn(stages, op.path) || hasInnerLoop({ next, cycle, survey }, stage, counters)) {
          continue
        }
        found.push(resetFinding(survey, stage, op))
      }
    }
  }
  return found
}

function resetFinding(survey: CheckContext, stage: Stage, op: SetOp): Finding {
  const name = pathText(op.path)
  const message =
    `\`${name}\` counts the rounds through \`${stage.name}\`, ` +
    `but is set again whenever the ${survey.words.stage} is entered`
  const hint = `set \`${name}\` once, before the loop, or only while it has no value`
  return finding('COUNTER_RESET_IN_LOOP', op.origin, { message, hint })
}

function pathText(path: ScopePath): string {
  return path.join('.')
}

/** Sets on entry that start from nothing; one with a condition may mean the first time only. */
function resetsOf(stage: Stage): SetOp[] {
  return stage.enter.filter((op): op is SetOp => {
    if (op.kind !== 'set' || op.if !== null) return false
    return op.value.kind === 'literal' || !mentions(op.value.expr, op.path)
  })
}

/** Variables that are counted in these stages, and by which. */
function countedIn(stages: readonly Stage[]): ReadonlyMap<string, ReadonlySet<string>> {
  const counted = new Map<string, Set<string>>()
  for (const stage of stages) {
    for (const op of opsAt(stage)) {
      if (op.kind !== 'inc') continue
      const by = counted.get(pathText(op.path)) ?? new Set()
      counted.set(pathText(op.path), by.add(stage.name))
    }
  }
  return counted
}

type Loop = {
  readonly next: readonly (readonly number[])[]
  readonly cycle: readonly number[]
  readonly survey: CheckContext
}

/** Whether the counting goes round without the stage that resets: an inner loop, rightly reset. */
function hasInnerLoop(loop: Loop, reset: Stage, counters: ReadonlySet<string>): boolean {
  if (counters.has(reset.name)) return false
  const { next, cycle, survey } = loop
  const position = new Map(cycle.map((node, i) => [node, i]))
  position.delete(survey.index.get(reset.name) ?? -1)
  const inner = cycle.map((node) => {
    if (!position.has(node)) return []
    return (next[node] ?? []).flatMap((target) => position.get(target) ?? [])
  })
  return cyclesOf(inner).some((group) => {
    return group.some((i) => counters.has(survey.names[cycle[i] ?? -1] ?? ''))
  })
}

// ── reading ─────────────────────────────────────────────────────────────────

function isReadIn(stages: readonly Stage[], path: ScopePath): boolean {
  return stages.some((stage) => {
    return Object.values(stage.signals).some((trigger) => {
      return trigger.routes.some((route) => route.guards.some((guard) => reads(guard, path)))
    })
  })
}

function reads(guard: Guard, path: ScopePath): boolean {
  if (guard.kind === 'compare') return path[0] === 'vars' && guard.field === path[1]
  return guard.kind === 'expr' && mentions(guard.expr, path)
}

/** Whether an expression names the variable: as a word of its own, whatever is around it. */
function mentions(expr: Expr, path: ScopePath): boolean {
  const name = path.at(-1) ?? ''
  const open: Expr[] = [expr]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.language !== 'case') {
      if (hasWord(one.text, name)) return true
      continue
    }
    for (const branch of one.branches) {
      if (branch.if !== null) open.push(branch.if)
      if (branch.value.kind === 'expr') open.push(branch.value.expr)
    }
  }
  return false
}

const wordCharacter = /[\p{L}\p{N}_$]/u

function hasWord(text: string, word: string): boolean {
  if (word === '') return false
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + word.length] ?? ' '
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) return true
  }
  return false
}
