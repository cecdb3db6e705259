/**
 * The one class of faults: thrown outside core, turned into a message and an exit code at a door.
 */
import type { FaultCode } from '../core/errors.ts'

/** A fault: something outside the domain went wrong, and here is what to do next. */
export class PawlError extends Error {
  readonly code: FaultCode
  readonly hint: string

  constructor(code: FaultCode, message: string, more: { hint?: string; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'PawlError'
    this.code = code
    this.hint = more.hint ?? ''
  }
}
