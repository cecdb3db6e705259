/**
 * What a printer returns, and the parts of a definition that every dialect writes the same way.
 * Knows machines and JSON. Must not know the fields of one dialect.
 */
import type { Json, JsonObject } from '../json.ts'
import { guardsOfEnd } from '../machine/choose-order.ts'
import type { BriefPart, Guard, Machine, PolicyRule, Stage, Trigger } from '../machine/machine.ts'
import { usdOf } from '../money.ts'

/** A definition in another dialect, and what of the meaning is not in it. */
export type PrinterOutput = { readonly definition: JsonObject; readonly losses: readonly Loss[] }

export type Loss = {
  /** Where it stands in the definition that is converted. */
  readonly pointer: string
  /** What the target dialect cannot say. */
  readonly what: string
  /** What an agent could then do, or what no longer happens. */
  readonly effect: string
}

/** An object without the members that are undefined. */
export function compact(members: { readonly [key: string]: Json | undefined }): JsonObject {
  // `fromEntries` defines instead of assigning, so that no name reaches a prototype.
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  )
}

/** A list, or undefined when there is nothing in it. */
export function listOrNone(items: readonly Json[]): readonly Json[] | undefined {
  return items.length === 0 ? undefined : items
}

/** An object, or undefined when there is nothing in it. */
export function objectOrNone(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length === 0 ? undefined : members
}

/** The fields that a definition of any dialect may have. */
export function printCommon(machine: Machine): { readonly [key: string]: Json | undefined } {
  const { read, write } = machine.paths
  const { microUsdMax } = machine.limits
  return {
    session_budget_usd: microUsdMax === null ? undefined : usdOf(microUsdMax),
    min_isolation: machine.minIsolation,
    approvals: printProof(machine.proof),
    policy: printPolicy(machine.policy),
    paths: objectOrNone(compact({ read: listOrNone(read), write: listOrNone(write) })),
  }
}

function printPolicy(policy: Machine['policy']): JsonObject | undefined {
  if (policy === null) return undefined
  return compact({
    role: policy.role === 'agent' ? undefined : policy.role,
    default: policy.otherwise,
    allow: listOrNone(policy.allow.map(printRule)),
    ask: listOrNone(policy.ask.map(printRule)),
    deny: listOrNone(policy.deny.map(printRule)),
    observe: policy.observe === undefined ? undefined : true,
    min_isolation: policy.minIsolation,
    approvals: printProof(policy.proof),
    repeated_failures: printRepeats(policy.repeats),
  })
}

/** Who has to approve and how, as every dialect writes it. */
export function printApprovals({
  quorum,
  proof,
}: Pick<PolicyRule, 'quorum' | 'proof'>): JsonObject | undefined {
  const from = quorum?.from === undefined ? undefined : [...quorum.from]
  return objectOrNone(compact({ needed: quorum?.needed, from, proof }))
}

function printRepeats(repeats: NonNullable<Machine['policy']>['repeats']): JsonObject | undefined {
  if (repeats === undefined) return undefined
  const { tellAfter, askAfter, holdAfter, windowMs } = repeats
  return compact({
    tell_after: tellAfter,
    ask_after: askAfter,
    hold_after: holdAfter,
    window_seconds: windowMs === undefined ? undefined : windowMs / 1000,
  })
}

function printProof(proof: Machine['proof']): JsonObject | undefined {
  return proof === undefined ? undefined : { proof }
}

function printRule(rule: PolicyRule): JsonObject {
  const { capability, rate, budget } = rule
  return compact({
    capability,
    rate_limit:
      rate === null
        ? undefined
        : { max_calls: rate.callsMax, window_seconds: rate.windowMs / 1_000 },
    budget_limit:
      budget === null ? undefined : { max_usd: usdOf(budget.microUsdMax), period: budget.period },
    approvals: printApprovals(rule),
  })
}

/** The paragraphs of a brief as one text; what they depend on is lost and told elsewhere. */
export function briefText(parts: readonly BriefPart[]): string {
  return parts
    .map((part) => part.text)
    .filter((text) => text.trim() !== '')
    .join('\n\n')
}

/** A name that is not taken yet: the wish itself, else with a number behind it. */
export function freeName(wish: string, isTaken: (name: string) => boolean): string {
  let name = wish
  for (let number = 2; isTaken(name); number += 1) name = `${wish}_${number}`
  return name
}

/** Characters of each part of a name that is put together. */
const namePartMax = 200

/** A name for one of the ways that a signal can lead; shorter than a name may be at most. */
export function wayName(signal: string, leadsTo: string): string {
  return `${signal.slice(0, namePartMax)}:${leadsTo.slice(0, namePartMax)}`
}

/** One way on from a stage; without a route it ends the run as completed, after this evidence. */
export type RouteWay =
  | { readonly route: Trigger['routes'][number] }
  | { readonly route: null; readonly evidence: readonly Guard[] }

/** The ways that a signal can lead, in order; what stands behind an open one is never taken. */
export function routeWaysOf(trigger: Trigger): readonly RouteWay[] {
  const open = trigger.routes.findIndex((route) => route.guards.length === 0)
  if (open >= 0) return trigger.routes.slice(0, open + 1).map((route) => ({ route }))
  const ways = trigger.routes.map((route) => ({ route }))
  const evidence = guardsOfEnd(trigger)
  return evidence === null ? ways : [...ways, { route: null, evidence }]
}

/** The ways without those that lead to the same stage as one before, and ask nobody. */
export function distinctWays(ways: readonly RouteWay[]): readonly RouteWay[] {
  const seen = new Set<string>()
  return ways.filter(({ route }) => {
    if (route === null || route.gate !== null || route.move.kind !== 'goto') return true
    const isNew = !seen.has(route.move.stage)
    seen.add(route.move.stage)
    return isNew
  })
}

/** Whether a run can come back to the stage in which it begins. */
export function canRevisitInitial(machine: Machine): boolean {
  if (machine.detours.length > 0 || machine.hasDebug) return true
  const isInitial = (stage: string | null): boolean => stage === machine.initial
  return Object.values(machine.stages).some(
    (stage) =>
      isInitial(stage.fallback?.stage ?? null) ||
      Object.values(stage.signals).some(
        (trigger) => trigger.canName || trigger.routes.some((route) => leadsTo(route, isInitial)),
      ),
  )
}

function leadsTo(
  { move }: Trigger['routes'][number],
  isMeant: (stage: string | null) => boolean,
): boolean {
  switch (move.kind) {
    case 'goto':
      return isMeant(move.stage)
    case 'invoke':
    case 'fork':
      return isMeant(move.onComplete) || isMeant(move.onFail)
    case 'return':
    case 'end':
      return false
  }
}

/** All stages in the author's order, the one where a run begins first. */
export function initialFirst(machine: Machine): readonly Stage[] {
  const stages = Object.values(machine.stages)
  const first = stages.filter((stage) => stage.name === machine.initial)
  return [...first, ...stages.filter((stage) => stage.name !== machine.initial)]
}
