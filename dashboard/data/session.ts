/** Signs in and out: exchanges a code from the terminal for a key. */
import { ApiError, connectionState, keyHeaders } from './api-client.ts'
import { forgetKey, keepKey } from './session-key.ts'

/** Gives a code from the terminal for a key. */
export async function signIn(code: string): Promise<void> {
  const response = await post('/v1/sign-in', { code })
  const { key } = (await response.json()) as { readonly key: string }
  keepKey(key)
}

/** Ends the sign-in of this browser. */
export async function signOut(): Promise<void> {
  await post('/v1/sign-out', {}).catch((thrown: unknown) => {
    // Gone already, or out of reach: here it ends all the same.
    if (!(thrown instanceof ApiError)) throw thrown
  })
  forgetKey()
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...keyHeaders() }
  return connectionState(path, { method: 'POST', headers, body: JSON.stringify(body) })
}
