/**
 * From the author's tree to sealed machines: detects the dialect, checks the shape, compiles, and
 * checks the machine. The one place that knows all three dialects.
 */
import { assertNever } from '../assert.ts'
import type { Finding } from '../finding.ts'
import { finding, hasErrors, joinPointer } from '../finding.ts'
import { checkMachine } from '../machine/check.ts'
import { sealMachine } from '../machine/hash.ts'
import type { DialectName, Machine } from '../machine/machine.ts'
import type { Node } from '../source/source.ts'
import { member, plainValue } from '../source/source.ts'
import type { CompilerOutput } from './compiler-output.ts'
import { checkMachineSize, checkNameSizes } from './definition-limits.ts'
import { detectDialect } from './detect-dialect.ts'
import { compileProcess } from './process/compile.ts'
import type { ProcessDefinition } from './process/schema.ts'
import { processSchema } from './process/schema.ts'
import { compileSteps } from './steps/compile.ts'
import type { StepsTask } from './steps/schema.ts'
import { envelopeSchema, stepsSchema } from './steps/schema.ts'
import { type CheckedTree, checkTree } from './validate-tree.ts'
import { compileWorkflow } from './workflow/compile.ts'
import type { WorkflowDefinition } from './workflow/schema.ts'
import { workflowSchema } from './workflow/schema.ts'

export type CompileOptions = {
  /** Tools the host is known to have; null: not known. */
  readonly hostTools: readonly string[] | null
}

export type CompiledDefinition = {
  readonly dialect: DialectName | null
  /** One per task; empty when there are errors: a definition with errors never starts. */
  readonly machines: readonly Machine[]
  readonly findings: readonly Finding[]
}

const noOptions: CompileOptions = { hostTools: null }

/** Compiles a definition; findings of every kind come back together. */
export function compileDefinition(
  root: Node,
  options: CompileOptions = noOptions,
): CompiledDefinition {
  const recognised = detectDialect(root)
  if (recognised.dialect === null)
    return { dialect: null, machines: [], findings: recognised.findings }
  const { dialect } = recognised
  const tooLong = checkNameSizes(root)
  if (tooLong.length > 0) return { dialect, machines: [], findings: tooLong }
  const parts = partsOf(dialect, root)
  const { findings: unplaced, absent } = shapeOf(dialect, root)
  const shape = unplaced.map((one) => ({ ...one, pointer: within(root, one.pointer) }))
  const findings = [...recognised.findings, ...shape, ...checkTasks(root, parts)]
  // Wrong types would only breed misleading remarks; misspelt fields would not.
  if (findings.some((one) => unreadable.has(one.code))) return { dialect, machines: [], findings }
  const compiled = parts.map((node) =>
    compilePart(dialect, { node, at: within(root, node.pointer), absent }, options),
  )
  for (const part of compiled)
    findings.push(
      ...(checkMachineSize(part) ?? [...part.findings, ...checkMachine(unsealed(part))]),
    )
  const ordered = inOrder(findings)
  if (hasErrors(ordered)) return { dialect, machines: [], findings: ordered }
  return { dialect, machines: compiled.map((part) => sealMachine(part.machine)), findings: ordered }
}

type Part = {
  readonly node: Node
  readonly at: string
  readonly absent: CheckedTree['absent']
}

/** WHY: a definition may stand inside another file, a case say; its pointers begin at itself. */
function within(root: Node, pointer: string): string {
  return pointer.startsWith(root.pointer) ? pointer.slice(root.pointer.length) : pointer
}

const unreadable: ReadonlySet<string> = new Set(['SCHEMA_INVALID', 'SIZE_EXCEEDED'])

function unsealed(part: CompilerOutput): Machine {
  return { ...part.machine, hash: '' }
}

/** The nodes that each become a machine. */
function partsOf(dialect: DialectName, root: Node): readonly Node[] {
  const task = dialect === 'steps' ? taskNode(root) : null
  if (task === null) return [root]
  const tasks = task.kind === 'list' ? task.items : [task]
  return tasks.filter(isStepsTask)
}

function taskNode(root: Node): Node | null {
  const context = member(root, 'context')
  return (context === undefined ? undefined : member(context, 'task')) ?? null
}

/** Other types of task may stand beside steps in an envelope; they are not run. */
function isStepsTask(node: Node): boolean {
  const type = member(node, 'type')
  return type === undefined || (type.kind === 'scalar' && type.value === 'steps')
}

/** Tasks of one file are told apart by their id, and no task is passed over in silence. */
function checkTasks(root: Node, parts: readonly Node[]): Finding[] {
  const task = taskNode(root)
  if (task?.kind !== 'list') return []
  const seen = new Set<unknown>()
  return task.items.flatMap((node) => {
    const at = within(root, node.pointer)
    if (!parts.includes(node)) {
      const message = 'only tasks of type `steps` are run; this one is skipped'
      return [finding('FIELD_UNKNOWN', at, { message, hint: 'remove it, or run it elsewhere' })]
    }
    const id = member(node, 'id')
    const name = id?.kind === 'scalar' ? id.value : undefined
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const message = 'two tasks in this file have the same id'
    return [finding('VALUE_CONFLICT', at, { message, hint: 'give each task its own `id`' })]
  })
}

function shapeOf(dialect: DialectName, root: Node): CheckedTree {
  switch (dialect) {
    case 'process':
      return checkTree(processSchema, root)
    case 'workflow':
      return checkTree(workflowSchema, root)
    case 'steps':
      return taskNode(root) === null
        ? checkTree(stepsSchema, root)
        : checkTree(envelopeSchema, root)
    default:
      return assertNever(dialect)
  }
}

/** WHY the casts: the shape of the node was checked against the schema the type comes from. */
function compilePart(dialect: DialectName, part: Part, options: CompileOptions): CompilerOutput {
  const value: unknown = plainValue(part.node, part.absent)
  switch (dialect) {
    case 'process':
      return compileProcess(value as ProcessDefinition)
    case 'workflow':
      return compileWorkflow(value as WorkflowDefinition, options.hostTools)
    case 'steps':
      return compileSteps(value as StepsTask, { at: part.at, hostTools: options.hostTools })
    default:
      return assertNever(dialect)
  }
}

/** Errors first, otherwise as they were found; the same remark at the same place once. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  const once = findings.filter((one) => {
    const key = joinPointer(one.code, one.pointer, one.message)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return [
    ...once.filter((one) => one.severity === 'error'),
    ...once.filter((one) => one.severity !== 'error'),
  ]
}
