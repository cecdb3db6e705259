import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import type { Machine, Route } from '../machine/machine.ts'
import { printYaml } from '../source/print-yaml.ts'
import { readSource } from '../source/read-source.ts'
import { plainValue } from '../source/source.ts'
import { compileDefinition } from './compile-definition.ts'
import { dropGuard, guardsOf, guardText, putGuard } from './edit-route-guard.ts'
import { editStage, type RouteTarget, routeTargetOf, type StageEdit } from './edit-stage.ts'
import type { EditableDefinition } from './editable-definition.ts'

const house = join(import.meta.dirname, '..', '..', '..')
const fresh = 'A new_name'

function written(text: string): EditableDefinition {
  const { root } = readSource(text)
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (root === null || machine === undefined) throw new Error(`it does not load:\n${text}`)
  return { text, root, machine }
}

function edit(text: string, change: StageEdit): string {
  const next = editStage(written(text), change)
  if (next === null) throw new Error(`${JSON.stringify(change)} is not taken by\n${text}`)
  return next
}

/** WHY not every one of the cases: they are many, and much alike. */
const every = 31
const eachMax = 4

/** Definitions of the examples and cases that load, in both formats. */
const texts = ['examples/process', 'examples/workflow', 'examples/steps', 'cases']
  .flatMap((folder) => readdirSync(join(house, folder)).map((file) => join(folder, file)))
  .filter((file) => /\.(json|yaml)$/.test(file))
  .flatMap((file) => textsIn(file))
  .filter(([name], index) => name.startsWith('examples') || index % every === 0)
  .flatMap(([name, text]) => ('machine' in tried(text) ? [{ name, ...written(text) }] : []))

function textsIn(file: string): readonly (readonly [name: string, text: string])[] {
  const text = readFileSync(join(house, file), 'utf8')
  const { root } = readSource(text)
  const value = root === null ? null : plainValue(root)
  if (!Array.isArray(value)) return file.includes('cases.') ? [] : [[file, text]]
  const definitions = value.flatMap(({ id, definition }) =>
    definition === undefined ? [] : [[`${file} ${id}`, definition as Json] as const],
  )
  return definitions.flatMap(([name, definition]) => [
    [name, JSON.stringify(definition, null, 2)] as const,
    [`${name} as yaml`, printYaml(definition)] as const,
  ])
}

function tried(text: string): object {
  const { root } = readSource(text)
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  return machine === undefined ? {} : { machine }
}

function routesOf(machine: Machine): readonly (Route & { readonly stage: string })[] {
  return Object.values(machine.stages).flatMap((stage) =>
    Object.values(stage.signals).flatMap(({ routes }) =>
      routes.map((route) => ({ ...route, stage: stage.name })),
    ),
  )
}

/** The value with one name in place of another, wherever it stands. */
function renamed(value: Json, from: string, to: string): Json {
  if (value === from) return to
  if (Array.isArray(value)) return value.map((one) => renamed(one, from, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [
      key === from ? to : key,
      renamed(one, from, to),
    ]),
  )
}

function plainOf(text: string): Json {
  const { root } = readSource(text)
  return root === null ? null : plainValue(root)
}

test('there is something to edit in every dialect and format', () => {
  expect(texts.length).toBeGreaterThan(15)
  expect(new Set(texts.map(({ machine }) => machine.dialect)).size).toBe(3)
})

