/**
 * Routes beside the API that handle HTTP themselves. Requests have passed the guard and come from
 * agents only.
 */
import type { Caller } from '../api/caller.ts'
import { problem } from '../api/problem.ts'
import { safeHeaders } from './send.ts'

export type Mount = {
  readonly path: string
  readonly answer: (request: Request, caller: Caller) => Promise<Response>
}

/** Answers for a mount. */
export async function answerMount(
  mount: Mount,
  caller: Caller | null,
  request: Request,
): Promise<Response> {
  const response =
    caller?.role === 'agent' ? await mount.answer(request, caller) : refusalFor(caller)
  for (const [name, value] of Object.entries(safeHeaders)) response.headers.set(name, value)
  return response
}

function refusalFor(caller: Caller | null): Response {
  const why =
    caller === null
      ? problem('TOKEN_INVALID', {
          detail: 'the token is missing or invalid',
          hint: "send the agent's token as `Authorization: Bearer`",
        })
      : // WHY: whoever acts here is a program, and what a person may do is not for it.
        problem('NOT_PERMITTED', {
          detail: 'this address is for agents',
          hint: "send the agent's token, not a person's",
        })
  const headers = { 'content-type': 'application/problem+json' }
  const challenge = why.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return Response.json(why, { status: why.status, headers: { ...headers, ...challenge } })
}
