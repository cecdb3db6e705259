/** Forks and invokes that are edited in forms: the text says the new way, and keeps the rest. */
import { describe, expect, test } from 'vitest'
import { readSource } from '../source/read-source.ts'
import { compileDefinition } from './compile-definition.ts'
import {
  dropBranch,
  finalStagesFrom,
  putBranch,
  putMoveField,
  renameBranch,
} from './edit-branching.ts'
import { editStage, type RouteTarget } from './edit-stage.ts'
import type { EditableDefinition } from './editable-definition.ts'

const yaml = `\
# Two parts at once.
id: parts
initial: plan
states:
  plan:
    on:
      GO: review
      SHIP: { target: review, guard: green, requires_approval: true } # asked
      EITHER:
        - { target: left, guard: green }
        - { target: review }
  left: { on: { DONE: left_done } }
  left_done: { type: final }
  right: { on: { DONE: right_done, ODD: left_done } }
  right_done: { type: final }
  review: { on: { OK: end } }
  end: { type: final }
guards:
  green: { field: tests, op: eq, value: green }
`
const json = JSON.stringify(
  {
    id: 'parts',
    initial: 'plan',
    states: {
      plan: {
        on: {
          GO: 'review',
          SHIP: { target: 'review', guard: 'green', requires_approval: true },
          EITHER: [{ target: 'left', guard: 'green' }, { target: 'review' }],
        },
      },
      left: { on: { DONE: 'left_done' } },
      left_done: { type: 'final' },
      right: { on: { DONE: 'right_done', ODD: 'left_done' } },
      right_done: { type: 'final' },
      review: { on: { OK: 'end' } },
      end: { type: 'final' },
    },
    guards: { green: { field: 'tests', op: 'eq', value: 'green' } },
  },
  null,
  2,
)

function written(text: string | null): EditableDefinition {
  const { root } = readSource(text ?? '')
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (text === null || root === null || machine === undefined) {
    throw new Error(`it does not load:\n${text}`)
  }
  return { text, root, machine }
}

const at = (signal: string): string => `/states/plan/on/${signal}`

function lead(text: string, signal: string, target: RouteTarget): string | null {
  return editStage(written(text), { kind: 'lead-route', stage: 'plan', route: at(signal), target })
}

function routeIn(text: string | null, signal: string) {
  const route = written(text).machine.stages.plan?.signals[signal]?.routes[0]
  if (route === undefined) throw new Error(`${signal} is gone`)
  return route
}

describe.each([
  ['yaml', yaml],
  ['json', json],
])('in %s', (_, text) => {
  test('a route becomes a fork that is valid as it is, and a plain route again', () => {
    const forked = lead(text, 'GO', { kind: 'fork' }) ?? ''
    expect(routeIn(forked, 'GO').move).toMatchObject({
      kind: 'fork',
      join: 'all',
      onComplete: 'review',
      branches: [{ name: 'branch-1', initial: 'left', terminal: 'left_done' }],
    })
    const back = lead(forked, 'GO', { kind: 'stage', stage: 'review' })
    expect(written(back).machine.stages).toMatchObject({
      plan: { signals: { GO: { routes: [{ move: { kind: 'goto', stage: 'review' } }] } } },
    })
  })

  test('guard and gate of a route stay when it leads elsewhere', () => {
    for (const target of [{ kind: 'fork' }, { kind: 'invoke', machine: 'child' }] as const) {
      const { guards, gate, move } = routeIn(lead(text, 'SHIP', target), 'SHIP')
      expect(move).toMatchObject({ kind: target.kind, onComplete: 'review' })
      expect({ guards: guards.length, hasGate: gate !== null }).toEqual({
        guards: 1,
        hasGate: true,
      })
    }
  })

  test('branches are added, renamed, led elsewhere and removed', () => {
    const route = at('GO')
    const forked = lead(text, 'GO', { kind: 'fork' })
    const two = putBranch(written(forked), route, {
      name: 'second',
      initial: 'right',
      terminal: 'left_done',
    })
    const named = renameBranch(written(two), route, { from: 'branch-1', to: 'first' })
    expect(routeIn(named, 'GO').move).toMatchObject({
      branches: [
        { name: 'first', initial: 'left', terminal: 'left_done' },
        { name: 'second', initial: 'right', terminal: 'left_done' },
      ],
    })
    expect(renameBranch(written(named), route, { from: 'first', to: 'second' })).toBeNull()
    // `left` does not lead to where the branch ended, so it ends where `left` leads.
    const changed = putBranch(written(named), route, {
      name: 'second',
      initial: 'left',
      terminal: 'right_done',
    })
    expect(routeIn(changed, 'GO').move).toMatchObject({
      branches: [{}, { name: 'second', initial: 'left', terminal: 'left_done' }],
    })
    const one = dropBranch(written(changed), route, 'first')
    expect(routeIn(one, 'GO').move).toMatchObject({ branches: [{ name: 'second' }] })
  })

  test('how a fork and an invoke go on is put, and taken away', () => {
    const route = at('GO')
    const forked = lead(text, 'GO', { kind: 'fork' })
    const any = putMoveField(written(forked), route, { path: ['fork', 'join'], value: 'any' })
    const fails = { path: ['fork', 'on_fail'], value: 'plan' }
    const failing = putMoveField(written(any), route, fails)
    expect(routeIn(failing, 'GO').move).toMatchObject({ join: 'any', onFail: 'plan' })
    const none = putMoveField(written(failing), route, { ...fails, value: null })
    expect(routeIn(none, 'GO').move).toMatchObject({ join: 'any', onFail: null })
    const invoked = lead(text, 'GO', { kind: 'invoke', machine: 'child' })
    const other = putMoveField(written(invoked), route, { path: ['invoke'], value: 'other' })
    expect(routeIn(other, 'GO').move).toMatchObject({ machine: 'other', onComplete: 'review' })
    expect(putMoveField(written(other), route, { path: ['invoke'], value: '' })).toBeNull()
  })

  test('one of several ways of an event can only name a state', () => {
    expect(lead(text, 'EITHER/1', { kind: 'fork' })).toBeNull()
    expect(lead(text, 'EITHER/1', { kind: 'stage', stage: 'left' })).not.toBeNull()
  })

  test('a new route is a fork or an invoke at once', () => {
    const add = { kind: 'add-route', stage: 'plan', signal: 'NEW' } as const
    const forked = editStage(written(text), { ...add, target: { kind: 'fork' } })
    expect(routeIn(forked, 'NEW').move.kind).toBe('fork')
    const target = { kind: 'invoke', machine: 'child' } as const
    expect(routeIn(editStage(written(text), { ...add, target }), 'NEW').move.kind).toBe('invoke')
  })
})

test('the text keeps its comments and its other lines', () => {
  const forked = lead(yaml, 'SHIP', { kind: 'fork' }) ?? ''
  expect(forked).toContain('# Two parts at once.')
  expect(forked).toContain('# asked')
  expect(forked).toContain('GO: review')
})

test('a branch can end where its stages lead', () => {
  const { machine } = written(yaml)
  expect(finalStagesFrom(machine, 'right')).toEqual(['left_done', 'right_done'])
  expect(finalStagesFrom(machine, 'end')).toEqual(['end'])
})
