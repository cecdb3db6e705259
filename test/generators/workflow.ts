/**
 * Workflow definitions from their grammar: every way to write a transition, guards with every
 * operator, forks, invokes, interrupts, approvals and limits. Mostly valid, so that most run.
 */
import fc from 'fast-check'
import type { Json } from '../../src/core/json.ts'
import { compareOps } from '../../src/core/machine/machine.ts'
import { maybe, pick, rarely, seldom, some, written } from './generator-helpers.ts'
import { fieldName, signalName, stageNames, toolNames } from './names.ts'
import { policy } from './policy.ts'
import type { EndGates } from './process.ts'
import { plainData, plainValue } from './values.ts'

const branchPlan = fc.record({
  name: fc.constantFrom('left', 'right', 'middle', '2', '1', 'a b'),
  initial: some,
  terminal: some,
})
type BranchPlan = { name: string; initial: number; terminal: number }

const transitionPlan = fc.record({
  event: signalName,
  kind: fc.constantFrom('text', 'text', 'text', 'object', 'object', 'list', 'invoke', 'fork'),
  targets: fc.array(some, { minLength: 3, maxLength: 3 }),
  guards: fc.array(some, { maxLength: 2 }),
  isGated: rarely(3),
  message: maybe(fc.constantFrom('May it?', '')),
  invoked: some,
  input: maybe(plainData),
  isAny: fc.boolean(),
  hasFail: fc.boolean(),
  branches: fc.array(branchPlan, { minLength: 1, maxLength: 3, size: 'max' }),
})
type TransitionPlan = {
  event: string
  kind: string
  targets: number[]
  guards: number[]
  isGated: boolean
  message: string | undefined
  invoked: number
  input: object | undefined
  isAny: boolean
  hasFail: boolean
  branches: BranchPlan[]
}

const statePlan = fc.record({
  transitions: fc.array(transitionPlan, { minLength: 1, maxLength: 4, size: 'max' }),
  rule: fc
    .record({
      instructions: maybe(fc.constantFrom('Work.', '', '{{x}}')),
      allowed_tools: seldom(fc.subarray([...toolNames])),
      disallowed_tools: seldom(fc.subarray([...toolNames], { maxLength: 2 })),
      allowed_commands: seldom(fc.subarray(['npm test', 'ls', 'git'])),
      blocked_env: maybe(fc.constant(['SECRET'])),
      env_overrides: maybe(fc.constant({ MODE: 'safe' })),
      max_iterations: maybe(fc.integer({ min: 1, max: 3 }), 2),
      max_edit_lines: seldom(fc.integer({ min: 1, max: 20 })),
      max_files_per_state: seldom(fc.integer({ min: 1, max: 2 })),
      context_budget_bytes: seldom(fc.integer({ min: 1, max: 100 })),
      model: maybe(fc.constant('small')),
      thinking_level: maybe(fc.constant('high')),
    })
    .map(written),
  safeNext: seldom(some),
})

const guardPlan = fc
  .record({
    field: fieldName,
    op: fc.constantFrom(...compareOps),
    value: plainValue,
    source: maybe(fc.constantFrom('claimed', 'observed', 'given')),
  })
  .map(({ op, value, ...rest }) => {
    const list = Array.isArray(value) ? value : [value]
    return written({ ...rest, op, value: op === 'in' ? list : value })
  })

const metaPlan = fc
  .record({
    danger_level: maybe(fc.constantFrom('safe', 'moderate', 'dangerous')),
    approval_mode: seldom(fc.constantFrom('ui', 'none')),
    debug: seldom(fc.constant(true)),
    after_end: maybe(fc.constantFrom('hold', 'release')),
    calls_max: seldom(fc.integer({ min: 1, max: 12 })),
    requires_human_approval: maybe(fc.boolean()),
    note: maybe(plainValue),
  })
  .map(written)

const plan = fc.record({
  names: stageNames(3, 9),
  finalsCount: fc.integer({ min: 1, max: 3 }),
  initial: some,
  states: fc.array(statePlan, { minLength: 9, maxLength: 9 }),
  guards: fc.array(guardPlan, { minLength: 1, maxLength: 4 }),
  interrupts: fc.array(
    fc.record({
      name: fc.constantFrom('notes', 'lock', '7'),
      pattern: fc.constantFrom('**/*.md', 'src/**', '*', '**', '**', 'package.json', 'a/?'),
      target: some,
      canReturn: fc.boolean(),
      isGated: rarely(4),
    }),
    { maxLength: 2, size: 'max' },
  ),
  context: maybe(plainData, 2),
  meta: maybe(metaPlan, 1),
  policy: maybe(policy),
  isBroken: rarely(30),
})

type World = {
  readonly names: readonly string[]
  readonly open: readonly string[]
  readonly finals: readonly string[]
  readonly guardsCount: number
  readonly invoked: readonly string[]
  readonly gates: EndGates
}

