/** What the order of routes decides must agree with how they are chosen. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseRoute } from '../engine/choose-route.ts'
import type { RunState } from '../engine/types.ts'
import type { Json } from '../json.ts'
import { build } from './check-builder.contract.ts'
import { shadowedRoutes } from './choose-order.ts'
import type { CompareOp, Trigger } from './machine.ts'

const ops: readonly CompareOp[] = [
  ...(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'exists', 'not_exists'] as const),
]
const values: readonly Json[] = [null, 0, 1, 2, 'a', 'ab', true, [1], ['a', 'b'], [1, 2], {}]

const guard = fc
  .record({ op: fc.constantFrom(...ops), value: fc.constantFrom(...values) })
  .map(({ op, value }) => ['n', op, value] as const)

test('a route that is called shadowed is taken for no value', () => {
  const routes = fc.array(fc.array(guard, { maxLength: 2 }), { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(routes, (some) => {
      const ways = some.map((guards) => ({ to: 'b', guards }))
      const trigger = build({ a: { on: { GO: ways } }, b: 'final' }).stages.a?.signals.GO
      const never = shadowedRoutes((trigger as Trigger).routes).map(({ route }) => route)
      for (const n of [undefined, ...values, 3, -1, 1.5]) {
        const state = { vars: n === undefined ? {} : { n }, sources: {} } as unknown as RunState
        const moment = { at: 0, fingerprint: null }
        const choice = chooseRoute(trigger as Trigger, { state, evidence: [], moment })
        if (choice.kind === 'route') expect(never).not.toContain(choice.route)
      }
    }),
    { numRuns: 2_000 },
  )
})
