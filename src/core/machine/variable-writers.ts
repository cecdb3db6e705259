/**
 * Which variables of a machine are written by what, and where its guards stand.
 * Knows ops and guards. Must not evaluate expressions.
 */
import { invokesOf } from './check-invocations.ts'
import { jobFactNames } from './job-fact-names.ts'
import type { Guard, Machine, Op, Route, Stage, Trigger } from './machine.ts'

export type CompareGuard = Extract<Guard, { kind: 'compare' }>

/** One place where a guard by comparison is used. */
export type GuardUse = {
  readonly guard: CompareGuard
  readonly stage: Stage
  readonly trigger: Trigger
  readonly route: Route
}

/** Every use of a guard by comparison, in the author's order. */
export function guardUsesOf(machine: Machine): readonly GuardUse[] {
  const uses: GuardUse[] = []
  for (const stage of Object.values(machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const route of trigger.routes) {
        for (const guard of route.guards) {
          if (guard.kind === 'compare') uses.push({ guard, stage, trigger, route })
        }
      }
    }
  }
  return uses
}

export type Writers = {
  /** Variables that an op of the author's sets or counts. */
  readonly computed: ReadonlySet<string>
  /** Variables that keep the result of a call or a job which Pawl saw. */
  readonly observed: ReadonlySet<string>
  /** It invokes others, and any of their values may come back. */
  readonly hasInvoked: boolean
}

/** Who else than the agent's own data writes variables. */
export function writersOf(machine: Machine): Writers {
  const computed = new Set<string>()
  // Also where no stage allows jobs: a person may start one for the run.
  const observed = new Set<string>(jobFactNames)
  for (const op of opsOf(machine)) {
    if (op.kind === 'set' || op.kind === 'inc') {
      if (op.path[0] === 'vars' && op.path[1] !== undefined) computed.add(op.path[1])
    } else if (op.kind === 'call') {
      for (const { to } of op.saves) {
        if (to[0] === 'vars' && to[1] !== undefined) observed.add(to[1])
      }
    }
  }
  return { computed, observed, hasInvoked: invokesOf(machine).length > 0 }
}

/** Every op of a machine. */
export function opsOf(machine: Machine): Op[] {
  const ops = [...machine.start]
  for (const stage of Object.values(machine.stages)) {
    for (const op of opsAt(stage)) ops.push(op)
  }
  return ops
}

/** The ops of one stage, whatever their slot. */
export function opsAt(stage: Stage): readonly Op[] {
  const triggers = Object.values(stage.signals)
  return [...stage.enter, ...triggers.flatMap((one) => [...one.prepare, ...one.commit])]
}
