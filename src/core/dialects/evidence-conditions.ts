/**
 * Evidence as a condition without a name: of an answer in a process, of a route in a form.
 * Knows requirements. Must not know the other fields of a dialect.
 */
import {
  checkEvidenceDefinition,
  compileEvidence,
  type EvidenceDefinition,
  printEvidence,
} from '../evidence/schema.ts'
import type { Finding } from '../finding.ts'
import { joinPointer } from '../finding.ts'
import type { Json } from '../json.ts'
import type { Guard } from '../machine/machine.ts'
import { compact } from './printer-output.ts'

type WrittenConditions = EvidenceDefinition | readonly EvidenceDefinition[] | undefined

/** The guards that conditions mean, one each; in a list, all of them have to hold. */
export function compileConditions(
  written: WrittenConditions,
  at: string,
  findings: Finding[],
): readonly Guard[] {
  if (written === undefined) return []
  if (!isList(written)) return [compileEvidenceGuard(written, at, findings)]
  return written.map((one, index) => compileEvidenceGuard(one, joinPointer(at, index), findings))
}

function isList(written: NonNullable<WrittenConditions>): written is readonly EvidenceDefinition[] {
  return Array.isArray(written)
}

/** One guard, named after its command. */
export function compileEvidenceGuard(
  written: EvidenceDefinition,
  at: string,
  findings: Finding[],
): Guard {
  findings.push(...checkEvidenceDefinition(written, at))
  const requirement = compileEvidence(written)
  return { kind: 'evidence', name: written.evidence, requirement, origin: at }
}

/** The evidence among guards as a dialect without named guards writes it. */
export function printEvidenceGuards(guards: readonly Guard[]): readonly Json[] {
  return guards.flatMap((guard) =>
    guard.kind === 'evidence' ? [compact(printEvidence(guard.requirement))] : [],
  )
}

/** One condition is written alone, several as a list; none: undefined. */
export function printConditionList(conditions: readonly Json[]): Json | undefined {
  return conditions.length > 1 ? conditions : conditions[0]
}