describe('over every example and case', () => {
  test('a stage that is renamed is the same stage, and renamed back the same text', () => {
    for (const { name, text, machine } of texts) {
      for (const stage of Object.keys(machine.stages).slice(0, eachMax)) {
        const there = edit(text, { kind: 'rename-stage', stage, to: fresh })
        const { machine: after } = written(there)
        expect(Object.keys(after.stages), name).toEqual(
          Object.keys(machine.stages).map((one) => (one === stage ? fresh : one)),
        )
        const back = edit(there, { kind: 'rename-stage', stage: fresh, to: stage })
        expect(written(back).machine.stages, name).toEqual(machine.stages)
        const same = [plainOf(there), plainOf(text)].map((one) => renamed(one, stage, fresh))
        if (stage !== 'failed') expect(same[0], name).toEqual(same[1])
        else expect(after.stages[fresh]?.final, name).toBe(machine.stages.failed?.final)
      }
    }
  })

  test('a route is led elsewhere, and nothing beside it changes', () => {
    for (const { name, text, machine } of texts) {
      const stages = Object.keys(machine.stages)
      for (const route of routesOf(machine).slice(0, eachMax)) {
        const stage = stages.find((one) => route.move.kind !== 'goto' || one !== route.move.stage)
        if (stage === undefined) continue
        const target = { kind: 'stage', stage } as const
        const change = {
          kind: 'lead-route',
          stage: route.stage,
          route: route.origin,
          target,
        } as const
        const next = editStage(written(text), change) ?? ''
        expect(leadAt(next, route.origin), name).toEqual(target)
        // WHY not these: two routes may share one fork in the text, by an alias.
        if (['fork', 'invoke'].includes(route.move.kind)) continue
        expect(without(plainOf(next), route.origin), name).toEqual(
          without(plainOf(text), route.origin),
        )
      }
    }
  })

  test('a stage and a route that were added and removed leave the same definition', () => {
    for (const { name, text, machine } of texts) {
      const grown = editStage(written(text), { kind: 'add-stage', stage: fresh }) ?? ''
      if (!('machine' in tried(grown))) continue
      const removal = { kind: 'remove-stage', stage: fresh, instead: null } as const
      expect(plainOf(edit(grown, removal)), name).toEqual(plainOf(text))
      const { initial } = machine
      if (machine.stages[initial]?.final !== null && machine.dialect !== 'process') continue
      const add = { kind: 'add-route', stage: initial, signal: 'X y', target: end(fresh) } as const
      const routed = edit(grown, add)
      if (!('machine' in tried(routed))) continue
      const after = written(routed).machine
      const route = routesOf(after).find(
        ({ move }) => move.kind === 'goto' && move.stage === fresh,
      ) as Route
      const back = edit(routed, { kind: 'remove-route', stage: initial, route: route.origin })
      expect(plain(plainOf(back)), name).toEqual(plain(plainOf(grown)))
    }
  })
})

const workflow = `# mine
id: w
initial: a
context:   { n: 1 }   # odd blanks stay
guards:
  many: { field: n, op: gt, value: 2 }
  few:  { field: n, op: lt, value: 2 }
states:
  a: { on: { GO: b } } # the first
  "failed": { type: final }
  b:
    on:
      END:
      - { target: failed, guard: many }   # a list in the same column
      - target: c
  c: { type: final }
`

describe('what the author wrote stays', () => {
  test('comments, blanks and quotes, when a stage is renamed', () => {
    const there = edit(workflow, { kind: 'rename-stage', stage: 'b', to: 'middle' })
    expect(there).toBe(workflow.replace('GO: b', 'GO: middle').replace('  b:', '  middle:'))
    const quoted = edit(workflow, { kind: 'rename-stage', stage: 'b', to: 'no' })
    expect(quoted).toContain('GO: "no"')
    expect(written(quoted).machine.stages.no).toBeDefined()
  })

  test('the lines that a change is not about, when something is added or removed', () => {
    const target = { kind: 'stage', stage: 'b' } as const
    const added = edit(workflow, { kind: 'add-route', stage: 'b', signal: 'AGAIN', target })
    expect(added.split('\n').filter((line) => !workflow.includes(line))).toEqual(['      AGAIN: b'])
    const guarded = edit(workflow, {
      kind: 'guard-route',
      stage: 'b',
      route: '/states/b/on/END/0',
      guard: 'few, many',
    })
    expect(guarded).toContain('context:   { n: 1 }   # odd blanks stay')
    expect(guarded).toContain('  few:  {')
    const json = JSON.stringify(plainOf(workflow), null, '\t').replace('{', '{ // mine')
    const led = edit(json, {
      kind: 'lead-route',
      stage: 'a',
      route: '/states/a/on/GO',
      target: end('c'),
    })
    expect(led).toBe(json.replace('"GO": "b"', '"GO": "c"'))
  })

  test('how a run ends, when the name that said so goes or comes', () => {
    const gone = edit(workflow, { kind: 'rename-stage', stage: 'failed', to: 'lost' })
    expect(written(gone).machine.stages.lost?.final).toBe('failed')
    const back = edit(gone, { kind: 'rename-stage', stage: 'lost', to: 'failed' })
    expect(written(back).machine.stages).toEqual(written(workflow).machine.stages)
    const come = edit(gone, { kind: 'rename-stage', stage: 'c', to: 'failed' })
    expect(written(come).machine.stages.failed?.final).toBe('completed')
  })

  test('what an alias stands for is renamed once', () => {
    const text = `id: w
initial: a
states:
  a: { on: { GO: &end { target: b }, STOP: *end, LEAVE: &name b, FLEE: *name } }
  b: { type: final }
`
    const there = edit(text, { kind: 'rename-stage', stage: 'b', to: 'last' })
    const moves = routesOf(written(there).machine).map(({ move }) => 'stage' in move && move.stage)
    expect(moves).toEqual(['last', 'last', 'last', 'last'])
  })
})

