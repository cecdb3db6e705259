/**
 * An index of a policy: exact names in a map, prefixes in a tree, so that a look-up costs the
 * length of a name and not the number of rules. Knows patterns. Must not know calls, time or
 * usage.
 * A pattern is a name; a `*` at its end matches any rest. Nothing else in it is special.
 */
import type { Policy, PolicyRule } from '../machine/machine.ts'

type PolicyIndex = {
  readonly deny: TierIndex
  readonly ask: TierIndex
  readonly allow: TierIndex
  /** A rule whose pattern cannot be read; it could mean anything. */
  readonly broken: PolicyRule | null
  /** Budgets for what models cost: rules that speak of `model:` and nothing wider. */
  readonly models: readonly { readonly tier: 'ask' | 'allow'; readonly rule: PolicyRule }[]
  /** Calls that are prerequisites of others, each as a rule of its own; null: there are none. */
  readonly prerequisites: TierIndex | null
  /** A rule asks whether files have changed since. */
  readonly needsChanges: boolean
}

type TierIndex = {
  readonly rules: readonly PolicyRule[]
  readonly exact: ReadonlyMap<string, Spot>
  readonly beginnings: Branch
}

/** The rules of one pattern. Those that only repeat the first are not kept. */
type Spot = { readonly first: number; readonly limited: readonly number[] }

/** What follows the letters read so far; each edge by its first letter. */
type Branch = { spot: Spot | null; readonly edges: Map<number, Edge> }
type Edge = { readonly label: string; readonly to: Branch }

/** The rules of one tier that speak of a name, in the author's order. */
type Matched = {
  readonly first: PolicyRule
  /** Those with a limit, a quorum, a proof or a prerequisite: all of them count. */
  readonly limited: readonly PolicyRule[]
}

const indexes = new WeakMap<Policy, PolicyIndex>()

/** The index of a policy, made once. */
export function indexPolicy(policy: Policy): PolicyIndex {
  const known = indexes.get(policy)
  if (known !== undefined) return known
  const rules = [...policy.deny, ...policy.ask, ...policy.allow]
  const index: PolicyIndex = {
    deny: indexTier(policy.deny),
    ask: indexTier(policy.ask),
    allow: indexTier(policy.allow),
    broken: rules.find((rule) => typeof rule.capability !== 'string') ?? null,
    models: [...modelBudgets('ask', policy.ask), ...modelBudgets('allow', policy.allow)],
    ...prerequisitesIn(rules),
  }
  indexes.set(policy, index)
  return index
}

function prerequisitesIn(
  rules: readonly PolicyRule[],
): Pick<PolicyIndex, 'prerequisites' | 'needsChanges'> {
  const all = rules.flatMap(({ after = [] }) => after)
  const afters = all.filter((one) => 'capability' in one)
  const apart = afters.map((one): PolicyRule => {
    const { capability, origin } = one
    return { capability, rate: null, budget: null, after: [one], origin }
  })
  return {
    prerequisites: apart.length === 0 ? null : indexTier(apart),
    needsChanges: all.some((one) =>
      'evidence' in one
        ? one.evidence.isFresh || one.evidence.report !== undefined
        : one.isFresh === true,
    ),
  }
}

/** How a policy names what a model has cost. */
export const modelPrefix = 'model:'

function modelBudgets(tier: 'ask' | 'allow', rules: readonly PolicyRule[]): PolicyIndex['models'] {
  return rules
    .filter(({ capability, budget }) => budget !== null && isOfModels(capability))
    .map((rule) => ({ tier, rule }))
}

function isOfModels(capability: unknown): boolean {
  return typeof capability === 'string' && capability.startsWith(modelPrefix)
}

function indexTier(rules: readonly PolicyRule[]): TierIndex {
  const exact = new Map<string, Spot>()
  const wide = new Map<string, Spot>()
  for (const [position, rule] of rules.entries()) {
    if (typeof rule.capability !== 'string') continue
    const isWide = rule.capability.endsWith('*')
    const name = isWide ? rule.capability.slice(0, -1) : rule.capability
    const spots = isWide ? wide : exact
    spots.set(name, addTo(spots.get(name), position, rule))
  }
  const beginnings = newBranch(null)
  for (const [name, spot] of wide) plant(beginnings, name, spot)
  return { rules, exact, beginnings }
}

function addTo(spot: Spot | undefined, position: number, rule: PolicyRule): Spot {
  const isLimited = hasConditions(rule)
  const limited = isLimited ? [position] : []
  if (spot === undefined) return { first: position, limited }
  return isLimited ? { ...spot, limited: [...spot.limited, position] } : spot
}

function hasConditions(rule: PolicyRule): boolean {
  const { rate, budget, quorum, proof } = rule
  if (rate !== null || budget !== null || quorum !== undefined || proof !== undefined) return true
  return rule.after !== undefined || rule.count !== undefined || rule.sum !== undefined
}

function newBranch(spot: Spot | null): Branch {
  return { spot, edges: new Map() }
}

/** Puts a beginning into the tree, parting an edge where the letters begin to differ. */
function plant(root: Branch, name: string, spot: Spot): void {
  let branch = root
  let rest = name
  while (rest.length > 0) {
    const letter = rest.charCodeAt(0)
    const edge = branch.edges.get(letter)
    if (edge === undefined) {
      branch.edges.set(letter, { label: rest, to: newBranch(spot) })
      return
    }
    const shared = sharedLength(edge.label, rest)
    if (shared < edge.label.length) {
      const middle = newBranch(null)
      const below = edge.label.slice(shared)
      middle.edges.set(below.charCodeAt(0), { label: below, to: edge.to })
      branch.edges.set(letter, { label: edge.label.slice(0, shared), to: middle })
      branch = middle
    } else branch = edge.to
    rest = rest.slice(shared)
  }
  branch.spot = spot
}

function sharedLength(left: string, right: string): number {
  const most = Math.min(left.length, right.length)
  let shared = 0
  while (shared < most && left.charCodeAt(shared) === right.charCodeAt(shared)) shared += 1
  return shared
}

/** The rules of a tier that speak of any of these names; null: none does. */
export function matchTier(tier: TierIndex, names: readonly string[]): Matched | null {
  if (tier.rules.length === 0) return null
  let first = -1
  let limited: number[] = []
  const take = (spot: Spot | null | undefined): void => {
    if (spot === null || spot === undefined) return
    if (first < 0 || spot.first < first) first = spot.first
    if (spot.limited.length > 0) limited = limited.concat(spot.limited)
  }
  for (const name of names) {
    take(tier.exact.get(name))
    climb(tier.beginnings, name, take)
  }
  if (first < 0) return null
  const inOrder = limited.length > 1 ? [...new Set(limited)].sort((a, b) => a - b) : limited
  return {
    first: tier.rules[first] as PolicyRule,
    limited: inOrder.map((position) => tier.rules[position] as PolicyRule),
  }
}

function climb(root: Branch, name: string, take: (spot: Spot | null) => void): void {
  let branch = root
  let at = 0
  take(branch.spot)
  while (at < name.length) {
    const edge = branch.edges.get(name.charCodeAt(at))
    if (edge === undefined || !name.startsWith(edge.label, at)) return
    at += edge.label.length
    branch = edge.to
    take(branch.spot)
  }
}
