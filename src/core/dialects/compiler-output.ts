/** What a compiler returns, and the defaults of a machine for what its author leaves out. */

import { type Finding, joinPointer } from '../finding.ts'
import { emptyRecord } from '../json.ts'
import type { IsolationLevel } from '../machine/isolation-levels.ts'
import type { Machine, Stage, StageRule, ToolRule, Trigger } from '../machine/machine.ts'
import type { ProofLevel } from '../machine/proof-levels.ts'
import { microUsd } from '../money.ts'

export type MachineDraft = Omit<Machine, 'hash'>
export type CompilerOutput = {
  readonly machine: MachineDraft
  readonly findings: readonly Finding[]
}

/** Whatever the host has. */
export const everyTool: ToolRule = { allow: 'all', deny: [], among: null }

/** No limit at all. */
export const openRule: StageRule = {
  tools: everyTool,
  commands: null,
  commandTool: 'Bash',
  envBlocked: [],
  envSet: emptyRecord<string>(),
  callsMax: null,
  editLinesMax: null,
  filesMax: null,
  bytesMax: null,
}

/** A stage with nothing in it. */
export function plainStage(name: string, origin: string): Stage {
  return {
    name,
    origin,
    brief: [],
    final: null,
    rule: openRule,
    signals: emptyRecord<Trigger>(),
    foldsSignals: false,
    fallback: null,
    enter: [],
    mustCall: false,
    model: null,
    thinking: null,
  }
}

/** A trigger that carries free data and has no ops. */
export function plainTrigger(name: string, origin: string): Trigger {
  return {
    name,
    origin,
    fields: null,
    prepare: [],
    commit: [],
    routes: [],
    otherwise: 'reject',
    canName: false,
    warning: null,
  }
}

/** Dollars as the limit of a run; null: there is none. */
export function budgetOf(usd: number | undefined): number | null {
  return usd === undefined ? null : microUsd(usd)
}

/** How strongly jobs have to be held; nothing where the author is silent: no hash changes. */
export function isolationOf(level: IsolationLevel | undefined): Pick<Machine, 'minIsolation'> {
  return level === undefined ? {} : { minIsolation: level }
}

/** How decisions have to be proven; nothing where the author is silent: no hash changes. */
export function proofOf(
  approvals: { readonly proof: ProofLevel } | undefined,
): Pick<Machine, 'proof'> {
  return approvals === undefined ? {} : { proof: approvals.proof }
}

/** A machine with nothing in it. */
export function plainMachine(
  name: string,
  dialect: Machine['dialect'],
  initial: string,
): MachineDraft {
  return {
    format: 1,
    name,
    dialect,
    initial,
    starts: 'auto',
    vars: {},
    start: [],
    stages: emptyRecord<Stage>(),
    detours: [],
    prompt: '',
    policy: null,
    paths: { read: [], write: [] },
    mail: null,
    limits: { microUsdMax: null, callsMax: null },
    ownTools: [],
    hasDebug: false,
    holdsAtEnd: false,
    danger: 'safe',
    meta: {},
  }
}

/** Pointers of those fields that the author wrote, each by the name of the rule it becomes. */
export function originsOf<Rule extends string>(
  at: string,
  written: object,
  steps: Readonly<Record<Rule, readonly string[]>>,
): { readonly [rule in Rule]?: string } {
  const origins: { [rule in Rule]?: string } = {}
  for (const rule of Object.keys(steps) as Rule[]) {
    if (isWritten(written, steps[rule])) origins[rule] = joinPointer(at, ...steps[rule])
  }
  return origins
}

function isWritten(written: object, steps: readonly string[]): boolean {
  let value: unknown = written
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value !== undefined
}

/** The rules of a whole run; every dialect spells these fields alike. */
export const runFields = {
  policy: ['policy'],
  paths: ['paths'],
  microUsdMax: ['session_budget_usd'],
} as const
