/** Formats a fault for standard error. */
import type { PawlError } from '../../runtime/pawl-error.ts'
import { plain } from './ansi.ts'

/** A fault as it is told: what went wrong, then what to do next. */
export function faultText(fault: PawlError): string {
  const hint = fault.hint === '' ? '' : `  → ${plain(fault.hint)}\n`
  return `pawl: ${plain(fault.message)}\n${hint}`
}
