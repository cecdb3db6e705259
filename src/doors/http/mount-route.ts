/**
 * Something that is reached over this door beside the API and speaks HTTP itself: it is handed
 * requests that the guard let through, of agents only.
 */
import type { Caller } from '../api/caller.ts'
import { problem } from '../api/problem.ts'
import { safeHeaders } from './send.ts'

export type Mount = {
  readonly path: string
  readonly answer: (request: Request) => Promise<Response>
}

/** Answers for a mount. */
export async function answerMount(
  mount: Mount,
  caller: Caller | null,
  request: Request,
): Promise<Response> {
  const response = refuse(caller) ?? (await mount.answer(request))
  for (const [name, value] of Object.entries(safeHeaders)) response.headers.set(name, value)
  return response
}

function refuse(caller: Caller | null): Response | null {
  if (caller?.role === 'agent') return null
  const why =
    caller === null
      ? problem('TOKEN_INVALID', {
          detail: 'there is no valid token',
          hint: 'send the token of the agent as `Authorization: Bearer`',
        })
      : // WHY: whoever acts here is a program, and what a person may do is not for it.
        problem('NOT_PERMITTED', {
          detail: 'this is for agents',
          hint: 'send the token of the agent, not that of a person',
        })
  const headers = { 'content-type': 'application/problem+json' }
  const challenge = why.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return Response.json(why, { status: why.status, headers: { ...headers, ...challenge } })
}
