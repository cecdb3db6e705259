/**
 * What is not sent on, in the shape in which Resend's API says so: its SDK shows name and message.
 */

export type Refused = {
  readonly statusCode: number
  readonly name: string
  readonly message: string
}

/** WHY thrown: a refusal at any depth ends the request, and one place answers. */
export class RefusedError extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(refused.message)
    this.refused = refused
  }
}

/** Ends a request. */
export function refuse(statusCode: number, name: string, message: string): never {
  throw new RefusedError({ statusCode, name, message })
}
