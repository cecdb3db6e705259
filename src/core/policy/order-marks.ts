/**
 * What a call leaves for rules on what happened before, and what its end means to them.
 * Knows rules and calls. Must not know what follows from it.
 */
import type { Call, OpenCall, OrderMark, OrderResult, Report } from '../engine/types.ts'
import type { Json } from '../json.ts'
import type { PolicyRule } from '../machine/machine.ts'
import type { AfterCall, CallFilter, OrderScope } from '../machine/order-rule.ts'
import { mayRunCommand } from '../shell/may-run-command.ts'
import { joinHashes, keysOf, matchesInput, valueHash, valueUnder } from './call-fields.ts'
import { millionthsOf } from './millionths.ts'
import { changesMeter } from './order-meters.ts'

/** A rule with what it demands, and the name of its meters. */
export type OrderedRule = { readonly rule: PolicyRule; readonly meter: string }

/** Whether what a rule demands of the past applies to a call. */
export function isDemandedOf(call: Call, when: CallFilter | undefined): boolean {
  if (when === undefined) return true
  const { input, commands } = when
  if (input !== undefined && !matchesInput(call.input, input)) return false
  if (commands === undefined) return true
  return call.shell !== null && mayRunCommand(call.shell, commands)
}

/** The session of a host that a call belongs to; null: not known. */
export type SessionName = string | null

/** The meter on which a rule counts calls. */
export function countMeter({ rule, meter }: OrderedRule, session: SessionName): string {
  const { windowMs, scope } = rule.count ?? { windowMs: null, scope: 'run' }
  const name = `count ${scope} ${windowMs ?? 'all'} ${filterName(rule)}${meter}`
  return scopedMeter(name, scope, session)
}

/** The meter on which a rule adds up a number of the calls. */
export function sumMeter({ rule, meter }: OrderedRule, session: SessionName): string {
  const { windowMs, scope, of } = rule.sum ?? { windowMs: null, scope: 'run', of: [] }
  const name = `sum ${scope} ${windowMs ?? 'all'} ${of.join('.')} ${filterName(rule)}${meter}`
  return scopedMeter(name, scope, session)
}

/** The meter under which it is remembered that a prerequisite ended well. */
export function afterMeter({ meter, scope }: AfterCall, session: SessionName): string {
  return scopedMeter(meter, scope, session)
}

/** WHY by session: several may work on one run, one after another, and each has its own past. */
function scopedMeter(meter: string, scope: OrderScope, session: SessionName): string {
  return scope === 'session' ? `${meter} of ${session ?? 'nobody'}` : meter
}

/** Rules that speak of different calls do not share a count. */
function filterName({ when }: PolicyRule): string {
  return when === undefined ? '' : `${valueHash(when as unknown as Json)} `
}

/**
 * The number of a call that a rule adds up, zero where only its result names it; null: there is
 * none that can be counted.
 */
export function amountOf({ of }: NonNullable<PolicyRule['sum']>, call: Call): number | null {
  return of[0] === 'output' ? 0 : millionthsOf(valueUnder(call.input, keysOf(of)))
}

/** What a call that is let through leaves for the rules that count it. */
export function tallyMarks(
  call: Call,
  rules: readonly OrderedRule[],
  session: SessionName,
): readonly OrderMark[] {
  const marks: OrderMark[] = []
  for (const one of rules) {
    const { count, sum } = one.rule
    if (count !== undefined) {
      const { windowMs } = count
      marks.push({ kind: 'tally', meter: countMeter(one, session), windowMs, amount: 0 })
    }
    if (sum !== undefined) {
      const { windowMs, of, millionthsMax: amountMax } = sum
      const isUnknown = of[0] === 'output'
      // INVARIANT: what is not known counts as the most, until a report says less.
      const amount = isUnknown ? amountMax : (amountOf(sum, call) ?? amountMax)
      const output = isUnknown ? { output: keysOf(of), amountMax } : {}
      const meter = sumMeter(one, session)
      marks.push({ kind: 'tally', meter, windowMs, amount, ...output })
    }
  }
  return marks
}

