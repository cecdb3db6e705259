/**
 * Counts once more, by other means than the engine, what rules demand of the past: no count and no
 * sum lets more pass than it says, none denies while there is room, and nothing comes too early.
 */
import type { Family } from '../../src/core/engine/family.ts'
import type { Event, RunState } from '../../src/core/engine/types.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Policy, PolicyRule } from '../../src/core/machine/machine.ts'
import type { EventRecord } from '../../src/runtime/ports.ts'
import { hold } from './broken-promise.ts'

type Passed = {
  readonly callId: string
  readonly tool: string
  readonly input: JsonObject
  readonly at: number
}

export type OrderCheck = {
  readonly add: (record: EventRecord, event: Event, family: Family) => void
}

export function openOrderCheck(overlay: readonly Policy[]): OrderCheck {
  const made: Passed[] = []
  const released = new Set<string>()
  /** Calls that ended well, and when. */
  const endedAt = new Map<string, number>()
  const isCounted = ({ callId }: Passed): boolean => !released.has(callId)
  return {
    add: (record, event, family) => {
      if (event.type === 'call.reported') {
        // What fails may have had its effect all the same; what was not made is taken back.
        if (event.order?.some(({ kind }) => kind === 'release')) released.add(event.callId)
        if (event.ok) endedAt.set(event.callId, record.at)
      }
      if (event.type === 'call.allowed') {
        const { callId, tool, input } = event
        const call = { callId, tool, input, at: record.at }
        made.push(call)
        const ended = made.flatMap((one) => {
          const at = endedAt.get(one.callId)
          return at === undefined ? [] : [{ ...one, endedAt: at }]
        })
        for (const rule of rulesFor(call, family, overlay)) {
          holdCounts(
            record,
            rule,
            made.filter((one) => isCounted(one) && isOf(rule, one)),
          )
          holdAfter(record, rule, ended)
        }
      }
      if (event.type !== 'call.denied' || !event.code.endsWith('_EXHAUSTED')) return
      if (event.code !== 'COUNT_EXHAUSTED' && event.code !== 'SUM_EXHAUSTED') return
      const call = { callId: '', tool: event.tool, input: event.input, at: record.at }
      const used = made.filter(isCounted)
      const rules = rulesFor(call, family, overlay)
      hold(
        rules.some((rule) => isFull(rule, call, [...used, ...heldIn(family, record.at)])),
        () => `record ${record.seq}: ${event.code} although there is room`,
      )
    },
  }
}

/** Rules on what happened before that speak of a call, in the tier that decides. */
function rulesFor(call: Passed, family: Family, overlay: readonly Policy[]): readonly PolicyRule[] {
  const policies = [...overlay, ...family.members.flatMap(({ machine }) => machine.policy ?? [])]
  return [...new Set(policies)].flatMap((policy) => {
    const ask = policy.ask.filter((rule) => isOf(rule, call))
    const tier = ask.length > 0 ? ask : policy.allow.filter((rule) => isOf(rule, call))
    return tier.filter(({ after, count, sum }) => after ?? count ?? sum)
  })
}

/** The capabilities that the simulated calls have. */
const capabilities: Readonly<Record<string, string>> = { Read: 'read', Edit: 'edit', Bash: 'bash' }

function isOf({ capability }: PolicyRule, { tool }: Passed): boolean {
  const name = capabilities[tool] ?? tool.replaceAll('__', ':')
  return capability.endsWith('*') ? name.startsWith(capability.slice(0, -1)) : name === capability
}

function within(calls: readonly Passed[], at: number, windowMs: number | null): readonly Passed[] {
  return windowMs === null ? calls : calls.filter((one) => one.at > at - windowMs)
}

function amount(calls: readonly Passed[]): number {
  return calls.reduce((sum, { input }) => sum + Number(input.amount ?? 0), 0)
}

function holdCounts(
  record: EventRecord,
  { count, sum }: PolicyRule,
  calls: readonly Passed[],
): void {
  const { at, seq } = record
  if (count !== undefined) {
    const used = within(calls, at, count.windowMs).length
    hold(used <= count.callsMax, () => `record ${seq}: ${used} of ${count.callsMax} calls`)
  }
  if (sum === undefined) return
  const total = amount(within(calls, at, sum.windowMs))
  hold(total * 1_000_000 <= sum.millionthsMax, () => `record ${seq}: the sum is ${total}`)
}

function isFull(
  { count, sum, ...rule }: PolicyRule,
  call: Passed,
  all: readonly Passed[],
): boolean {
  const calls = all.filter((one) => isOf(rule, one))
  const isCountFull =
    count !== undefined && within(calls, call.at, count.windowMs).length >= count.callsMax
  const total = sum === undefined ? 0 : amount([...within(calls, call.at, sum.windowMs), call])
  return isCountFull || (sum !== undefined && total * 1_000_000 > sum.millionthsMax)
}

/** Calls that a person is asked about, or has let through. */
function heldIn({ members }: Family, at: number): readonly Passed[] {
  const pendingIn = ({ approval, grants }: RunState) => [
    ...(approval !== null && 'tool' in approval.pending ? [approval.pending] : []),
    ...grants.map(({ call }) => call),
  ]
  return members.flatMap(({ state }) => pendingIn(state).map((call) => ({ ...call, at })))
}

/** A call that has to come after another one came after it, and soon enough. */
function holdAfter(record: EventRecord, { after = [] }: PolicyRule, ended: readonly Ended[]): void {
  for (const one of after) {
    if (!('capability' in one)) continue
    const { capability, input = [], withinMs = Number.POSITIVE_INFINITY } = one
    const isMet = ended.some(
      (call) =>
        isOf({ capability } as PolicyRule, call) &&
        input.every(({ field, value }) => call.input[field[1] ?? ''] === value) &&
        record.at - call.endedAt < withinMs,
    )
    hold(isMet, () => `record ${record.seq}: it came before \`${capability}\``)
  }
}

type Ended = Passed & { readonly endedAt: number }
