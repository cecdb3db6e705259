/** Errors in the format of Resend's API: its SDK shows name and message. */

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