describe('a guard', () => {
  const route = '/states/a/on/GO'
  const guard = (text: string, words: string) =>
    edit(text, { kind: 'guard-route', stage: 'a', route, guard: words })

  test('of a workflow is put on, made two, and taken away', () => {
    const one = guard(workflow, 'many')
    expect(guardText(written(one), route)).toBe('many')
    const two = guard(one, 'many, few')
    expect(guardText(written(two), route)).toBe('many, few')
    expect(guardText(written(guard(two, 'few')), route)).toBe('few')
    expect(written(guard(two, '')).machine.stages.a?.signals.GO?.routes[0]?.guards).toEqual([])
  })

  test('is made, compares something else, and goes when no route needs it', () => {
    const made = putGuard(written(workflow), 'new', { field: 'x', op: 'in', value: ['a'] }) ?? ''
    expect(guardsOf(written(made)).new).toEqual({ field: 'x', op: 'in', value: ['a'] })
    const other = putGuard(written(workflow), 'few', { field: 'n', op: 'exists', value: null })
    expect(guardsOf(written(other ?? '')).few).toEqual({ field: 'n', op: 'exists' })
    expect(other).toContain('odd blanks stay')
    const less = { field: 'n', op: 'lte', value: 2 } as const
    expect(putGuard(written(workflow), 'few', less)).toBe(workflow.replace('op: lt,', 'op: lte,'))
    expect(dropGuard(written(workflow), 'many')).toBeNull()
    expect(Object.keys(guardsOf(written(dropGuard(written(workflow), 'few') ?? '')))).toEqual([
      'many',
    ])
  })

  test('of a form is an expression, in whichever language', () => {
    const text = `type: steps
id: s
steps:
  - id: A
    goal: First
    inputs: [{ name: n }]
    next: [B, { id: B, if: { type: cel, expression: n == "1" } }, B]
  - { id: B, goal: Then, inputs: [{ name: m }] }
`
    const [first, second] = ['/steps/0/next/0', '/steps/0/next/1']
    const put = (at: string, words: string) =>
      edit(text, { kind: 'guard-route', stage: 'A', route: at, guard: words })
    expect(guardText(written(text), second)).toBe('n == "1"')
    expect(plainOf(put(first, "n == '2'"))).toMatchObject({
      steps: [{ next: [{ id: 'B', if: "n == '2'" }, {}, 'B'] }, {}],
    })
    expect(put(second, 'n == "3"')).toContain('type: cel')
    expect(guardText(written(put(second, '')), second)).toBe('')
  })
})

const process = `# mine
name: p
initial: a
states:
  a:
    question: Is it?
    answers:
      go: { next: b }
      stop: { next: null, action: block } # no
  b: { question: Done. }
`

