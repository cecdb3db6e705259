/** Connects to the daemon of this data directory, and starts it if there is none. */
import { resolve } from 'node:path'
import { issueCredential } from '../../../client/issue-credential.ts'
import { type Client, openClient } from '../../../client/open-client.ts'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { PawlProblem } from '../../api/problem.ts'
import type { Io } from '../io.ts'
import { versionText } from '../version.ts'
import { type DaemonDoor, daemonOf, type TokenRole } from './daemon-door.ts'
import { remarkText } from './show-event.ts'

/** A client that uses the token of a role, or the one in a file. */
export async function connectDaemon(
  io: Io,
  role: TokenRole,
  tokenFile: string | null = null,
): Promise<Client> {
  const daemon = daemonOf(io)
  await daemon.ensure()
  // WHY twice: a daemon that was just killed may have been taken for one that answers.
  if (!(await doesAnswer(daemon, role))) await daemon.ensure()
  const token = tokenFile === null ? daemon.token(role) : tokenIn(resolve(io.cwd, tokenFile))
  const found = daemon.find()
  const own = versionText()
  if (found !== null && found.version !== own) {
    const what = `the daemon is version ${found.version}, this program is ${own}`
    io.err(
      remarkText(`${what}; \`pawl stop\` stops it, and the next command starts the new one`, io),
    )
  }
  const isAgent = role !== 'person' && tokenFile === null
  const shown = isAgent ? await issueCredential(daemon.socket, token) : token
  return openClient({ socket: daemon.socket, token: shown })
}

function tokenIn(path: string): string {
  const token = readText(path, path).trim()
  if (token !== '') return token
  throw new PawlError('TOKEN_INVALID', `there is no token in \`${path}\``, {
    hint: '`pawl people add NAME --out FILE` creates one',
  })
}

async function doesAnswer(daemon: DaemonDoor, role: TokenRole): Promise<boolean> {
  const client = openClient({ socket: daemon.socket, token: daemon.token(role), retriesMax: 0 })
  try {
    await client.call('health', {})
    return true
  } catch (thrown) {
    // It may be in trouble, which the verb will be told; but it is there.
    return thrown instanceof PawlProblem && thrown.code !== 'DAEMON_UNREACHABLE'
  } finally {
    client.close()
  }
}
