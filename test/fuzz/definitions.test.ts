import fc from 'fast-check'
import { expect, test } from 'vitest'
import { steps } from '../generators/commands.ts'
import { corpus } from '../generators/corpus.ts'
import { definitionSet } from '../generators/definitions.ts'
import { mutant } from '../generators/mutate.ts'
import { settings, timeoutMs } from '../properties/property-settings.ts'
import { draw, exercise, load } from './exercise.ts'

test('every definition of the cases can be loaded and drawn', () => {
  expect(corpus.length).toBeGreaterThan(50)
  for (const definition of corpus) {
    expect(() => draw(load({ text: JSON.stringify(definition), format: 'json' }))).not.toThrow()
  }
})

test('no generated definition crashes, and one with errors gives no machine', {
  timeout: timeoutMs,
}, () => {
  fc.assert(
    fc.property(definitionSet, ({ main }) => {
      draw(load({ text: JSON.stringify(main), format: 'json' }))
    }),
    settings(300),
  )
})

test('no broken definition crashes, and what still runs keeps every property', {
  timeout: timeoutMs,
}, () => {
  let started = 0
  fc.assert(
    fc.property(mutant, steps, (one, plans) => {
      const { machinesCount, complaint } = exercise(one, plans)
      if (machinesCount > 0) started += 1
      expect(complaint).toBeNull()
    }),
    settings(600),
  )
  expect(started).toBeGreaterThan(20)
})

test('text that is no definition at all is refused, never thrown', { timeout: timeoutMs }, () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom('json', 'yaml'),
      (text, format) => {
        expect(load({ text, format: format as 'json' | 'yaml' })).toEqual([])
      },
    ),
    settings(500),
  )
})
