/**
 * Policies, calls and families for tests.
 */
import fc from 'fast-check'
import type { Call } from '../engine/types.ts'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import { compilePolicy } from './compile-policy.ts'
import type { PolicyDefinition } from './schema.ts'

/** The policy that a document means. */
export function policyOf(definition: PolicyDefinition): Policy {
  return compilePolicy(definition, '/policy')
}

/** A call as the readers of hosts' names give it, with nothing in it but its names. */
export function callOf(capability: string, more: Partial<Call> = {}): Call {
  const [kind, server, tool] = capability.split(':')
  return {
    tool: kind === 'mcp' ? `mcp__${server}__${tool}` : capability,
    input: {},
    act: kind === 'mcp' ? 'mcp' : 'other',
    commonName: null,
    capability,
    shell: null,
    reads: [],
    writes: [],
    edits: [],
    editLines: null,
    workspace: '/workspace',
    isOwn: false,
    problem: null,
    ...more,
  }
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.', '*', 'é'), maxLength: 4 })

/** Names that often begin alike. */
export const anyName: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('', 'bash', 'mcp:', 'mcp:a'), letters)
  .map((parts) => parts.join(''))

/** Patterns that often match such names. */
export const anyPattern: fc.Arbitrary<string> = fc
  .tuple(anyName, fc.constantFrom('', '*'))
  .map((parts) => parts.join(''))
  .filter((pattern) => pattern !== '')

const anyRule = (tier: string, position: number): fc.Arbitrary<PolicyRule> =>
  fc.record({
    capability: anyPattern,
    rate: fc.option(
      fc.record({ callsMax: fc.integer({ min: 1, max: 4 }), windowMs: fc.constantFrom(10, 1000) }),
    ),
    budget: fc.option(
      fc.record({
        microUsdMax: fc.integer({ min: 1, max: 9 }),
        period: fc.constantFrom('hourly', 'daily', 'monthly'),
      }),
    ),
    origin: fc.constant(`/policy/${tier}/${position}`),
  })

const anyTier = (tier: string): fc.Arbitrary<PolicyRule[]> =>
  fc
    .integer({ min: 0, max: 12 })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, position) => anyRule(tier, position))),
    )

export const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  role: fc.constant('agent'),
  allow: anyTier('allow'),
  ask: anyTier('ask'),
  deny: anyTier('deny').map((rules) =>
    rules.slice(0, 3).map((rule) => ({ ...rule, rate: null, budget: null })),
  ),
  otherwise: fc.constantFrom('allow', 'deny'),
})
