import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import type { PolicyAnswer } from './evaluate.ts'
import { evaluatePolicy, policyNamesOf } from './evaluate.ts'
import { anyName, anyPolicy, callOf, policyOf } from './policy-builder.contract.ts'
import type { PolicyDefinition } from './schema.ts'

function answer(definition: PolicyDefinition, capability: string): PolicyAnswer {
  return evaluatePolicy(policyOf(definition), policyNamesOf(callOf(capability)))
}

function denies(pattern: string, capability: string): boolean {
  return answer({ deny: [{ capability: pattern }] }, capability).verdict === 'deny'
}

test('deny is read before ask, ask before allow, whatever the width of the pattern', () => {
  const policy: PolicyDefinition = {
    allow: [{ capability: 'mcp:db:read' }, { capability: 'bash' }],
    ask: [{ capability: 'mcp:db:*' }, { capability: 'mcp:db:read' }],
    deny: [{ capability: 'mcp:db:drop' }, { capability: 'mcp:*:x' }],
  }
  expect(answer(policy, 'mcp:db:drop')).toMatchObject({ verdict: 'deny', rule: '/policy/deny/0' })
  expect(answer(policy, 'mcp:db:read')).toMatchObject({ verdict: 'ask', rule: '/policy/ask/0' })
  expect(answer(policy, 'bash')).toMatchObject({ verdict: 'allow', rule: '/policy/allow/1' })
  expect(answer(policy, 'web')).toMatchObject({ verdict: 'allow', rule: null, tier: 'default' })
})

test('a policy that denies by default says that no rule of it does', () => {
  const policy: PolicyDefinition = { default: 'deny', allow: [{ capability: 'bash' }] }
  expect(answer(policy, 'bash').verdict).toBe('allow')
  expect(answer(policy, 'edit')).toMatchObject({ verdict: 'deny', rule: null, tier: 'default' })
})

test('a star at the end is any rest, and nothing else in a pattern is special', () => {
  expect(denies('mcp:files:*', 'mcp:files:read')).toBe(true)
  expect(denies('mcp:files:*', 'mcp:files:')).toBe(true)
  expect(denies('mcp:files:*', 'mcp:files2:read')).toBe(false)
  expect(denies('mcp:files', 'mcp:files:read')).toBe(false)
  expect(denies('mcp:*:read', 'mcp:files:read')).toBe(false)
  expect(denies('mcp:a.b:*', 'mcp:axb:t')).toBe(false)
  expect(denies('ba?h', 'bash')).toBe(false)
  expect(denies('(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')).toBe(false)
  expect(denies('*', 'anything')).toBe(true)
  expect(denies('bash', 'bashful')).toBe(false)
  expect(denies('bash', 'BASH')).toBe(false)
})

test('a rule may call a tool by the name of its host, too', () => {
  const names = policyNamesOf(callOf('mcp:files:write', { commonName: 'Write' }))
  for (const capability of ['mcp:files:write', 'mcp__files__write', 'Write', 'mcp__files__*']) {
    expect(evaluatePolicy(policyOf({ deny: [{ capability }] }), names).verdict).toBe('deny')
  }
})

const disguised = [
  'mcp:files:del\u0435te',
  'mcp:files:delete\u200b',
  'mcp:files:\u202edelete',
  'mcp:\uff46iles:delete',
  'mcp:files:delet\u00e9',
  'mcp:files:delete ',
  'mcp:f\u0456les:de\u217cete',
  'mcp\u2236files\u2236delete',
]

test.each(disguised)('what is denied or asked about stays so for %j', (capability) => {
  expect(denies('mcp:files:delete', capability)).toBe(true)
  expect(denies('mcp:files:*', capability)).toBe(true)
  expect(answer({ ask: [{ capability: 'mcp:files:delete' }] }, capability).verdict).toBe('ask')
})

test.each(disguised)('what is allowed is not allowed to %j', (capability) => {
  const policy: PolicyDefinition = { default: 'deny', allow: [{ capability: 'mcp:files:delete' }] }
  expect(answer(policy, capability).verdict).toBe('deny')
})

test('a name in another script that resembles no rule is an ordinary name', () => {
  expect(denies('mcp:files:delete', 'mcp:files:удалить')).toBe(false)
  expect(denies('mcp:files:delete', 'mcp:ファイル:読む')).toBe(false)
  const policy: PolicyDefinition = { default: 'deny', allow: [{ capability: 'mcp:ファイル:*' }] }
  expect(answer(policy, 'mcp:ファイル:読む').verdict).toBe('allow')
})

test('a rule that cannot be read denies everything', () => {
  const broken = { capability: 7, rate: null, budget: null, origin: '/policy/ask/0' }
  const policy = { ...policyOf({}), ask: [broken as unknown as PolicyRule] }
  const found = evaluatePolicy(policy, policyNamesOf(callOf('bash')))
  expect(found).toMatchObject({ verdict: 'deny', rule: '/policy/ask/0' })
})

test('names that objects inherit match nothing by accident', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(denies('bash', name)).toBe(false)
    expect(denies(name, name)).toBe(true)
  }
})

/** The same answer, by looking at every rule. */
function naive(policy: Policy, names: readonly string[]): PolicyAnswer {
  const fits = (rule: PolicyRule): boolean =>
    names.some((name) =>
      rule.capability.endsWith('*')
        ? name.startsWith(rule.capability.slice(0, -1))
        : name === rule.capability,
    )
  for (const tier of ['deny', 'ask', 'allow'] as const) {
    const matching = policy[tier].filter(fits)
    const limited = matching.filter((rule) => rule.rate !== null || rule.budget !== null)
    const [first] = matching
    if (first !== undefined) return { verdict: tier, tier, rule: first.origin, limited }
  }
  return { verdict: policy.otherwise, tier: 'default', rule: null, limited: [] }
}

test('the index answers as looking at every rule does', () => {
  fc.assert(
    fc.property(anyPolicy, fc.array(anyName, { minLength: 1, maxLength: 3 }), (policy, names) => {
      const found = evaluatePolicy(policy, { exact: names, resembled: [] })
      expect(found).toEqual(naive(policy, names))
    }),
    { numRuns: 3000 },
  )
})

test('one more rule that denies or asks never makes an answer softer', () => {
  const rank = { allow: 0, ask: 1, deny: 2 }
  fc.assert(
    fc.property(anyPolicy, anyPolicy, anyName, (policy, other, name) => {
      const names = { exact: [name], resembled: [] }
      const stricter = {
        ...policy,
        deny: [...policy.deny, ...other.deny],
        ask: [...policy.ask, ...other.ask],
      }
      const before = evaluatePolicy(policy, names).verdict
      // An ask rule can speak where only the default denied: rules come before the default.
      if (before === 'deny' && evaluatePolicy(policy, names).tier === 'default') return
      expect(rank[evaluatePolicy(stricter, names).verdict]).toBeGreaterThanOrEqual(rank[before])
    }),
    { numRuns: 1000 },
  )
})
