/** Reads, checks and compiles the text of a definition, with every finding. */
import { hash } from 'node:crypto'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { readDefinitionSource } from '../../core/dialects/definition-wrapper.ts'
import type { Finding } from '../../core/finding.ts'
import { hasErrors } from '../../core/finding.ts'
import type { DialectName, Machine } from '../../core/machine/machine.ts'
import { guessFormat, type SourceFormat } from '../../core/source/read-source.ts'
import type { DefinitionOffer } from '../runtime.ts'
import { definitionNames, ownIdOf } from './definition-library.ts'

export type CompiledSource = {
  readonly source: string
  readonly sourceHash: string
  readonly format: SourceFormat
  readonly findings: readonly Finding[]
  /** Every name it can be found by, whether it has errors or not. */
  readonly names: readonly string[]
  /** Null when there are errors. */
  readonly good: GoodSource | null
}

export type GoodSource = {
  readonly name: string
  /** The id that it brings along from where it was stored. */
  readonly ownId: string | null
  readonly dialect: DialectName
  readonly machines: readonly [Machine, ...Machine[]]
}

export function compileSource({ source, format }: DefinitionOffer): CompiledSource {
  const kind = format ?? guessFormat(source)
  const sourceHash = hash('sha256', source, 'hex')
  const { root, findings } = readDefinitionSource(source, kind)
  const text = { source, sourceHash, format: kind }
  if (root === null) return { ...text, findings, names: [], good: null }
  const compiled = compileDefinition(root)
  const all = [...findings, ...compiled.findings]
  const names = definitionNames(root)
  const { dialect } = compiled
  const [first, ...others] = compiled.machines
  if (first === undefined || dialect === null || hasErrors(all)) {
    return { ...text, findings: all, names, good: null }
  }
  const name = names[0] ?? first.name
  const good: GoodSource = { name, ownId: ownIdOf(root), dialect, machines: [first, ...others] }
  // A task without an id is known by its submit tool.
  const tasks = compiled.machines.map((machine) => machine.name)
  return { ...text, findings: all, names: [...new Set([...names, ...tasks])], good }
}
