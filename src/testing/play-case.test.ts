import { expect, test } from 'vitest'
import type { Json } from '../core/json.ts'
import { sourceOf } from '../core/source/source.ts'
import type { Case } from './case-schema.ts'
import { type CaseResult, caseSource, playCase } from './play-case.ts'

const definition = {
  id: 'w',
  initial: 'a',
  states: { a: { on: { END: 'z' } }, z: { type: 'final' } },
}

function play(policy: Json, steps: readonly Json[], check?: Json): CaseResult {
  const one = { id: 'a-case', title: 't', definition, policy, steps, ...(check ? { check } : {}) }
  return playCase(caseSource(one as unknown as Case, sourceOf(one as Json), null))
}

const call = (verdict: string, more: object = {}): Json => ({
  call: { tool: 'mcp__db__drop', input: {} },
  expect: { verdict, ...more },
})

test('the policy of a case is laid over its run', () => {
  const rule = '/policy/deny/0'
  const denied = call('deny', { code: 'POLICY_DENIED', rule })
  expect(play({ deny: [{ capability: 'mcp:db:*' }] }, [denied]).failures).toEqual([])
  expect(play({}, [denied]).ok).toBe(false)
})

test('a policy that is not one is found before anything is played', () => {
  const result = play({ deny: [{ tool: 'bash' }] }, [call('allow')])
  expect(result.ok).toBe(false)
  const errors = result.findings.filter((one) => one.severity === 'error')
  expect(errors).toMatchObject([{ pointer: '/policy/deny/0' }])
  expect(result.log).toEqual([])
})

test('a case may be about what is wrong with a policy', () => {
  const rate_limit = { max_calls: 0, window_seconds: 60 }
  const policy = { allow: [{ capability: 'bash', rate_limit }] }
  expect(play(policy, [], { errors: ['LIMIT_INVALID'] }).failures).toEqual([])
})