/** What a call leaves for a rule of which it may be the prerequisite; null: it is not. */
export function seenMark(call: Call, after: AfterCall, session: SessionName): OrderMark | null {
  const { input, same, scope } = after
  // What nobody can be told to have done counts for nobody.
  if (scope === 'session' && session === null) return null
  const meter = afterMeter(after, session)
  if (input !== undefined && !matchesInput(call.input, input)) return null
  const how = {
    ...(after.isClaimEnough === undefined ? {} : ({ isClaimEnough: true } as const)),
    ...(call.act === 'shell' ? ({ needsExit: true } as const) : {}),
    ...(call.act === 'agent' ? ({ isNesting: true } as const) : {}),
  }
  if (same === undefined) return { kind: 'seen', meter, ...how }
  const values: ({ hash: string } | { output: readonly string[] })[] = []
  for (const { earlier } of same) {
    if (earlier[0] === 'output') {
      values.push({ output: keysOf(earlier) })
      continue
    }
    const value = valueUnder(call.input, keysOf(earlier))
    if (value === undefined) return null
    values.push({ hash: valueHash(value) })
  }
  return { kind: 'seen', meter, values, ...how }
}

/** Whether a call could change files: all that is not known to look only. */
export function changeMark(call: Call): OrderMark | null {
  const { act, looks, declaresChange, isOwn, bookkeeping } = call
  const isLook = act === 'read' || act === 'search' || act === 'web' || looks?.isAll === true
  // A sub-agent changes files by calls of its own.
  if (act === 'agent') return null
  if (isLook || isOwn || bookkeeping !== undefined || declaresChange === false) return null
  return { kind: 'change', meter: changesMeter }
}

type Ended = {
  readonly report: Report
  readonly isClaim: boolean
  readonly output: Json | undefined
}

/** What the end of a call means to the rules that it left marks for. */
export function orderResults(
  { order = [], at = 0 }: OpenCall,
  ended: Ended,
): readonly OrderResult[] {
  const results = order.flatMap((mark) => resultOf(mark, { ...ended, at }) ?? [])
  // INVARIANT: changes first, so that what a call has changed itself does not make it stale.
  return results.toSorted((a, b) => Number(b.kind === 'change') - Number(a.kind === 'change'))
}

function resultOf(mark: OrderMark, ended: Ended & { readonly at: number }): OrderResult | null {
  const { report, isClaim, output, at } = ended
  const { meter } = mark
  switch (mark.kind) {
    case 'change':
      return { kind: 'change', meter }
    // What it means is for `failureNotes` to say.
    case 'restart':
      return null
    case 'tally': {
      const { amount, amountMax } = mark
      // WHY not if it failed: it may have had its effect before, and its maker could have it fail.
      if (report.wasNotMade && !report.ok && !isClaim) {
        return { kind: 'release', meter, at, amount }
      }
      if (mark.output === undefined || amountMax === undefined) return null
      const said = isClaim ? null : millionthsOf(valueUnder(output, mark.output))
      return { kind: 'amount', meter, at, amount: (said ?? amountMax) - amount }
    }
    case 'seen': {
      if (!report.ok || (isClaim && mark.isClaimEnough === undefined)) return null
      // WHY: a command in the background is reported when it begins, and some hosts tell no code.
      if (mark.needsExit === true && !isClaim && report.exitCode !== 0) return null
      if (mark.values === undefined) return { kind: 'seen', meter, since: at }
      const hashes = mark.values.map((one) => {
        if ('hash' in one) return one.hash
        const value = valueUnder(output, one.output)
        return value === undefined ? null : valueHash(value)
      })
      const known = hashes.filter((hash) => hash !== null)
      if (known.length < hashes.length) return null
      return { kind: 'seen', meter, value: joinHashes(known), since: at }
    }
  }
}
