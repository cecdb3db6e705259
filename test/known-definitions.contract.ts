/**
 * What tests of conversion share: every definition that the cases and the examples have.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { compileDefinition } from '../src/core/dialects/compile-definition.ts'
import type { Json, JsonObject } from '../src/core/json.ts'
import { asObject } from '../src/core/json.ts'
import type { DialectName, Machine } from '../src/core/machine/machine.ts'
import { readSource } from '../src/core/source/read-source.ts'
import { type Node, sourceOf } from '../src/core/source/source.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
export const dialects: readonly DialectName[] = ['process', 'workflow', 'steps']

export type KnownDefinition = { readonly where: string; readonly machine: Machine }

/** Every definition of the cases and examples. Many cases share one; one of each is enough. */
export const known: readonly KnownDefinition[] = [
  ...new Map(
    [...fromCases(), ...fromExamples()].map((one) => [one.machine.hash, one] as const),
  ).values(),
]

function* fromCases(): Generator<KnownDefinition> {
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

function* fromExamples(): Generator<KnownDefinition> {
  for (const dialect of dialects) {
    const folder = join(root, 'examples', dialect)
    for (const name of readdirSync(folder).filter((one) => !one.includes('.cases.'))) {
      const read = readSource(readFileSync(join(folder, name), 'utf8'))
      yield* machinesOf(name, read.root as Node)
    }
  }
}

function* machinesOf(where: string, node: Node): Generator<KnownDefinition> {
  for (const machine of compileDefinition(node).machines) yield { where, machine }
}

/** The first machine of a definition that has no errors. */
export function compiled(definition: JsonObject): Machine {
  const { machines, findings } = compileDefinition(sourceOf(definition))
  expect(findings.filter((one) => one.severity === 'error')).toEqual([])
  return machines[0] as Machine
}

/** A machine without what may differ: where things stood, what nothing enforces, the hash. */
export function essence(machine: Machine): Json {
  const { hash: _, meta: __, origins: ___, ...rest } = machine
  return JSON.parse(JSON.stringify(rest, (key, value) => (key === 'origin' ? undefined : value)))
}
