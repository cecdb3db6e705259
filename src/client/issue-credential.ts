/** Gets a credential for a program of an agent, which it shows from then on. */
import { PawlProblem } from '../doors/api/problem.ts'
import { openClient } from './open-client.ts'

/** The credential; the token itself, where a daemon is too old to give any. */
export async function issueCredential(socket: string, token: string): Promise<string> {
  const client = openClient({ socket, token })
  try {
    return (await client.call('credentials.issue', {})).credential
  } catch (fault) {
    if (fault instanceof PawlProblem && fault.status === 404) return token
    throw fault
  } finally {
    client.close()
  }
}