test('an answer of a process ends the run, or goes on', () => {
  const lead = (route: string, target: RouteTarget) =>
    edit(process, { kind: 'lead-route', stage: 'a', route: `/states/a/answers/${route}`, target })
  expect(lead('stop', end('b'))).toContain('stop: { next: b } # no')
  const ended = lead('go', { kind: 'end', outcome: 'blocked' })
  expect(ended).toContain('go: { next: null, action: block }')
})

test('an event that leads somewhere gets one more way, and loses it again', () => {
  const add = { kind: 'add-route', stage: 'a', signal: 'GO', target: end('c') } as const
  const two = edit(workflow, add)
  const three = edit(two, { ...add, target: { kind: 'stage', stage: 'failed' } })
  const leads = (text: string) =>
    written(text).machine.stages.a?.signals.GO?.routes.map(({ move }) => routeTargetOf(move))
  expect(leads(three)).toEqual([end('b'), end('c'), end('failed')])
  const route = '/states/a/on/GO/0'
  const less = edit(three, { kind: 'remove-route', stage: 'a', route })
  expect(leads(less)).toEqual([end('c'), end('failed')])
  const guarded = edit(two, { kind: 'guard-route', stage: 'a', route, guard: 'many' })
  expect(guardText(written(guarded), route)).toBe('many')
  expect(editStage(written(process), { ...add, signal: 'go' })).toBeNull()
})

test('a signal is renamed where it is taken', () => {
  const change = { kind: 'rename-signal', stage: 'a', signal: 'go', to: 'go on' } as const
  expect(edit(process, change)).toBe(process.replace('go:', '"go on":'))
  expect(editStage(written(process), { ...change, to: 'stop' })).toBeNull()
})

test('what led to a stage that is removed leads to another one', () => {
  const removal = { kind: 'remove-stage', stage: 'b', instead: 'c' } as const
  const next = edit(workflow, removal)
  expect(next).toContain('a: { on: { GO: c } } # the first')
  expect(Object.keys(written(next).machine.stages)).toEqual(['a', 'failed', 'c'])
  expect(editStage(written(workflow), { ...removal, instead: null })).toBeNull()
  expect(editStage(written(workflow), { ...removal, instead: 'b' })).toBeNull()
})

test('what is there already is not put over, and what is not there is not taken away', () => {
  for (const { text, machine } of texts) {
    const [stage = ''] = Object.keys(machine.stages)
    const no = (change: StageEdit) => expect(editStage(written(text), change)).toBeNull()
    no({ kind: 'add-stage', stage })
    no({ kind: 'rename-stage', stage: 'zz', to: fresh })
    no({ kind: 'rename-stage', stage, to: '' })
    no({ kind: 'remove-stage', stage: 'zz', instead: null })
    no({ kind: 'remove-route', stage, route: '/nowhere' })
  }
})

/** WHY: `on: {}` and no `on` at all say the same. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value as JsonObject).map(
    ([key, one]) => [key, plain(one)] as const,
  )
  return Object.fromEntries(
    members.filter(([key, one]) => !isEmpty(one) || !['on', 'answers', 'next'].includes(key)),
  )
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function end(stage: string): RouteTarget {
  return { kind: 'stage', stage }
}

function leadAt(text: string, origin: string): Json {
  const value = origin
    .split('/')
    .slice(1)
    .reduce<Json>(
      (sum, step) => (sum as JsonObject)[step.replaceAll('~1', '/').replaceAll('~0', '~')] ?? null,
      plainOf(text),
    )
  const { target, next, id } = (value ?? {}) as Readonly<Record<string, Json>>
  return {
    kind: 'stage',
    stage: typeof value === 'string' ? value : (target ?? next ?? id ?? null),
  }
}

/** The value without what stands at a pointer. */
function without(value: Json, origin: string): Json {
  const copy = JSON.parse(JSON.stringify(value))
  const path = origin
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const around = path.slice(0, -1).reduce((sum, step) => sum[step], copy)
  around[path.at(-1) ?? ''] = 'gone'
  return copy
}
