import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { asObject, equalJson } from '../../src/core/json.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { compileText, deepFreeze } from '../generators/compile-generated.ts'
import { definitionSet, workflowSet } from '../generators/definitions.ts'
import { settings, timeoutMs } from './property-settings.ts'

const compiled = (definition: Json): readonly Machine[] =>
  compileText(JSON.stringify(definition)).machines

test('a machine compiled twice has the same hash', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      const hashes = compiled(main).map((machine) => machine.hash)
      expect(compiled(main).map((machine) => machine.hash)).toEqual(hashes)
    }),
    settings(100),
  )
})

test('a machine that was stored and read again is the same machine', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      for (const machine of compiled(main)) {
        const stored = JSON.parse(JSON.stringify(machine)) as Json
        expect(equalJson(machine as unknown as Json, stored)).toBe(true)
      }
    }),
    settings(100),
  )
})

test('blanks, comments and the way keys are written do not change the hash', {
  timeout: timeoutMs,
}, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      const spaced = `// a note\n${JSON.stringify(main, null, 3)}\n/* the end */`
      const hashes = compiled(main).map((machine) => machine.hash)
      expect(compileText(spaced).machines.map((machine) => machine.hash)).toEqual(hashes)
    }),
    settings(100),
  )
})

// Names the author gave: their order is shown, drawn and worked in, so it is content.
const named: ReadonlySet<string> = new Set(['states', 'on', 'answers', 'branches', 'interrupts'])
// Values nobody looks into stay as they were written.
const free: ReadonlySet<string> = new Set([
  'context',
  'input',
  'env_overrides',
  'meta',
  'arguments',
  'value',
  'examples',
])

function reversed(value: Json, key: string): Json {
  if (free.has(key)) return value
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item, ''))
  const object = asObject(value)
  if (object === null) return value
  const entries = Object.entries(object).map(([name, one]) => [name, reversed(one, name)] as const)
  return Object.fromEntries(named.has(key) ? entries : entries.reverse())
}

test('the order of fields does not change the hash', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      const hashes = compiled(main).map((machine) => machine.hash)
      expect(compiled(reversed(main, '')).map((machine) => machine.hash)).toEqual(hashes)
    }),
    settings(100),
  )
})

test('the order of stages and of signals changes the hash, for it is what people see', () => {
  const two = (stages: readonly string[], events: readonly string[]): Json => {
    const on = Object.fromEntries(events.map((name) => [name, 'z']))
    const states = Object.fromEntries(stages.map((name) => [name, { on }]))
    return { id: 'w', initial: 'a', states: { ...states, z: { type: 'final' } } }
  }
  const hashes = [
    compiled(two(['a', 'b'], ['GO', 'STOP'])),
    compiled(two(['b', 'a'], ['GO', 'STOP'])),
    compiled(two(['a', 'b'], ['STOP', 'GO'])),
  ].map(([machine]) => machine?.hash)
  expect(hashes).not.toContain(undefined)
  expect(new Set(hashes).size).toBe(3)
})

test('the order of the branches of a fork changes the hash, for it is the order of work', () => {
  const forking = (names: readonly string[]): Json => ({
    id: 'w',
    initial: 'a',
    states: {
      a: {
        on: {
          GO: {
            fork: {
              branches: Object.fromEntries(names.map((n) => [n, { initial: 'b', terminal: 'z' }])),
              on_complete: 'z',
            },
          },
        },
      },
      b: { on: { DONE: 'z' } },
      z: { type: 'final' },
    },
  })
  const [one] = compiled(forking(['left', 'right']))
  const [two] = compiled(forking(['right', 'left']))
  expect(one?.hash).toBeDefined()
  expect(one?.hash).not.toBe(two?.hash)
})

const rules: readonly JsonObject[] = [
  { max_iterations: 77 },
  { allowed_tools: ['Only'] },
  { disallowed_tools: ['Never'] },
  { allowed_commands: ['just this'] },
  { blocked_env: ['TOKEN'] },
  { env_overrides: { A: 'b' } },
  { max_edit_lines: 77 },
  { max_files_per_state: 77 },
  { context_budget_bytes: 7_777 },
  { instructions: 'other words' },
  { model: 'another' },
]

test('the hash changes with every rule of a stage', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(workflowSet, fc.constantFrom(...rules), ({ main }, rule) => {
      const [before] = compiled(main)
      const definition = main as { states: JsonObject; initial: string }
      const state = definition.states[definition.initial] as JsonObject | undefined
      if (before === undefined || state === undefined) return
      const states = { ...definition.states, [definition.initial]: { ...state, ...rule } }
      const [after] = compiled({ ...definition, states } as unknown as Json)
      expect(after?.hash).not.toBe(before.hash)
    }),
    settings(100),
  )
})

test('compiling never changes what it is given', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      const text = JSON.stringify(main)
      for (const machine of compileText(text).machines) deepFreeze(machine)
      // Whatever machines share by accident is frozen now: compiling again would throw.
      expect(() => compileText(text)).not.toThrow()
    }),
    settings(100),
  )
})
