/**
 * Definitions near the limits of what is read: much of one thing, or one long thing used often.
 * Small files can mean large machines; each builder multiplies something else.
 */
import fc from 'fast-check'
import type { Json } from '../../src/core/json.ts'
import type { Mutant } from './mutate.ts'

type Size = { readonly count: number; readonly chars: number }
type Builder = (size: Size) => Json

const many = <T>(count: number, make: (index: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)))

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const end: Json = { type: 'final' }

const ring = (count: number, prefix: string): Record<string, Json> =>
  many(count, (index) => {
    const on = { GO: `${prefix}${(index + 1) % count}`, BACK: `${prefix}${(index * 7) % count}` }
    return [`${prefix}${index}`, { on: index === 0 ? { ...on, END: 'z', RETURN: '$return' } : on }]
  })

const workflow = (states: Record<string, Json>, initial: string, more: object): Json =>
  ({ id: 'large', initial, states: { ...states, z: end }, ...more }) as unknown as Json

const builders: readonly Builder[] = [
  ({ count }) => workflow(ring(count, 's'), 's0', { interrupts: interruptsTo(1, 's') }),
  ({ count, chars }) => {
    const prefix = 'n'.repeat(Math.min(chars, 400))
    return workflow(ring(count, prefix), `${prefix}0`, { interrupts: interruptsTo(200, prefix) })
  },
  ({ count, chars }) => {
    const name = 'n'.repeat(chars)
    return workflow({ [name]: { on: many(count, (index) => [`E${index}`, 'z']) } }, name, {})
  },
  ({ count }) => {
    const guards = many(count, (index) => [`g${index}`, { field: 'x', op: 'gt', value: index }])
    const on = { GO: list(count, (index) => ({ target: 'z', guard: `g${index}` })) }
    return workflow({ a: { on } }, 'a', { guards })
  },
  ({ count, chars }) => {
    const guards = { g: { field: 'x', op: 'eq', value: 'v'.repeat(chars) } }
    const on = many(count, (index) => [`E${index}`, { target: 'z', guard: 'g' }])
    return workflow({ a: { on } }, 'a', { guards })
  },
  ({ count }) => {
    const branch = (index: number): Json => ({ initial: `s${index % 50}`, terminal: 'z' })
    const fork = {
      branches: many(count, (index) => [`b${index}`, branch(index)]),
      on_complete: 'z',
    }
    return workflow({ ...ring(50, 's'), f: { on: { GO: { fork } } } }, 'f', {
      interrupts: interruptsTo(1, 's'),
    })
  },
  ({ count, chars }) => ({
    name: 'large',
    initial: 's0',
    allowed_tools: list(count, (index) => `memory_${index}`),
    states: many(Math.min(count, chars), (index) => [
      `s${index}`,
      { question: 'q', answers: { yes: { next: 's0' }, no: { next: null } } },
    ]),
  }),
  ({ count }) => ({
    steps: [
      {
        id: 's',
        goal: 'g',
        inputs: list(Math.min(count, 3_000), (index) => ({
          name: `x${index}`,
          pattern: `^a{1,9}${index}`,
        })),
        on: { submit: list(count, () => ({ action: 'save' })) },
      },
    ],
  }),
  ({ count }) => ({
    steps: [
      {
        id: 's',
        goal: 'g',
        on: {
          submit: list(count, (index) => ({
            action: 'set',
            name: 'y',
            valueFrom: {
              type: index % 2 === 0 ? 'cel' : 'jp',
              expression: `vars.x == 'a${index}'`,
            },
          })),
        },
      },
    ],
  }),
  ({ count, chars }) => ({
    steps: [
      { id: 's', goal: '{{x}}'.repeat(chars), next: list(count, () => ({ id: 's', if: 'x' })) },
    ],
  }),
]

function interruptsTo(count: number, prefix: string): Json {
  return many(count, (index) => [
    `i${index}`,
    { trigger: { file_pattern: `f${index}` }, target: `${prefix}${index % 50}` },
  ])
}

/** A large definition; most are refused for their size, none may take long or break. */
export const large: fc.Arbitrary<Mutant> = fc
  .record({
    build: fc.constantFrom(...builders),
    count: fc.constantFrom(60, 1_000, 5_000, 9_990),
    chars: fc.constantFrom(10, 400, 5_000, 100_000),
  })
  .map(({ build, count, chars }) => ({
    text: JSON.stringify(build({ count, chars })),
    format: 'json',
  }))
