/**
 * All findings about one file: as text, as a shape, as a machine, and together with the
 * definitions that it invokes.
 */
import { basename } from 'node:path'
import { assertNever } from '../../core/assert.ts'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { plainMachine } from '../../core/dialects/compiler-output.ts'
import { readTree } from '../../core/dialects/validate-tree.ts'
import type { Finding } from '../../core/finding.ts'
import { hasErrors } from '../../core/finding.ts'
import { linkMachine } from '../../core/machine/check.ts'
import { checkContextOf } from '../../core/machine/check-context.ts'
import { invokesOf } from '../../core/machine/check-invocations.ts'
import { checkOrderRules } from '../../core/machine/check-order-rules.ts'
import { checkPolicy } from '../../core/machine/check-shadowed-rules.ts'
import type { Machine } from '../../core/machine/machine.ts'
import { compilePolicy } from '../../core/policy/compile-policy.ts'
import { pricesFileSchema } from '../../core/policy/prices-schema.ts'
import { policySchema } from '../../core/policy/schema.ts'
import type { Node } from '../../core/source/source.ts'
import type { DefinitionLibrary } from '../../runtime/definitions/definition-library.ts'
import type { SourceFile } from '../../runtime/definitions/read-definition.ts'
import { checkCases } from '../../testing/case-schema.ts'
import { documentKind } from './detect-document-kind.ts'

type CheckedFile = {
  readonly findings: readonly Finding[]
  /** Empty where there are errors, and for what is no definition. */
  readonly machines: readonly Machine[]
}

/** Checks a file for what it is: a definition, a policy, prices, or cases. */
export function checkFile(file: SourceFile, library: DefinitionLibrary): CheckedFile {
  const { root } = file
  if (root === null) return { findings: file.findings, machines: [] }
  const checked = checkTree(root, library)
  const findings = unique([...file.findings, ...checked.findings])
  return { findings, machines: hasErrors(findings) ? [] : checked.machines }
}

function checkTree(root: Node, library: DefinitionLibrary): CheckedFile {
  const kind = documentKind(root)
  switch (kind) {
    case 'policy':
      return { findings: checkPolicyAlone(root), machines: [] }
    case 'prices':
      return { findings: readTree(pricesFileSchema, root).findings, machines: [] }
    case 'cases':
      return { findings: checkCases(root), machines: [] }
    case 'definition':
    case 'other':
      return checkMachines(root, library)
    default:
      return assertNever(kind)
  }
}

/** A policy that stands by itself, as an operator keeps it. */
function checkPolicyAlone(root: Node): readonly Finding[] {
  const { value, findings } = readTree(policySchema, root)
  if (value === null) return findings
  const policy = compilePolicy(value, '')
  const machine = { ...plainMachine('policy', 'process', ''), policy, hash: '' }
  const context = checkContextOf(machine)
  return [...findings, ...checkPolicy(context), ...checkOrderRules(context)]
}

function checkMachines(root: Node, library: DefinitionLibrary): CheckedFile {
  const { findings, machines } = compileDefinition(root)
  const own = new Map(machines.map((machine) => [machine.name, machine]))
  const broken = new Map<string, string>()
  const known = (name: string): Machine | undefined => {
    const found = own.get(name) ?? library.machine(name)
    const named = found === undefined ? library.definition(name) : undefined
    if (named !== undefined) broken.set(name, named.file.path)
    return found
  }
  const linked = machines.flatMap((machine) => {
    // WHY twice: the names for suggestions are asked for only where one is needed.
    const first = linkMachine(machine, known)
    return first.length === 0 ? [] : linkMachine(machine, known, library.names())
  })
  const told = linked.map((finding) => withReason(finding, broken))
  const invoked = machines.flatMap((machine) => invokedFindings(machine, library))
  return { findings: [...findings, ...told, ...invoked], machines }
}

/** Warnings about definitions that are invoked, unless their files are checked as well. */
function invokedFindings(machine: Machine, library: DefinitionLibrary): readonly Finding[] {
  return invokesOf(machine).flatMap(({ move }) => {
    const child = library.definition(move.machine)
    if (child === undefined || child.isGiven || move.machine === machine.name) return []
    const { findings } = compileDefinition(child.root)
    return findings
      .filter((one) => one.severity !== 'error')
      .map((one) => ({
        ...{ code: one.code, severity: one.severity, hint: one.hint },
        ...{ pointer: move.origin, saying: move.machine },
        message: `in \`${move.machine}\` (\`${basename(child.file.path)}\`): ${one.message}`,
      }))
  })
}

/** A definition that is there but has errors is told as such, not as missing. */
function withReason(finding: Finding, broken: ReadonlyMap<string, string>): Finding {
  if (finding.code !== 'INVOKE_UNKNOWN') return finding
  for (const [name, path] of broken) {
    if (!finding.message.includes(`\`${name}\``)) continue
    const message = `${finding.message.split(',')[0]}, which has errors and cannot run`
    return { ...finding, message, hint: `fix \`${path}\` first: \`pawl check ${path}\`` }
  }
  return finding
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>()
  return findings.filter((one) => {
    const key = JSON.stringify([one.code, one.pointer, one.message])
    return !seen.has(key) && seen.add(key)
  })
}
