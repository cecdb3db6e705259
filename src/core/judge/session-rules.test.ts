/** Rules on the past whose scope is the session: over its runs, one after another. */
import { describe, expect, test } from 'vitest'
import type { Walk } from '../engine/family-builder.contract.ts'
import { newSession } from '../engine/session-past.ts'
import type { Call } from '../engine/types.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { end, named, shell, under } from './order-walk.contract.ts'

/** A run of a session that has had others before. */
function runAfter(policy: PolicyDefinition, ...before: readonly Walk[]): Walk {
  const walk = under(policy)
  const states = before.flatMap(({ family }) => family.members.map(({ state }) => state))
  walk.session = {
    ...{ ...newSession, name: 'claude:a', states },
    meters: before.map(({ family }) => family.meters),
    evidence: states.flatMap(({ evidence = [] }) => evidence),
  }
  walk.at = Math.max(walk.at, ...before.map(({ at }) => at))
  return walk
}

const pay = named('mcp:bank:pay', { amount: 4 })
const verdicts = (walk: Walk, count: number, call: Call = pay): readonly string[] =>
  Array.from({ length: count }, () => walk.call(call).verdict)

describe.each<[string, PolicyDefinition['allow']]>([
  ['a number of calls', [{ capability: 'mcp:bank:*', count: { max: 3, scope: 'session' } }]],
  ['a sum', [{ capability: 'mcp:bank:*', sum: { of: 'input.amount', max: 12, scope: 'session' } }]],
])('%s of a session', (_, allow) => {
  const policy = { allow }

  test('counts what the session did in earlier runs', () => {
    const first = runAfter(policy)
    expect(verdicts(first, 2)).toEqual(['allow', 'allow'])
    const second = runAfter(policy, first)
    expect(verdicts(second, 2)).toEqual(['allow', 'deny'])
    expect(verdicts(runAfter(policy, first, second), 1)).toEqual(['deny'])
  })

  test('counts nothing of another session, also in the same run', () => {
    const walk = runAfter(policy)
    expect(verdicts(walk, 4)).toEqual(['allow', 'allow', 'allow', 'deny'])
    walk.session = { ...newSession, name: 'claude:b' }
    expect(verdicts(walk, 4)).toEqual(['allow', 'allow', 'allow', 'deny'])
  })

  test('is denied where the session is not known, or not all that it did', () => {
    const denied = under(policy).call(pay)
    expect(denied.verdict).toBe('deny')
    expect(denied.reason).toContain('it is not known which session')
    const walk = runAfter(policy)
    walk.session = { ...newSession, problem: 'this session has had too many runs' }
    expect(walk.call(pay).reason).toContain('too many runs')
  })

  test('takes a call of an earlier run back that was not made, and none that failed', () => {
    const first = runAfter(policy)
    const calls = [first.call(pay), first.call(pay), first.call(pay)] as const
    end(first, calls[0], { ok: false })
    expect(verdicts(runAfter(policy, first), 1)).toEqual(['deny'])
    end(first, calls[1], { ok: false, wasNotMade: true })
    expect(verdicts(runAfter(policy, first), 2)).toEqual(['allow', 'deny'])
  })
})

test('a window is over the session, and its room is told', () => {
  const count = { max: 2, window_seconds: 60, scope: 'session' } as const
  const policy = { allow: [{ capability: 'mcp:bank:*', count }] }
  const first = runAfter(policy)
  first.call(pay)
  first.at += 30_000
  const second = runAfter(policy, first)
  expect(verdicts(second, 1)).toEqual(['allow'])
  expect(second.call(pay).hint).toContain('30 seconds')
  second.at += 30_000
  expect(verdicts(second, 2)).toEqual(['allow', 'deny'])
})

test('a question of an earlier run to a person keeps its room', () => {
  const policy = {
    ask: [{ capability: 'mcp:bank:*', count: { max: 1, scope: 'session' as const } }],
  }
  const first = runAfter(policy)
  expect(first.call(pay).verdict).toBe('ask')
  expect(runAfter(policy, first).call(pay).verdict).toBe('deny')
  first.decide(false)
  expect(runAfter(policy, first).call(pay).verdict).toBe('ask')
})

describe('a prerequisite of a session', () => {
  const deploy = named('mcp:cd:deploy', { build: 7 })
  const tests = named('mcp:ci:test', { build: 7 })
  const after = { capability: 'mcp:ci:test', scope: 'session' } as const
  const policyOf = (more: object): PolicyDefinition => {
    return { allow: [{ capability: 'mcp:cd:deploy', after: { ...after, ...more } }] }
  }

  test('is met by a call of an earlier run, but not by that of another session', () => {
    const first = runAfter(policyOf({}))
    end(first, first.call(tests))
    expect(runAfter(policyOf({}), first).call(deploy).verdict).toBe('allow')
    const other = runAfter(policyOf({}), first)
    other.session = { ...(other.session ?? newSession), name: 'claude:b' }
    expect(other.call(deploy)).toMatchObject({ code: 'PREREQUISITE_MISSING' })
    first.session = { ...newSession, name: 'claude:b' }
    expect(first.call(deploy)).toMatchObject({ code: 'PREREQUISITE_MISSING' })
  })

  test('is not met where the session is not known', () => {
    const walk = under(policyOf({}))
    end(walk, walk.call(tests))
    const denied = walk.call(deploy)
    expect(denied).toMatchObject({ code: 'PREREQUISITE_MISSING' })
    expect(denied.reason).toContain('it is not known which session')
  })

  test('is compared with calls of earlier runs', () => {
    const same = { same: [{ this: 'input.build', earlier: 'input.build' }] }
    const first = runAfter(policyOf(same))
    end(first, first.call(tests))
    const second = runAfter(policyOf(same), first)
    end(second, second.call(named('mcp:ci:test', { build: 8 })))
    const third = runAfter(policyOf(same), first, second)
    const built = (build: number) => third.call(named('mcp:cd:deploy', { build })).verdict
    expect([built(7), built(8), built(9)]).toEqual(['allow', 'allow', 'deny'])
  })

  test('is fresh in its own run only: nobody saw what changed between two runs', () => {
    const first = runAfter(policyOf({ fresh: true }))
    end(first, first.call(tests))
    expect(first.call(deploy).verdict).toBe('allow')
    expect(runAfter(policyOf({ fresh: true }), first).call(deploy).verdict).toBe('deny')
  })
})

describe('evidence of a session', () => {
  const push = { capability: 'bash', when: { commands: ['git push'] } }
  const policyOf = (scope: 'run' | 'session'): PolicyDefinition => {
    return { allow: [{ ...push, after: { evidence: 'npm test', fresh: true, scope } }] }
  }
  const look = (walk: Walk, fingerprint: string): Walk => {
    walk.workspace = { folder: '/work', fingerprint }
    return walk
  }

  test('counts from an earlier run as long as nothing has changed', () => {
    const first = look(runAfter(policyOf('session')), 'f1')
    end(first, first.call({ ...shell('npm test'), workspace: '/work' }), { grade: 'host' })
    const pushed = { ...shell('git push'), workspace: '/work' }
    const verdict = (scope: 'run' | 'session', fingerprint: string): string =>
      look(runAfter(policyOf(scope), first), fingerprint).call(pushed).verdict
    expect(verdict('session', 'f1')).toBe('allow')
    expect(verdict('session', 'f2')).toBe('deny')
    expect(verdict('run', 'f1')).toBe('deny')
  })
})
