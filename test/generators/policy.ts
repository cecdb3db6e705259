/**
 * Policies as any dialect may carry them.
 */
import fc from 'fast-check'
import { maybe, written } from './generator-helpers.ts'

const capability = fc.constantFrom('bash', 'read', 'edit', 'mcp:files:write', 'mcp:*', '*', 'web')

const rule = fc
  .record({
    capability,
    rate_limit: maybe(
      fc.record({
        max_calls: fc.integer({ min: 1, max: 3 }),
        window_seconds: fc.constantFrom(1, 60),
      }),
    ),
    budget_limit: maybe(
      fc.record({
        max_usd: fc.constantFrom(0.5, 2),
        period: fc.constantFrom('hourly', 'daily', 'monthly'),
      }),
    ),
  })
  .map(written)

/** A policy. */
export const policy: fc.Arbitrary<object> = fc
  .record({
    role: maybe(fc.constant('agent')),
    allow: maybe(fc.array(rule, { maxLength: 3 })),
    ask: maybe(fc.array(rule, { maxLength: 2 })),
    deny: maybe(fc.array(fc.record({ capability }), { maxLength: 2 })),
    default: maybe(fc.constantFrom('allow', 'deny')),
  })
  .map(written)
