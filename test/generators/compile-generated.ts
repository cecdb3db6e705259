/**
 * Takes generated definitions the way an author's file goes: text, tree, machine, links.
 */
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import type { Library } from '../../src/core/engine/family.ts'
import type { Finding } from '../../src/core/finding.ts'
import { hasErrors } from '../../src/core/finding.ts'
import type { Json } from '../../src/core/json.ts'
import { linkMachine } from '../../src/core/machine/check.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import type { SourceFormat } from '../../src/core/source/read-source.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import type { DefinitionSet } from './definitions.ts'

export type Read = { readonly machines: readonly Machine[]; readonly findings: readonly Finding[] }

/** What becomes of a text. */
export function compileText(text: string, format?: SourceFormat): Read {
  const reading = readSource(text, format)
  if (reading.root === null) return { machines: [], findings: reading.findings }
  const compiled = compileDefinition(reading.root)
  const findings = [...reading.findings, ...compiled.findings]
  return { machines: hasErrors(findings) ? [] : compiled.machines, findings }
}

export type Setup = { readonly machine: Machine; readonly library: Library }

export type Prepared = { readonly setup: Setup | null; readonly findings: readonly Finding[] }

/** A machine that may be started with all it invokes; null with the findings that say why not. */
export function prepare(set: DefinitionSet): Prepared {
  const main = compileText(textOf(set.main))
  const findings = [...main.findings]
  const machines = new Map<string, Machine>()
  for (const [name, definition] of Object.entries(set.library)) {
    const child = compileText(textOf(definition)).machines[0]
    // WHY: one broken child must not waste a whole walk; what it may not do is tested elsewhere.
    if (child !== undefined) machines.set(name, child)
  }
  const fallback = main.machines[0]
  const library: Library = (name) => machines.get(name)
  if (fallback === undefined) return { setup: null, findings }
  findings.push(...linkMachine(fallback, library))
  if (hasErrors(findings)) return { setup: null, findings }
  return {
    setup: { machine: deepFreeze(fallback), library: (name) => frozen(library(name)) },
    findings,
  }
}

function frozen(machine: Machine | undefined): Machine | undefined {
  return machine === undefined ? undefined : deepFreeze(machine)
}

function textOf(definition: Json): string {
  return JSON.stringify(definition)
}

/** The value, with everything in it closed to change. Whoever writes to it throws. */
export function deepFreeze<T>(value: T): T {
  const work: unknown[] = [value]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    work.push(...Object.values(next).filter((one) => one !== undefined))
  }
  return value
}
