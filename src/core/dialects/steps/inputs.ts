/**
 * The inputs of a step, compiled into the fields its submit must carry.
 */
import { compilePattern } from '../../expr/pattern.ts'
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { Json } from '../../json.ts'
import type { Field } from '../../machine/machine.ts'
import { isInherited } from '../reserved-names.ts'
import type { StepsTask } from './schema.ts'

type Input = NonNullable<StepsTask['steps'][number]['inputs']>[number]

/** The fields of a step; a pattern that cannot be read is remarked on. */
export function compileInputs(inputs: readonly Input[], at: string, findings: Finding[]): Field[] {
  const fields = new Map<string, Field>()
  for (const [index, input] of inputs.entries()) {
    const origin = joinPointer(at, index)
    findings.push(...checkInput(input, origin, fields))
    fields.set(input.name, {
      name: input.name,
      type: input.type ?? 'string',
      title: input.title ?? '',
      description: input.description ?? '',
      isRequired: input.required ?? true,
      enum: input.enum ?? null,
      pattern: input.pattern ?? null,
      format: input.format ?? null,
      examples: (input.examples ?? []) as readonly Json[],
      origin,
    })
  }
  return [...fields.values()]
}

function checkInput(input: Input, origin: string, before: ReadonlyMap<string, Field>): Finding[] {
  const findings: Finding[] = []
  if (isInherited(input.name) || input.name.trim() === '') {
    const message = `\`${input.name}\` cannot be used as the name of an input`
    findings.push(
      finding('RESERVED_NAME', joinPointer(origin, 'name'), {
        message,
        hint: 'choose another name',
      }),
    )
  }
  if (before.has(input.name)) {
    const message = `two inputs are named \`${input.name}\``
    findings.push(
      finding('VALUE_CONFLICT', joinPointer(origin, 'name'), { message, hint: 'keep one of them' }),
    )
  }
  const pattern = input.pattern === undefined ? null : compilePattern(input.pattern)
  if (pattern !== null && !pattern.ok) {
    const message = `the pattern is invalid: ${pattern.reason}`
    const hint = 'patterns use RE2 syntax: no lookaround and no backreferences'
    findings.push(finding('PATTERN_INVALID', joinPointer(origin, 'pattern'), { message, hint }))
  }
  return findings
}