function conditions(one: TransitionPlan, world: World, isLast: boolean): object {
  const guards = one.guards.map((number) => `g${number % world.guardsCount}`)
  return written({
    guard: isLast ? undefined : guards[0],
    guards: isLast || guards.length < 2 ? undefined : guards.slice(1),
    requires_approval: one.isGated ? true : undefined,
    approval_message: one.isGated ? one.message : undefined,
  })
}

/** A move to a stage; where every end is gated, a move to a final one always asks. */
function moveTo(one: TransitionPlan, world: World, index: number): object {
  const target = pick(world.names, one.targets[index] ?? 0)
  const mustAsk = world.gates === 'every' && world.finals.includes(target)
  const gate = mustAsk ? { requires_approval: true } : {}
  return { target, ...conditions(one, world, index === 2), ...gate }
}

/** Where a run goes on after its children: past a gate only if the gate was before them. */
function after(one: TransitionPlan, world: World): { on_complete: string; on_fail?: string } {
  const names = world.gates === 'every' ? world.open : world.names
  const on_complete = pick(names, one.targets[0] ?? 0)
  return one.hasFail ? { on_complete, on_fail: pick(names, one.targets[1] ?? 0) } : { on_complete }
}

function branchOf(one: BranchPlan, world: World): object {
  return { initial: pick(world.open, one.initial), terminal: pick(world.finals, one.terminal) }
}

function transitionOf(one: TransitionPlan, world: World): unknown {
  const isBound = world.gates === 'every'
  if (one.kind === 'list') return [0, 1, 2].map((index) => moveTo(one, world, index))
  if (one.kind === 'object') return moveTo(one, world, 0)
  if (one.kind === 'invoke' && world.invoked.length > 0) {
    const invoke = pick(world.invoked, one.invoked)
    return written({
      invoke,
      input: one.input,
      ...after(one, world),
      ...conditions(one, world, true),
    })
  }
  if (one.kind === 'fork') {
    const branches = one.branches.map((branch) => [branch.name, branchOf(branch, world)])
    const join = one.isAny ? 'any' : 'all'
    const fork = { branches: Object.fromEntries(branches), join, ...after(one, world) }
    return { fork, ...conditions(one, world, true) }
  }
  return isBound ? moveTo(one, world, 0) : pick(world.names, one.targets[0] ?? 0)
}

type Written = Record<string, Record<string, unknown>>
type Fork = { branches: Record<string, { initial: string; terminal: string }> }

/** A branch that can never reach its terminal is an error, so that every branch gets a way. */
function leadToTerminals(states: Written, { finals, gates }: World): void {
  const ways = Object.values(states).flatMap((state) => Object.values(state.on ?? {}))
  const forks = ways.flatMap((way: { fork?: Fork }) => (way.fork === undefined ? [] : [way.fork]))
  for (const { initial, terminal } of forks.flatMap(({ branches }) => Object.values(branches))) {
    const on = (states[initial]?.on ?? {}) as Record<string, unknown>
    const isGated = gates === 'every'
    const way = isGated ? { target: terminal, requires_approval: true } : terminal
    on[`OUT_${finals.indexOf(terminal)}`] = way
  }
}

/** A workflow that may invoke the named definitions. */
export function workflowDefinition(
  gates: EndGates,
  invoked: readonly string[],
): fc.Arbitrary<Json> {
  return plan.map((one) => {
    const finals = one.names.slice(-Math.min(one.finalsCount, one.names.length - 1))
    const open = one.names.filter((name) => !finals.includes(name))
    const world: World = {
      ...{ names: one.names, open, finals, invoked, gates },
      guardsCount: one.guards.length,
    }
    const states: Record<string, Record<string, unknown>> = {}
    for (const [index, name] of one.names.entries()) {
      const state = one.states[index]
      if (state === undefined || finals.includes(name)) states[name] = { type: 'final' }
      else {
        const next = gates === 'every' ? open : one.names
        const on = state.transitions.map((each) => [each.event, transitionOf(each, world)])
        const safe = state.safeNext === undefined ? {} : { safe_next: pick(next, state.safeNext) }
        states[name] = { ...state.rule, ...safe, on: Object.fromEntries(on) }
      }
    }
    leadToTerminals(states, world)
    const interrupts = one.interrupts.map((each) => {
      const target = pick(open, each.target)
      const on = (states[target]?.on ?? {}) as Record<string, unknown>
      const back = each.isGated ? { target: '$return', requires_approval: true } : '$return'
      if (each.canReturn) on.RETURN = back
      return [each.name, { trigger: { file_pattern: each.pattern }, target }]
    })
    const meta = gates === 'every' ? { ...one.meta, debug: false, approval_mode: 'ui' } : one.meta
    return written({
      id: 'generated',
      initial: one.isBroken ? 'nowhere' : pick(open, one.initial),
      context: one.context,
      states,
      guards: Object.fromEntries(one.guards.map((guard, index) => [`g${index}`, guard])),
      interrupts: interrupts.length === 0 ? undefined : Object.fromEntries(interrupts),
      meta,
      policy: one.policy,
    }) as unknown as Json
  })
}
