/**
 * What holds on every walk, whatever the definition and whatever was sent.
 * Each check looks at a whole trace and says in words what was broken, or null.
 */
import { evolve, unborn } from '../../src/core/engine/evolve.ts'
import type { Family, FamilyMember } from '../../src/core/engine/family.ts'
import { hasEnded } from '../../src/core/engine/is-running.ts'
import type { Event, RunState } from '../../src/core/engine/types.ts'
import type { Json } from '../../src/core/json.ts'
import { equalJson } from '../../src/core/json.ts'
import type { Machine, Route } from '../../src/core/machine/machine.ts'
import type { Step, Trace } from '../generators/walk.ts'
import { lastFamily } from '../generators/walk.ts'

export type Check = (trace: Trace) => string | null

/** The first complaint about any step. */
export function eachStep(look: (step: Step) => string | null): Check {
  return (trace) => {
    for (const [index, step] of trace.steps.entries()) {
      const complaint = look(step)
      if (complaint !== null) return `step ${index} (${step.command.type}): ${complaint}`
    }
    return null
  }
}

/** A member of a family by its run. */
export function memberIn(family: Family | null, runId: string): FamilyMember | undefined {
  return family?.members.find((member) => member.runId === runId)
}

/** Whether two states are the same data. */
export function same(left: RunState, right: RunState): boolean {
  return equalJson(left as unknown as Json, right as unknown as Json)
}

/** The machine's routes by their place in the definition. */
export function routesOf(machine: Machine): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>()
  for (const stage of Object.values(machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const route of trigger.routes) routes.set(route.origin, route)
    }
  }
  return routes
}

/** Events of each step, folded from the state before it, give the state after it. */
export const foldsToState: Check = eachStep((step) => {
  for (const { runId, state } of step.answered.family.members) {
    let folded = memberIn(step.before, runId)?.state ?? unborn
    for (const { runId: of, event } of step.answered.recorded) {
      if (of === runId) folded = evolve(folded, event)
    }
    if (!same(folded, state)) return `the events of ${runId} do not fold to its state`
  }
  return null
})

/** The whole log, written down and read again, folds to the last state. */
export const replays: Check = (trace) => {
  const log = trace.steps.flatMap((step) => step.answered.recorded)
  const read = JSON.parse(JSON.stringify(log)) as { runId: string; event: Event }[]
  for (const { runId, state } of lastFamily(trace).members) {
    const own = read.filter((one) => one.runId === runId).map((one) => one.event)
    const folded = own.reduce(evolve, unborn)
    if (!same(folded, state)) return `the stored log of ${runId} does not fold to its state`
    if (own.length !== state.seq) return `${runId} has ${own.length} events but counts ${state.seq}`
  }
  return null
}

function oddPlace(value: unknown, path: string): string | null {
  if (value === undefined || typeof value === 'function' || typeof value === 'bigint') return path
  if (typeof value === 'number' && !Number.isFinite(value)) return path
  if (typeof value !== 'object' || value === null) return null
  for (const [key, member] of Object.entries(value)) {
    const odd = oddPlace(member, `${path}.${key}`)
    if (odd !== null) return odd
  }
  return null
}

/** States and events hold nothing that JSON cannot say. */
export const staysJson: Check = eachStep((step) => {
  const odd =
    oddPlace(
      step.answered.family.members.map((one) => one.state),
      'states',
    ) ?? oddPlace(step.answered.recorded, 'events')
  return odd === null ? null : `${odd} is no JSON`
})

/** A refusal leaves every state as it was, except how long the log is. */
export const refusalChangesNothing: Check = eachStep(({ before, answered }) => {
  if (answered.reply.kind !== 'refused' || before === null) return null
  const isHeld = answered.reply.code.startsWith('FIELDS_')
  if (before.members.length !== answered.family.members.length) return 'a refusal began a run'
  for (const { runId, state } of answered.family.members) {
    const old = memberIn(before, runId)?.state ?? unborn
    // What a held submission got right is kept; where the run stands never changes.
    const kept = isHeld ? { ...state, ...valuesOf(old) } : state
    const ofStart = isHeld && !old.hasStarted
    if (!ofStart && !same({ ...kept, seq: old.seq }, old)) {
      return `a refusal (${answered.reply.code}) changed ${runId}`
    }
  }
  return null
})

function valuesOf({ inputs, vars, local, sources }: RunState): Partial<RunState> {
  return { inputs, vars, local, sources }
}

