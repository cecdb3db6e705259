/**
 * The rules of a KruxOS policy, read from both of its shapes: a list of rules, and a map by
 * capability. Conditions cannot be expressed: the strictest of the tiers is taken.
 */
import type { Json } from '../json.ts'
import { member, type Node, plainValue } from '../source/source.ts'
import type { ProductNote } from './product.ts'
import { commentsAbove } from './unwrap.ts'

export type TierRule = {
  readonly list: 'allow' | 'ask' | 'deny'
  /** As KruxOS calls it: `process.run`, `filesystem.*`. */
  readonly from: string
  /** As Pawl does. */
  readonly capability: string
  readonly rate: { readonly calls: number; readonly seconds: number } | null
  readonly reason: string
  readonly comments: readonly string[]
  readonly pointer: string
}

const tiers: Readonly<Record<string, TierRule['list']>> = {
  autonomous: 'allow',
  notify: 'allow',
  approval_required: 'ask',
  blocked: 'deny',
}

/** The list that a tier means. A tier that nobody knows is denied. */
export function tierOf(tier: Json): TierRule['list'] {
  return typeof tier === 'string' && Object.hasOwn(tiers, tier) ? (tiers[tier] ?? 'deny') : 'deny'
}

type Entry = {
  readonly capability: string
  readonly node: Node
  /** Where it begins in the text. */
  readonly at: number
}

/** What the rules of a file are read with. */
type Reading = {
  readonly text: string
  /** The list of what no rule names. */
  readonly otherwise: TierRule['list']
  readonly notes: ProductNote[]
}

/** Rules of one policy. */
const rulesMax = 2_000

/** The rules of a policy in the author's order; null: the file is no policy. */
export function rulesOf(root: Node, reading: Reading): readonly TierRule[] | null {
  const { notes } = reading
  const entries = entriesOf(root)
  if (entries === null) return null
  if (entries.length > rulesMax) {
    const what = `only the first ${rulesMax} of ${entries.length} rules are converted`
    notes.push({ kind: 'lost', pointer: root.pointer, what, effect: 'the rest is denied' })
  }
  return merged(
    entries.slice(0, rulesMax).map((entry) => ruleOf(entry, reading)),
    notes,
  )
}

function entriesOf(root: Node): readonly Entry[] | null {
  const rules = member(root, 'rules')
  if (rules?.kind === 'list') {
    return rules.items.flatMap((node) => {
      const capability = member(node, 'capability')
      const name = capability?.kind === 'scalar' ? capability.value : null
      return typeof name === 'string' ? [{ capability: name, node, at: node.start }] : []
    })
  }
  const map = member(root, 'capabilities')
  if (map?.kind !== 'object') return null
  return map.members.map(({ key, keyStart, node }) => ({ capability: key, node, at: keyStart }))
}

function ruleOf({ capability, node, at }: Entry, reading: Reading): TierRule {
  const { notes, text, otherwise } = reading
  const own = member(node, 'tier')
  const tier = own === undefined ? plainValue(node) : plainValue(own)
  const conditional = conditionalTiers(node)
  const isConditional = conditional.length > 0 || member(node, 'conditions') !== undefined
  const rate = rateOf(node, capability, notes)
  const list = strictest([
    tierOf(tier),
    ...conditional.map(tierOf),
    ...(isConditional ? [otherwise] : []),
    ...(rate === 'unreadable' ? ['ask' as const] : []),
  ])
  if (isConditional) {
    const what = `the conditions of \`${capability}\` are left out`
    const effect = `\`${list}\` applies to every call: the strictest of its tiers`
    notes.push({ kind: 'lost', pointer: node.pointer, what, effect })
  }
  if (typeof tier !== 'string' || !Object.hasOwn(tiers, tier)) {
    const what = `the tier of \`${capability}\` is unknown`
    notes.push({ kind: 'lost', pointer: node.pointer, what, effect: 'it is denied' })
  }
  if (tier === 'notify' && list === 'allow') {
    const what = `\`${capability}\` is allowed, and recorded`
    const effect = 'nobody is told of each call; `pawl watch` and the page show it'
    notes.push({ kind: 'changed', pointer: node.pointer, what, effect })
  }
  const reason = member(node, 'reason')
  return {
    list,
    from: capability,
    capability: capabilityOf(capability),
    rate: rate === 'unreadable' ? null : rate,
    reason: reason?.kind === 'scalar' && typeof reason.value === 'string' ? reason.value : '',
    comments: commentsAbove(text, text.lastIndexOf('\n', at - 1) + 1),
    pointer: node.pointer,
  }
}

function conditionalTiers(node: Node): readonly Json[] {
  const rules = member(node, 'rules')
  if (rules?.kind !== 'list') return []
  return rules.items.map((one) => {
    const tier = member(one, 'tier')
    return tier === undefined ? null : plainValue(tier)
  })
}

function strictest(lists: readonly TierRule['list'][]): TierRule['list'] {
  if (lists.includes('deny')) return 'deny'
  return lists.includes('ask') ? 'ask' : 'allow'
}

/** Rules on one capability become one, the strictest. */
function merged(rules: readonly TierRule[], notes: ProductNote[]): readonly TierRule[] {
  const byName = new Map<string, TierRule>()
  for (const rule of rules) {
    const before = byName.get(rule.capability)
    if (before !== undefined && before.list !== rule.list) {
      const what = `\`${rule.from}\` has several rules`
      const effect = 'the strictest of them applies'
      notes.push({ kind: 'lost', pointer: rule.pointer, what, effect })
    }
    const list = strictest([rule.list, before?.list ?? 'allow'])
    byName.set(rule.capability, { ...rule, ...(before ?? {}), list })
  }
  return [...byName.values()]
}

/** Jobs are Pawl's own tools; the others are those of an MCP server called `kruxos`. */
function capabilityOf(name: string): string {
  if (name === '*') return name
  if (name.startsWith('process.')) return name.replace('.', '_')
  return `mcp:kruxos:${name.replaceAll('.', '__')}`
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const window =
  /^(?:per\s+)?(\d*)\s*(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?)?|d(?:ays?)?)$/i

function rateOf(
  node: Node,
  capability: string,
  notes: ProductNote[],
): TierRule['rate'] | 'unreadable' {
  const limit = member(node, 'rate_limit')
  if (limit === undefined) return null
  const value = plainValue(limit) as { readonly [key: string]: Json }
  const calls = value.max ?? value.max_calls
  const seconds = secondsOf(value.window ?? value.window_seconds ?? null)
  if (typeof calls !== 'number' || !Number.isInteger(calls) || calls < 1 || seconds === null) {
    const what = `the rate limit of \`${capability}\` cannot be parsed`
    notes.push({ kind: 'lost', pointer: limit.pointer, what, effect: 'a person is asked' })
    return 'unreadable'
  }
  if (value.on_exceed !== undefined) {
    const what = '`on_exceed` is left out'
    notes.push({ kind: 'lost', pointer: limit.pointer, what, effect: 'calls beyond it are denied' })
  }
  return { calls, seconds }
}

/** `60`, `"60s"`, `"1h"`, `"hour"` in seconds; null: none of them. */
function secondsOf(written: Json): number | null {
  if (typeof written === 'number') return written > 0 ? written : null
  const parts = typeof written === 'string' ? window.exec(written.trim()) : null
  const unit = units[(parts?.[2] ?? '').slice(0, 1).toLowerCase()]
  return parts === null || unit === undefined ? null : Number(parts[1] || 1) * unit
}
