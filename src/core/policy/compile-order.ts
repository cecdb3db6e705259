/**
 * What a rule demands of the past, compiled: seconds to milliseconds, numbers to millionths, and
 * the name under which each kind of call is remembered.
 */
import type { z } from 'zod'
import { compileEvidence } from '../evidence/schema.ts'
import { joinPointer } from '../finding.ts'
import type { Json, JsonObject } from '../json.ts'
import { hashJson } from '../machine/hash.ts'
import type {
  AfterCall,
  AfterRule,
  CallField,
  CallFilter,
  FieldPair,
  InputMatch,
  OrderDemands,
} from '../machine/order-rule.ts'
import { millionthsOf } from './millionths.ts'
import type { afterSchema, callCountSchema, callFilterSchema, sumSchema } from './order-schema.ts'

type AfterDefinition = z.infer<typeof afterSchema>
type CallDefinition = Extract<AfterDefinition, { capability: string }>
type OrderDefinition = {
  readonly when?: z.infer<typeof callFilterSchema> | undefined
  readonly after?: AfterDefinition | readonly AfterDefinition[] | undefined
  readonly count?: z.infer<typeof callCountSchema> | undefined
  readonly sum?: z.infer<typeof sumSchema> | undefined
}

/** The demands of one rule; `origin` is the rule's place. */
export function compileOrder(rule: OrderDefinition, origin: string): OrderDemands {
  const { when, after, count, sum } = rule
  return {
    ...(when === undefined ? {} : { when: filterOf(when) }),
    ...(after === undefined ? {} : { after: aftersOf(after, joinPointer(origin, 'after')) }),
    ...(count === undefined
      ? {}
      : {
          count: {
            callsMax: count.max,
            windowMs: windowOf(count.window_seconds),
            scope: count.scope ?? 'run',
          },
        }),
    ...(sum === undefined
      ? {}
      : {
          sum: {
            of: fieldOf(sum.of),
            // WHY never null: the schema keeps the number within what millionths can count.
            millionthsMax: millionthsOf(sum.max) ?? 0,
            windowMs: windowOf(sum.window_seconds),
            scope: sum.scope ?? 'run',
          },
        }),
  }
}

function windowOf(seconds: number | undefined): number | null {
  return seconds === undefined ? null : seconds * 1_000
}

function filterOf({ input, commands }: z.infer<typeof callFilterSchema>): CallFilter {
  return {
    ...(input === undefined ? {} : { input: matchesOf(input) }),
    ...(commands === undefined ? {} : { commands }),
  }
}

function aftersOf(
  after: AfterDefinition | readonly AfterDefinition[],
  origin: string,
): readonly AfterRule[] {
  return Array.isArray(after)
    ? after.map((one: AfterDefinition, index) => afterOf(one, joinPointer(origin, index)))
    : [afterOf(after as AfterDefinition, origin)]
}

function afterOf(after: AfterDefinition, origin: string): AfterRule {
  if ('evidence' in after) {
    const wide = after.scope === 'session' ? { scope: after.scope } : {}
    return { evidence: compileEvidence(after), ...wide, origin }
  }
  return afterCallOf(after, origin)
}

function afterCallOf(after: CallDefinition, origin: string): AfterCall {
  const { capability, input, same, within_seconds: seconds, fresh, claimed } = after
  const scope = after.scope ?? 'run'
  const matches = input === undefined ? undefined : matchesOf(input)
  const pairs = same === undefined ? undefined : pairsOf(same)
  const earlier = (pairs ?? []).map((pair) => pair.earlier.join('.'))
  const what = { capability, input: input ?? {}, earlier, claimed: claimed === true }
  return {
    meter: `after ${scope} ${hashJson(what as unknown as JsonObject)}`,
    capability,
    ...(matches === undefined ? {} : { input: matches }),
    ...(pairs === undefined ? {} : { same: pairs }),
    ...(seconds === undefined ? {} : { withinMs: seconds * 1_000 }),
    ...(fresh === true ? { isFresh: true } : {}),
    ...(claimed === true ? { isClaimEnough: true } : {}),
    scope,
    origin,
  }
}

function matchesOf(input: { readonly [name: string]: unknown }): readonly InputMatch[] {
  return Object.entries(input).map(([name, value]) => ({
    field: ['input', ...name.split('.')],
    value: value as Json,
  }))
}

function pairsOf(same: NonNullable<CallDefinition['same']>): readonly FieldPair[] {
  return same.map((pair) => ({ own: fieldOf(pair.this), earlier: fieldOf(pair.earlier) }))
}

function fieldOf(text: string): CallField {
  const [part, ...keys] = text.split('.')
  return [part === 'output' ? 'output' : 'input', ...keys]
}
