/** The guards of a workflow by name, and which of them are used. */
import { checkEvidenceDefinition, compileEvidence } from '../../evidence/schema.ts'
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { Json } from '../../json.ts'
import { own } from '../../json.ts'
import type { Guard } from '../../machine/machine.ts'
import type { WorkflowDefinition } from './schema.ts'

type GuardDefinitions = NonNullable<WorkflowDefinition['guards']>

export type WorkflowGuards = {
  /** The guard of that name, remarking at `at` when there is none. */
  readonly find: (name: string, at: string, findings: Finding[]) => Guard
  /** A finding per guard that no transition names. */
  readonly unused: () => Finding[]
}

/** Compiles the guards; a form that could never hold is refused here. */
export function compileGuards(definitions: GuardDefinitions, findings: Finding[]): WorkflowGuards {
  const used = new Set<string>()
  for (const [name, guard] of Object.entries(definitions)) {
    if ('evidence' in guard) {
      findings.push(...checkEvidenceDefinition(guard, joinPointer('/guards', name)))
      continue
    }
    if (guard.op !== 'in' || Array.isArray(guard.value)) continue
    findings.push(
      finding('SCHEMA_INVALID', joinPointer('/guards', name, 'value' in guard ? 'value' : ''), {
        message: `the guard \`${name}\` checks membership in a list, but its value is not a list`,
        hint: 'write the value as a list, e.g. `["staging", "prod"]`',
      }),
    )
  }
  const find: WorkflowGuards['find'] = (name, at, remarks) => {
    used.add(name)
    const guard = own(definitions, name)
    if (guard !== undefined) return compileGuard(name, guard)
    remarks.push(unknownGuard(name, at, Object.keys(definitions)))
    // A condition nobody can judge: the route is not taken for an unguarded one in other findings.
    return { kind: 'expr', expr: { language: 'jmespath', text: name, origin: at }, origin: at }
  }
  return { find, unused: () => unusedGuards(definitions, used) }
}

function compileGuard(name: string, guard: GuardDefinitions[string]): Guard {
  const origin = joinPointer('/guards', name)
  if ('evidence' in guard) {
    return { kind: 'evidence', name, requirement: compileEvidence(guard), origin }
  }
  return {
    kind: 'compare',
    name,
    field: guard.field,
    op: guard.op,
    value: (guard.value ?? null) as Json,
    source: guard.source ?? null,
    origin,
  }
}

function unknownGuard(name: string, at: string, known: readonly string[]): Finding {
  const names = known.map((one) => `\`${one}\``).join(', ')
  return finding('GUARD_UNKNOWN', at, {
    message: `the guard \`${name}\` is not defined`,
    hint:
      known.length === 0
        ? 'define it under `guards`'
        : `define it under \`guards\`, which has ${names}`,
  })
}

function unusedGuards(definitions: GuardDefinitions, used: ReadonlySet<string>): Finding[] {
  const unused = Object.keys(definitions).filter((name) => !used.has(name))
  return unused.map((name) =>
    finding(
      'GUARD_UNUSED',
      { pointer: joinPointer('/guards', name), atKey: true },
      {
        message: `no transition uses the guard \`${name}\``,
        hint: 'name it on a transition, or remove it',
      },
    ),
  )
}
