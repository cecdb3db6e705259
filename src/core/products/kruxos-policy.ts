/**
 * A policy of KruxOS, by tiers, as a policy of Pawl. Whatever cannot be expressed is made stricter,
 * never looser, and said.
 * Knows both formats. The result is written as text, with the comments of the original.
 */
import type { Json } from '../json.ts'
import { member, type Node, plainValue } from '../source/source.ts'
import type { ProductSource } from './convert-product.ts'
import { rulesOf, type TierRule, tierOf } from './kruxos-rules.ts'
import type { ConvertedFile, ProductNote } from './product.ts'

type ListName = TierRule['list']

/** The policy in a file; no parts: there is none. */
export function convertKruxosPolicy({ text, root, name }: ProductSource): ConvertedFile {
  const notes: ProductNote[] = []
  const tier = defaultTier(root)
  const otherwise = tier === null ? 'deny' : tierOf(tier.value)
  const rules = rulesOf(root, { text, otherwise, notes })
  if (rules === null) {
    const what = 'this is not a policy with `rules` or `capabilities`'
    const effect = 'process capabilities need no file: the calls work as they are'
    return { parts: [], notes: [{ kind: 'lost', pointer: root.pointer, what, effect }] }
  }
  notes.push(...notesOnRoot(root))
  const lists: Record<ListName, TierRule[]> = { deny: [], ask: [], allow: [] }
  for (const rule of rules) lists[rule.list].push(rule)
  notes.push(...overridden(rules))
  const printed = printPolicy(text, root, lists)
  notes.push(...lostComments(text, printed, root.pointer))
  return {
    parts: [{ name, text: printed, format: 'yaml', isUnchanged: false, notes }],
    notes: [],
  }
}

function notesOnRoot(root: Node): readonly ProductNote[] {
  const notes: ProductNote[] = []
  const extended = member(root, 'extends')
  if (extended !== undefined) {
    const what = '`extends` is left out'
    const effect = 'convert that policy, too: all policies of a run apply, the strictest counts'
    notes.push({ kind: 'lost', pointer: extended.pointer, what, effect })
  }
  const tier = defaultTier(root)
  if (tier === null) {
    const what = 'the policy does not say what applies to everything else'
    const effect = 'everything that no rule names is denied'
    notes.push({ kind: 'changed', pointer: root.pointer, what, effect })
  }
  if (tier !== null && tierOf(tier.value) === 'ask') {
    const what = 'a person was asked by default; a Pawl policy can only allow or deny by default'
    const effect = 'everything that no rule names is denied'
    notes.push({ kind: 'lost', pointer: tier.node.pointer, what, effect })
  }
  return notes
}

function defaultTier(root: Node): { readonly node: Node; readonly value: Json } | null {
  const defaults = member(root, 'defaults')
  const node =
    (defaults === undefined ? undefined : member(defaults, 'tier')) ?? member(root, 'default_tier')
  return node === undefined ? null : { node, value: plainValue(node) }
}

/** WHY: a narrower rule won there; here the stricter list wins, however wide. */
function overridden(rules: readonly TierRule[]): readonly ProductNote[] {
  const strictness: Readonly<Record<ListName, number>> = { deny: 2, ask: 1, allow: 0 }
  return rules.flatMap((rule): ProductNote[] => {
    const wider = rules.find(
      (one) =>
        one !== rule &&
        one.capability.endsWith('*') &&
        rule.capability.startsWith(one.capability.slice(0, -1)) &&
        strictness[one.list] > strictness[rule.list],
    )
    if (wider === undefined) return []
    const what = `\`${rule.from}\` was an exception to \`${wider.from}\``
    const effect = `the stricter rule applies to it, too: it is in \`${wider.list}\``
    return [{ kind: 'lost', pointer: rule.pointer, what, effect }]
  })
}

function printPolicy(
  text: string,
  root: Node,
  lists: Readonly<Record<ListName, readonly TierRule[]>>,
): string {
  const agent = member(root, 'agent')
  const role = agent?.kind === 'scalar' && typeof agent.value === 'string' ? agent.value : 'agent'
  const tier = defaultTier(root)
  const isOpen = tier === null ? false : tierOf(tier.value) === 'allow'
  const lines = [...headComments(text), `role: ${JSON.stringify(role)}`]
  for (const list of ['deny', 'ask', 'allow'] as const) {
    if (lists[list].length > 0) lines.push(`${list}:`, ...lists[list].flatMap(ruleLines))
  }
  lines.push(`default: ${isOpen ? 'allow' : 'deny'}`)
  return `${lines.join('\n')}\n`
}

function ruleLines({ comments, reason, capability, rate, list }: TierRule): readonly string[] {
  const told = reason === '' ? [] : reason.split('\n').map((line) => `# ${line}`)
  const limit =
    rate === null || list === 'deny'
      ? []
      : [`    rate_limit: { max_calls: ${rate.calls}, window_seconds: ${rate.seconds} }`]
  return [
    ...[...comments, ...told].map((line) => `  ${line}`),
    `  - capability: ${JSON.stringify(capability)}`,
    ...limit,
  ]
}

/** Comments that stand elsewhere than above the file or above a rule. */
function lostComments(text: string, printed: string, pointer: string): readonly ProductNote[] {
  const lost = text.split('\n').flatMap((line) => {
    const bare = line.replace(/"[^"]*"|'[^']*'/g, '')
    const comment = /(?:^|\s)#(.*)$/.exec(bare)?.[1]?.trim() ?? ''
    return comment === '' || printed.includes(comment) ? [] : [comment]
  })
  if (lost.length === 0) return []
  const count = lost.length === 1 ? '1 comment' : `${lost.length} comments`
  const what = `${count} beside or inside rules: ${lost.slice(0, 3).join('; ').slice(0, 200)}`
  return [{ kind: 'lost', pointer, what, effect: 'copy what you still need' }]
}

/** The comments with which a file begins. */
function headComments(text: string): readonly string[] {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    if (!/^\s*#/.test(line)) break
    lines.push(line.trim())
  }
  return lines
}