/** A run that is over stays over, with the same end and in the same stage. */
export const endsOnce: Check = eachStep(({ before, answered }) => {
  for (const { runId, state } of answered.family.members) {
    const old = memberIn(before, runId)?.state
    if (old === undefined || !hasEnded(old)) continue
    if (state.status !== old.status) return `${runId} was ${old.status} and is ${state.status} now`
    if (state.visits !== old.visits) return `${runId} is over and entered a stage`
  }
  return null
})

/** The status says whether a person is asked, and only then. */
export const statusFits: Check = eachStep(({ answered }) => {
  for (const { runId, state } of answered.family.members) {
    // A policy still asks after the end; the run stays ended all the same.
    const isAsked = state.approval !== null && state.status !== 'paused' && !hasEnded(state)
    if ((state.status === 'waiting') !== isAsked) {
      return `${runId} is ${state.status} with ${state.approval === null ? 'no' : 'an'} approval`
    }
    if (state.status === 'paused' && state.pause === null) return `${runId} is paused by nobody`
  }
  return null
})

function isUnderPause(family: Family | null, runId: string): boolean {
  let parentId = memberIn(family, runId)?.parentId ?? null
  while (parentId !== null) {
    const parent = memberIn(family, parentId)
    if (parent?.state.status === 'paused') return true
    parentId = parent?.parentId ?? null
  }
  return false
}

/** While a person is asked, while a run rests and while its children work, nothing runs. */
export const nothingRunsWhileWaiting: Check = eachStep(({ before, command, answered }) => {
  for (const { runId, event } of answered.recorded) {
    const old = memberIn(before, runId)?.state
    if (old === undefined) continue
    if (event.type === 'signal.taken') {
      if (old.status !== 'running') return `a signal was taken while ${runId} was ${old.status}`
      if (old.fork !== null || old.child !== null) return `a signal was taken past the children`
      if (isUnderPause(before, runId)) return `a signal was taken below a paused run`
    }
    if (event.type !== 'call.allowed' || command.type !== 'CheckCall' || command.call.isOwn)
      continue
    if (old.status === 'paused' && old.pause?.release === true) continue
    if (old.status === 'waiting') return 'a call was allowed while a person was asked'
    if (old.status === 'paused') return 'a call was allowed in a paused run'
    if (isUnderPause(before, runId)) return 'a call was allowed below a paused run'
    if (old.fork !== null || old.child !== null) return 'a call was allowed past the children'
  }
  return null
})

/** What only a person may do is never done by an agent. */
export const agentsStayAgents: Check = eachStep(({ before, actor, answered }) => {
  if (actor.kind !== 'agent') return null
  for (const { runId, event } of answered.recorded) {
    if (event.type === 'approval.granted' || event.type === 'approval.refused') {
      return `an agent resolved an approval (${event.type})`
    }
    if (event.type === 'run.paused' && event.release) return 'an agent lifted the rules'
    if (event.type !== 'run.resumed') continue
    if (memberIn(before, runId)?.state.pause?.by.kind === 'person') {
      return 'an agent resumed what a person had paused'
    }
    if (event.refills) return 'an agent refilled its calls'
  }
  return null
})

const moving: ReadonlySet<Event['type']> = new Set([
  'stage.entered',
  'run.completed',
  'run.blocked',
  'run.failed',
  'fork.opened',
  'child.requested',
])

/** A signal that takes a gated route moves nothing in its own step, and asks a person. */
export const gatesHold: Check = (trace) => {
  const books = new Map<string, ReadonlyMap<string, Route>>()
  return eachStep(({ answered }) => {
    for (const { runId, event } of answered.recorded) {
      if (event.type !== 'signal.taken' || event.route === null) continue
      const machine = memberIn(answered.family, runId)?.machine as Machine
      const routes = books.get(machine.hash) ?? routesOf(machine)
      books.set(machine.hash, routes)
      if ((routes.get(event.route)?.gate ?? null) === null) continue
      const own = answered.recorded.filter((one) => one.runId === runId).map((one) => one.event)
      const rest = own.slice(own.indexOf(event) + 1)
      const moved = rest.find((one) => moving.has(one.type))
      if (moved !== undefined) return `a gated route led on at once (${moved.type})`
      if (!rest.some((one) => one.type === 'approval.requested')) return 'a gate asked nobody'
    }
    return null
  })(trace)
}
