/** Every definition of the cases and examples survives being printed in its own dialect. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { definitionSet } from '../../../test/generators/definitions.ts'
import { compiled, dialects, essence, known } from '../../../test/known-definitions.contract.ts'
import { printYaml } from '../source/print-yaml.ts'
import { readSource } from '../source/read-source.ts'
import { type Node, plainValue, sourceOf } from '../source/source.ts'
import { compileDefinition } from './compile-definition.ts'
import { convertMachine } from './convert.ts'

test('there are enough definitions to go by', () => {
  expect(known.length).toBeGreaterThan(250)
  for (const dialect of dialects) {
    expect(known.filter((one) => one.machine.dialect === dialect).length).toBeGreaterThan(40)
  }
})

test('a definition printed in its own dialect compiles to the same machine, without loss', () => {
  for (const { where, machine } of known) {
    const { definition, losses } = convertMachine(machine, machine.dialect)
    expect(losses, where).toEqual([])
    expect(essence(compiled(definition)), where).toEqual(essence(machine))
  }
})

test('a definition printed in any dialect has no errors there, whatever is lost', () => {
  for (const { where, machine } of known) {
    for (const to of dialects) {
      const { definition } = convertMachine(machine, to)
      const { dialect, findings } = compileDefinition(sourceOf(definition))
      const errors = findings.filter((one) => one.severity === 'error')
      expect({ where, to, dialect, errors }).toEqual({ where, to, dialect: to, errors: [] })
    }
  }
})

test('what was printed without loss is printed back to the same definition', () => {
  let count = 0
  for (const { where, machine } of known) {
    for (const to of dialects) {
      const { definition, losses } = convertMachine(machine, to)
      if (losses.length > 0) continue
      count += 1
      const again = convertMachine(compiled(definition), to)
      expect(again.definition, `${where} to ${to}`).toEqual(definition)
    }
  }
  expect(count).toBeGreaterThan(known.length)
})

test('every loss says where, what and to what effect', () => {
  for (const { machine } of known) {
    for (const to of dialects) {
      for (const loss of convertMachine(machine, to).losses) {
        expect(loss.pointer).toMatch(/^(\/|$)/)
        expect(loss.what).toMatch(/^a (process|workflow|form) has no /)
        expect(loss.effect).not.toMatch(/^$|undefined|\.$/)
      }
    }
  }
})

test('a printed definition reads back from YAML as the same value', () => {
  for (const { where, machine } of known) {
    const { definition } = convertMachine(machine, machine.dialect)
    const read = readSource(printYaml(definition), 'yaml')
    expect(read.findings, where).toEqual([])
    expect(JSON.stringify(plainValue(read.root as Node)), where).toBe(JSON.stringify(definition))
  }
})

const runsMax = Number(process.env.PAWL_CONVERT_RUNS ?? 150)

test('definitions that nobody wrote survive it just as well', () => {
  let count = 0
  const property = fc.property(definitionSet, ({ main }) => {
    for (const machine of compileDefinition(sourceOf(main)).machines) {
      count += 1
      const own = convertMachine(machine, machine.dialect)
      expect(own.losses).toEqual([])
      expect(essence(compiled(own.definition))).toEqual(essence(machine))
      for (const to of dialects) compiled(convertMachine(machine, to).definition)
    }
  })
  fc.assert(property, { numRuns: runsMax })
  expect(count).toBeGreaterThan(runsMax / 4)
}, 600_000)
