/** Every definition of the cases and examples survives being printed in its own dialect. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import { asObject } from '../json.ts'
import type { DialectName, Machine } from '../machine/machine.ts'
import { printYaml } from '../source/print-yaml.ts'
import { readSource } from '../source/read-source.ts'
import { type Node, plainValue, sourceOf } from '../source/source.ts'
import { compileDefinition } from './compile-definition.ts'
import { convertMachine } from './convert.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const dialects: readonly DialectName[] = ['process', 'workflow', 'steps']

type Known = { readonly where: string; readonly machine: Machine }

const known: readonly Known[] = [...fromCases(), ...fromExamples()]

function* fromCases(): Generator<Known> {
  const folder = join(root, 'cases')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const cases = JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonObject[]
    for (const one of cases) {
      const definitions = [one.definition, ...Object.values(asObject(one.definitions) ?? {})]
      for (const definition of definitions) {
        yield* machinesOf(`${name} ${one.id}`, sourceOf(definition as Json))
      }
    }
  }
}

function* fromExamples(): Generator<Known> {
  for (const dialect of dialects) {
    const folder = join(root, 'examples', dialect)
    for (const name of readdirSync(folder).filter((one) => !one.includes('.cases.'))) {
      const read = readSource(readFileSync(join(folder, name), 'utf8'))
      yield* machinesOf(name, read.root as Node)
    }
  }
}

function* machinesOf(where: string, node: Node): Generator<Known> {
  for (const machine of compileDefinition(node).machines) yield { where, machine }
}

function compiled(definition: JsonObject): Machine {
  const { machines, findings } = compileDefinition(sourceOf(definition))
  expect(findings.filter((one) => one.severity === 'error')).toEqual([])
  return machines[0] as Machine
}

/** A machine without what may differ: where things stood, what nothing enforces, the hash. */
function essence(machine: Machine): Json {
  const { hash: _, meta: __, ...rest } = machine
  return JSON.parse(JSON.stringify(rest, (key, value) => (key === 'origin' ? undefined : value)))
}

test('there are enough definitions to go by', () => {
  expect(known.length).toBeGreaterThan(500)
  for (const dialect of dialects) {
    expect(known.filter((one) => one.machine.dialect === dialect).length).toBeGreaterThan(60)
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
