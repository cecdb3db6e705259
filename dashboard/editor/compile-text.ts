/**
 * Compiles the text of a definition while it is typed: its machines, every finding with its
 * position, and the position of each stage.
 */
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import { readDefinitionSource } from '../../src/core/dialects/definition-wrapper.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import type { Finding } from '../../src/core/finding.ts'
import { hasErrors } from '../../src/core/finding.ts'
import type { DialectName, Machine } from '../../src/core/machine/machine.ts'
import {
  type Node,
  nodeAt,
  positionAt,
  positionOf,
  type Range,
} from '../../src/core/source/source.ts'

export type PlacedFinding = Finding & { readonly range: Range; readonly line: number }

export type CompiledText = {
  readonly text: string
  readonly root: Node | null
  readonly dialect: DialectName | null
  /** The first one that has no errors; null: there is none. */
  readonly machine: Machine | null
  readonly machines: readonly Machine[]
  readonly findings: readonly PlacedFinding[]
  readonly isGood: boolean
}

/** Reads and compiles a text. */
export function compileText(text: string): CompiledText {
  const { root, findings } = readDefinitionSource(text)
  const compiled = root === null ? null : compileDefinition(root)
  const all = [...findings, ...(compiled?.findings ?? [])]
  const machines = compiled?.machines ?? []
  return {
    text,
    root,
    dialect: compiled?.dialect ?? null,
    machine: machines[0] ?? null,
    machines,
    findings: all.map((one) => placed(one, root, text)),
    isGood: machines.length > 0 && !hasErrors(all),
  }
}

function placed(finding: Finding, root: Node | null, text: string): PlacedFinding {
  const range = positionOf(root, finding) ?? { start: 0, end: 0 }
  return { ...finding, range, line: positionAt(text, range.start).line }
}

/** What the picture can change; null: the text has errors, or more than a definition in it. */
export function editableDefinitionOf({
  text,
  root,
  machine,
}: CompiledText): EditableDefinition | null {
  const isWhole = root?.pointer === ''
  return root === null || machine === null || !isWhole ? null : { text, root, machine }
}

/** Where a stage stands in the text; null: nowhere. */
export function rangeOfStage({ root, machine }: CompiledText, stage: string): Range | null {
  const origin = machine?.stages[stage]?.origin
  if (root === null || origin === undefined) return null
  return positionOf(root, { ...nowhere, pointer: origin })
}

/** Where a rule stands in the text, or the nearest thing around it; null: nowhere. */
export function rangeOfPointer({ root }: CompiledText, pointer: string): Range | null {
  return root === null ? null : positionOf(root, { ...nowhere, pointer })
}

const nowhere = { code: 'SYNTAX_INVALID', severity: 'error', message: '', hint: '' } as const

/** The stage that an offset of the text belongs to; null: none. */
export function stageAt({ root, machine }: CompiledText, offset: number): string | null {
  if (root === null || machine === null) return null
  for (const stage of Object.values(machine.stages)) {
    const node = nodeAt(root, stage.origin)
    const key = positionOf(root, { ...nowhere, pointer: stage.origin })
    if (node === null || key === null) continue
    if (offset >= Math.min(key.start, node.start) && offset <= node.end) return stage.name
  }
  return null
}
