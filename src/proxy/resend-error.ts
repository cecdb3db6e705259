/**
 * What is not sent on, in the shape in which Resend's API says so: its SDK shows name and message.
 */

export type ResendProblem = {
  readonly statusCode: number
  readonly name: string
  readonly message: string
}

/** WHY thrown: a refusal at any depth ends the request, and one place answers. */
export class ResendRefusal extends Error {
  readonly refused: ResendProblem
  constructor(refused: ResendProblem) {
    super(refused.message)
    this.refused = refused
  }
}

/** Ends a request. */
export function resendError(statusCode: number, name: string, message: string): never {
  throw new ResendRefusal({ statusCode, name, message })
}
