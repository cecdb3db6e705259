/**
 * What holds in the log of each run: counted calls, detours, forks and their branches.
 * Counts by itself what the engine counts, so that both would have to be wrong.
 */

import { viewMember } from '../../src/core/dialects/run-view.ts'
import { toCommand } from '../../src/core/dialects/to-command.ts'
import { commandFamily, mainOf, memberOfBranch } from '../../src/core/engine/family.ts'
import { hasEnded } from '../../src/core/engine/is-running.ts'
import type { Event } from '../../src/core/engine/types.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { lastFamily, type Trace, utter } from '../generators/walk.ts'
import { type Check, eachStep, memberIn } from './trace-checks.ts'

/** Looks at the log of every run of a trace. */
function eachLog(look: (events: readonly Event[], machine: Machine) => string | null): Check {
  return (trace: Trace) => {
    const log = trace.steps.flatMap((step) => step.answered.recorded)
    for (const { runId, machine } of lastFamily(trace).members) {
      const events = log.filter((one) => one.runId === runId).map((one) => one.event)
      const complaint = look(events, machine)
      if (complaint !== null) return `${runId}: ${complaint}`
    }
    return null
  }
}

/** Calls in one visit to a stage stay within its limit, across detours and agents' pauses. */
export const callsStayLimited: Check = eachLog((events, machine) => {
  let stage = ''
  let calls = 0
  let kept = { stage: '', calls: 0 }
  let isReturning = false
  for (const event of ruled(events)) {
    if (event.type === 'detour.begun') kept = { stage, calls }
    if (event.type === 'detour.ended') isReturning = event.returned
    if (event.type === 'run.resumed' && event.refills) calls = 0
    if (event.type === 'stage.entered') {
      stage = event.stage
      calls = isReturning ? kept.calls : 0
      if (isReturning && kept.stage !== stage) return 'a return led elsewhere'
      isReturning = false
    }
    if (event.type !== 'call.allowed' || !event.counts) continue
    calls += 1
    const max = machine.stages[stage]?.rule.callsMax ?? null
    if (max !== null && calls > max) return `${calls} calls in \`${stage}\`, which allows ${max}`
  }
  return null
})

/** The events without the calls that a person let through by lifting the rules. */
function ruled(events: readonly Event[]): Event[] {
  let isLifted = false
  return events.filter((event) => {
    if (event.type === 'run.paused') isLifted = event.release
    if (event.type === 'run.resumed') isLifted = false
    return !(isLifted && event.type === 'call.allowed')
  })
}

/** The run's own limit holds over all its stages. */
export const runCallsStayLimited: Check = eachLog((events, machine) => {
  const max = machine.limits.callsMax
  const calls = ruled(events).filter((event) => event.type === 'call.allowed' && event.counts)
  return max !== null && calls.length > max ? `${calls.length} calls, ${max} are allowed` : null
})

/** One detour at a time; a return ends it and leads back to where it began. */
export const detoursClose: Check = eachLog((events) => {
  let from: string | null = null
  let isReturning: string | null = null
  for (const event of events) {
    if (event.type === 'detour.begun') {
      if (from !== null) return 'a detour began inside a detour'
      from = event.from
    }
    if (event.type === 'detour.ended') {
      if (from === null) return 'a detour ended that had not begun'
      isReturning = event.returned ? from : null
      from = null
    }
    if (event.type !== 'stage.entered') continue
    if (event.by === 'return' && event.stage !== isReturning) return 'a return led elsewhere'
    isReturning = null
  }
  return null
})

/** A detour is open only while the run stands in its target or in its handler. */
export const detoursStayInside: Check = eachStep(({ answered }) => {
  for (const { runId, state, machine } of answered.family.members) {
    if (state.detour === null) continue
    const open = state.detour.name
    const detour = machine.detours.find((one) => one.name === open)
    if (detour === undefined) return `${runId} is on a detour nobody defined`
    if (state.stage !== detour.target && !detour.handler.includes(state.stage)) {
      return `${runId} stands in \`${state.stage}\`, outside of the detour \`${open}\``
    }
  }
  return null
})

/** While a fork is open its run stays where it is; once it closes no branch goes on. */
export const forksHold: Check = eachStep(({ before, answered }) => {
  for (const { runId, state } of answered.family.members) {
    const old = memberIn(before, runId)?.state
    if (old !== undefined && old.fork === null) continue
    if (old !== undefined && state.fork !== null && old.visits !== state.visits) {
      return `${runId} moved while its fork was open`
    }
    if (state.fork !== null) continue
    for (const branch of old?.fork?.branches ?? []) {
      const child = memberIn(answered.family, branch.runId)
      if (child !== undefined && !hasEnded(child.state)) return `${branch.runId} goes on by itself`
    }
  }
  return null
})

const ends: ReadonlySet<Event['type']> = new Set([
  'run.completed',
  'run.blocked',
  'run.failed',
  'run.cancelled',
])

/** Each run ends at most once, and its parent learns of each child once. */
export const childrenEndOnce: Check = eachLog((events) => {
  if (events.filter((event) => ends.has(event.type)).length > 1) return 'it ended twice'
  const told = new Set<string>()
  for (const event of events) {
    if (event.type !== 'child.ended') continue
    if (told.has(event.child)) return `it was told twice that ${event.child} has ended`
    told.add(event.child)
  }
  return null
})

/** An open child always has a parent that waits for it, and a parent waits only for the living. */
export const familiesFit: Check = eachStep(({ answered }) => {
  const { family } = answered
  for (const { runId, parentId, state } of family.members) {
    if (parentId !== null && !hasEnded(state) && state.stage !== '') {
      const parent = memberIn(family, parentId)?.state
      const isBranch = parent?.fork?.branches.some((one) => one.runId === runId) ?? false
      if (!isBranch && parent?.child?.runId !== runId) return `nobody waits for ${runId}`
    }
    if (state.child === null) continue
    const child = memberIn(family, state.child.runId)
    if (child === undefined || hasEnded(child.state)) return `${runId} waits for nobody`
  }
  return null
})

/** Whatever a view offers is known to the run it shows. */
export const viewsOfferWhatIsKnown: Check = (trace) => {
  const { library } = trace.setup
  return eachStep(({ answered }) => {
    const { family } = answered
    if (mainOf(family).state.stage === '') return null
    const names = family.members.flatMap((member) => member.state.branch?.name ?? [])
    for (const branch of [null, ...new Set(names)]) {
      const addressed = branch === null ? mainOf(family) : memberOfBranch(family, branch)
      if (addressed === undefined) continue
      const view = viewMember(family, addressed)
      const machine = memberIn(family, view.runId)?.machine as Machine
      for (const name of view.signals) {
        const command = toCommand(machine, utter(view, name, {}))
        const context = { library, at: 1, actor: { kind: 'agent', name: 'agent' } } as const
        const { reply } = commandFamily(family, { command, branch }, context)
        if (reply.kind !== 'refused') continue
        if (reply.code === 'SIGNAL_UNKNOWN' || reply.code === 'BRANCH_UNKNOWN') {
          return `\`${name}\` is offered in \`${view.stage}\` but refused: ${reply.reason}`
        }
      }
    }
    return null
  })(trace)
}
