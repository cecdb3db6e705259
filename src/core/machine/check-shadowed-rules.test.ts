import { expect, test } from 'vitest'
import { build, foundIn, placesIn } from './check-builder.contract.ts'
import type { Machine, Policy, PolicyRule } from './machine.ts'

type Tiers = Readonly<Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>>>

function policed(tiers: Tiers): Machine {
  const rules = (tier: keyof Tiers) => {
    return (tiers[tier] ?? []).map((capability, i) => {
      return { capability, rate: null, budget: null, origin: `/policy/${tier}/${i}` }
    })
  }
  const [allow, ask, deny] = [rules('allow'), rules('ask'), rules('deny')]
  const policy: Policy = { role: 'agent', allow, ask, deny, otherwise: 'allow' }
  return build({ a: { on: { GO: 'z' } }, z: 'final' }, { policy })
}

test('one capability in two tiers is a warning at the weaker rule', () => {
  const found = foundIn(policed({ allow: ['web', 'bash'], deny: ['bash'] }), 'RULE_SHADOWED')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/policy/allow/1' }])
})

test('in three tiers, both weaker rules are told once each', () => {
  const machine = policed({ allow: ['bash'], ask: ['bash'], deny: ['bash'] })
  expect(placesIn(machine, 'RULE_SHADOWED')).toEqual(['/policy/ask/0', '/policy/allow/0'])
})

test('a wildcard of a stricter tier covers what begins like it', () => {
  const machine = policed({ allow: ['mcp:fs:read', 'mcp:fs:*', 'mcp:web:get'], ask: ['mcp:fs:*'] })
  expect(placesIn(machine, 'RULE_SHADOWED')).toEqual(['/policy/allow/0', '/policy/allow/1'])
  const all = policed({ allow: ['bash'], deny: ['*'] })
  expect(placesIn(all, 'RULE_SHADOWED')).toEqual(['/policy/allow/0'])
})

test('a weaker rule that is wider than the stricter one still has an effect', () => {
  const machine = policed({ allow: ['mcp:fs:*', '*'], deny: ['mcp:fs:delete'], ask: ['bash'] })
  expect(placesIn(machine, 'RULE_SHADOWED')).toEqual([])
})

test('the same rule twice in one tier is not shadowed by another tier', () => {
  expect(placesIn(policed({ allow: ['bash', 'bash'] }), 'RULE_SHADOWED')).toEqual([])
  expect(placesIn(policed({ deny: ['bash'], ask: ['bashful'] }), 'RULE_SHADOWED')).toEqual([])
})

function ruled(allow: readonly object[], otherwise: 'allow' | 'deny' = 'deny'): Machine {
  const rules = allow.map((rule, i) => {
    return { rate: null, budget: null, origin: `/policy/allow/${i}`, ...rule } as PolicyRule
  })
  const policy: Policy = { role: 'agent', allow: rules, ask: [], deny: [], otherwise }
  return build({ a: { on: { GO: 'z' } }, z: 'final' }, { policy })
}

const push = { capability: 'bash', when: { commands: ['git push'] } }
const transfer = { capability: 'mcp:bank:transfer', when: { input: { currency: 'EUR' } } }

test('where all else is denied, a rule with `when` also allows what `when` does not name', () => {
  expect(foundIn(ruled([push]), 'WHEN_ALLOWS_MORE')).toMatchObject([
    { severity: 'warning', pointer: '/policy/allow/0' },
  ])
  expect(placesIn(ruled([transfer, push]), 'WHEN_ALLOWS_MORE')).toHaveLength(2)
  expect(placesIn(ruled([transfer, transfer]), 'WHEN_ALLOWS_MORE')).toHaveLength(2)
})

test('nothing is said where a rule without `when` allows the same', () => {
  expect(placesIn(ruled([push, { capability: 'bash' }]), 'WHEN_ALLOWS_MORE')).toEqual([])
  expect(placesIn(ruled([{ capability: 'mcp:*' }, transfer]), 'WHEN_ALLOWS_MORE')).toEqual([])
  expect(placesIn(ruled([push], 'allow'), 'WHEN_ALLOWS_MORE')).toEqual([])
})
