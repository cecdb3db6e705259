/** Turns a fault while a call is judged into a denial. */
import type { Verdict } from '../../core/engine/types.ts'
import { type DenialCode, denialCodes } from '../../core/errors.ts'
import { PawlError } from '../pawl-error.ts'

const codes: ReadonlySet<string> = new Set(denialCodes)

/** The denial, with the code of the fault where it is one that denials have. */
export function denialOf(fault: unknown): Verdict {
  const known = fault instanceof PawlError ? fault : null
  const code = (codes.has(known?.code ?? '') ? known?.code : 'INTERNAL') as DenialCode
  const reason = fault instanceof Error ? fault.message : 'the guard itself failed'
  const hint = known?.hint ?? 'this is a bug in Pawl; tell a person'
  return { verdict: 'deny', code, reason, hint, rule: null }
}
