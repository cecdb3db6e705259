/**
 * The five ways to write a transition, compiled into routes: a text, an object with a target,
 * a list of branches, an invoke, a fork. Guards and gates hold on each of them.
 */
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import type { Gate, Guard, Move, Route } from '../../machine/machine.ts'
import { type ApprovalsField, approvalRulesOf } from '../../machine/quorum.ts'
import { checkNames } from '../reserved-names.ts'
import type { WorkflowGuards } from './guards.ts'
import type { WorkflowDefinition } from './schema.ts'

type Transition = NonNullable<WorkflowDefinition['states'][string]['on']>[string]

type Written = {
  readonly transition: Transition
  readonly at: string
  readonly guards: WorkflowGuards
  /** Gates are only advice (`approval_mode: none`). */
  readonly isAdvisory: boolean
  readonly findings: Finding[]
}

/** What every object form may carry. */
type Conditions = {
  readonly guard?: string | undefined
  readonly guards?: readonly string[] | undefined
  readonly requires?: readonly string[] | undefined
  readonly requires_approval?: boolean | undefined
  readonly approval_message?: string | undefined
  readonly approvals?: ApprovalsField | undefined
  readonly approval_editable?: readonly string[] | undefined
}

/** The routes of one event, in the author's order. */
export function compileTransition(written: Written): Route[] {
  const { transition, at } = written
  if (Array.isArray(transition)) {
    return transition.map((branch, index) => compileRoute(written, branch, joinPointer(at, index)))
  }
  return [compileRoute(written, transition as Single, at)]
}

type Single = Exclude<Transition, readonly unknown[]>

function compileRoute(written: Written, single: Single, at: string): Route {
  if (typeof single === 'string') {
    return { origin: at, guards: [], requires: [], gate: null, move: moveTo(single, at) }
  }
  const conditions = single as Conditions
  return {
    origin: at,
    guards: compileConditions(written, conditions, at),
    requires: conditions.requires ?? [],
    gate: compileGate(written, conditions, at),
    move: compileMove(written, single, at),
  }
}

function moveTo(target: string, origin: string): Move {
  return target === '$return' ? { kind: 'return', origin } : { kind: 'goto', stage: target, origin }
}

function compileMove(written: Written, single: Exclude<Single, string>, at: string): Move {
  if ('fork' in single) return compileFork(written, single.fork, joinPointer(at, 'fork'))
  if ('invoke' in single) {
    return {
      kind: 'invoke',
      machine: single.invoke,
      input: (single.input ?? {}) as JsonObject,
      onComplete: single.on_complete,
      onFail: single.on_fail ?? null,
      origin: at,
    }
  }
  return moveTo(single.target, joinPointer(at, 'target'))
}

type ForkDefinition = Extract<Single, { fork: unknown }>['fork']

function compileFork(written: Written, fork: ForkDefinition, at: string): Move {
  written.findings.push(...checkNames(Object.keys(fork.branches), joinPointer(at, 'branches'), []))
  const branches = Object.entries(fork.branches).map(([name, branch]) => ({
    name,
    initial: branch.initial,
    terminal: branch.terminal,
    origin: joinPointer(at, 'branches', name),
  }))
  return {
    kind: 'fork',
    branches,
    join: fork.join ?? 'all',
    onComplete: fork.on_complete,
    onFail: fork.on_fail ?? null,
    origin: at,
  }
}

function compileConditions(written: Written, conditions: Conditions, at: string): Guard[] {
  const { guards, findings } = written
  const found = (conditions.guards ?? []).map((name, index) =>
    guards.find(name, joinPointer(at, 'guards', index), findings),
  )
  if (conditions.guard !== undefined) {
    found.unshift(guards.find(conditions.guard, joinPointer(at, 'guard'), findings))
  }
  return found
}

function compileGate(written: Written, conditions: Conditions, at: string): Gate | null {
  const { requires_approval: isRequired, approvals } = conditions
  // WHY: who has to approve is asked, also where nobody says so a second time.
  if (isRequired !== true && approvals === undefined) return null
  const origin = joinPointer(at, isRequired === undefined ? 'approvals' : 'requires_approval')
  if (isRequired === false) written.findings.push(contradiction(origin))
  if (!written.isAdvisory) {
    const { approval_message: message = '', approval_editable: editable } = conditions
    return {
      message,
      refusal: 'stay',
      ...(editable === undefined ? {} : { editable }),
      ...approvalRulesOf(approvals),
      origin,
    }
  }
  written.findings.push(
    finding('APPROVAL_ADVISORY', origin, {
      message: 'nobody is asked: `approval_mode` is `none`',
      hint: 'set `approval_mode` to `ui`, or remove `requires_approval`',
    }),
  )
  return null
}

function contradiction(origin: string): Finding {
  return finding('VALUE_CONFLICT', origin, {
    message: '`approvals` says who must approve, but `requires_approval` is false',
    hint: 'remove one of them',
  })
}
