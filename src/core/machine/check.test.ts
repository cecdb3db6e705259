import { expect, test } from 'vitest'
import { checkMachine, findingsPerCodeMax, linkMachine } from './check.ts'
import { build, fork, invoke, type StageParts } from './check-builder.contract.ts'
import { detourRegionOf } from './detour-region.ts'

test('a sound machine has no findings', () => {
  const bash = { tools: ['Bash'], commands: ['make test'] }
  const machine = build(
    {
      coding: { tools: ['Read', 'Edit'], callsMax: 9, on: { DONE: 'done', POLISH: 'polishing' } },
      polishing: { tools: ['Edit'], on: { DONE: 'done', CODE: 'coding' } },
      check: { ...bash, on: { VALID: '$return', BROKEN: 'failed' } },
      done: 'final',
      failed: { final: 'failed' },
    },
    { limits: { callsMax: 90, microUsdMax: null } },
  )
  const handler = detourRegionOf(machine.stages, 'check')
  const detour = { name: 'sql', pattern: '*.sql', target: 'check', handler, origin: '' }
  expect(checkMachine({ ...machine, detours: [detour] })).toEqual([])
})

test('a machine that is broken in every way is told all of it, without a throw', () => {
  const machine = build(
    {
      a: {
        tools: 'all',
        commands: ['bash'],
        fallback: 'nowhere',
        on: {
          BACK: '$return',
          SPLIT: fork({ one: ['ghost', 'spectre'], two: ['a', 'b'] }, 'phantom', 'a'),
          NONE: fork({}, 'a'),
          CALL: invoke('m', 'wraith', 'ghost'),
          GO: ['b', { to: 'b', guards: [['x', 'gt', 'y']] }],
        },
      },
      b: {},
      island: { on: { GO: 'island' } },
    },
    {
      initial: 'start',
      danger: 'dangerous',
      detours: [{ name: 'd', pattern: '*', target: 'void', handler: ['gone'], origin: '/d' }],
    },
  )
  const codes = new Set(
    [...checkMachine(machine), ...linkMachine(machine, () => undefined)].map((one) => one.code),
  )
  for (const code of [
    ...['INITIAL_UNKNOWN', 'TARGET_UNKNOWN', 'FORK_INVALID', 'DEAD_END', 'INVOKE_CYCLE'],
    ...['NO_PATH_TO_FINAL', 'OPEN_STAGE', 'COMMAND_TOO_BROAD', 'ROUTE_SHADOWED'],
    'GUARD_UNSATISFIABLE',
  ]) {
    expect(codes).toContain(code)
  }
})

test('a machine without stages has nothing but an unknown beginning', () => {
  expect(checkMachine(build({}, { initial: 'a' })).map((one) => one.code)).toEqual([
    'INITIAL_UNKNOWN',
  ])
  expect(checkMachine(build({}))).toEqual([])
})

test('every finding says what to do, in one line without a full stop', () => {
  const machine = build({ a: { tools: 'all', on: { GO: 'ghost', X: '$return' } }, b: {} })
  const found = checkMachine(machine)
  expect(found.length).toBeGreaterThan(3)
  for (const { message, hint } of found) {
    expect(hint).not.toBe('')
    expect(message).not.toMatch(/\n|\.$|^[A-Z]/)
  }
})

test('messages speak the words of the author', () => {
  const stages = { a: { on: { GO: 'ghost' } } }
  const said = (dialect: 'workflow' | 'steps') =>
    checkMachine(build(stages, { dialect }))[0]?.message
  expect(said('workflow')).toContain('that state does not exist')
  expect(said('steps')).toContain('that step does not exist')
})

test('findings of one code have a maximum, and the last says how many more there are', () => {
  const stages: Record<string, StageParts> = {}
  for (let i = 0; i < findingsPerCodeMax + 50; i += 1)
    stages[`s${i}`] = { on: { GO: `unknown-${i}` } }
  const found = checkMachine(build(stages)).filter((one) => one.code === 'TARGET_UNKNOWN')
  expect(found).toHaveLength(findingsPerCodeMax + 1)
  expect(found.at(-1)?.message).toContain('50 more')
})

test('the same remark about the same place is made once', () => {
  const way = { to: 'ghost' }
  const machine = build({ a: { on: { GO: way } } })
  const [trigger] = Object.values(machine.stages.a?.signals ?? {})
  const route = trigger?.routes[0]
  const routes = route === undefined ? [] : [route, route]
  const twice = { ...machine.stages.a!, signals: { GO: { ...trigger!, routes } } }
  const found = checkMachine({ ...machine, stages: { a: twice } })
  expect(found.filter((one) => one.code === 'TARGET_UNKNOWN')).toHaveLength(1)
})

function chain(count: number, back: boolean): Record<string, StageParts | 'final'> {
  const stages: Record<string, StageParts | 'final'> = {}
  for (let i = 0; i < count; i += 1) {
    const guards = [[`field${i}`, 'eq', i]] as const
    const on = { GO: { to: `s${i + 1}`, guards }, ...(back && i > 0 ? { BACK: `s${i - 1}` } : {}) }
    stages[`s${i}`] = { tools: i % 2 === 0 ? ['Read'] : ['Bash'], commands: ['npm test'], on }
  }
  stages[`s${count}`] = 'final'
  return stages
}

test('a long chain of dangerous stages is checked whole', () => {
  const machine = build(chain(5000, true), { danger: 'dangerous' })
  expect(checkMachine(machine).some((one) => one.code === 'CYCLE_WITHOUT_LIMIT')).toBe(true)
})

test('20 000 stages, and as many unknown ones, do not overflow the stack', () => {
  expect(() => checkMachine(build(chain(20_000, false)))).not.toThrow()
  const stages: Record<string, StageParts> = {}
  for (let i = 0; i < 20_000; i += 1) stages[`stage-${i}`] = { on: { GO: `stage_x${i}` } }
  expect(checkMachine(build(stages)).length).toBeGreaterThan(100)
})

test('thousands of branches are looked at within a bound', () => {
  const branches: Record<string, readonly [string, string]> = {}
  const stages: Record<string, StageParts | 'final'> = { a: {} }
  for (let i = 0; i < 3000; i += 1) {
    branches[`b${i}`] = [`p${i}`, 'q']
    stages[`p${i}`] = { on: { GO: `p${(i + 1) % 3000}` } }
  }
  const on = { SPLIT: fork(branches, 'z') }
  const machine = build({ ...stages, a: { on }, q: 'final', z: 'final' })
  const found = checkMachine(machine)
  expect(found.some((one) => one.code === 'FORK_INVALID')).toBe(true)
})
