/**
 * The port in the settings of HTTP hooks: it has to stay the same, whoever starts the daemon.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { openClient } from '../../../client/open-client.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import type { Io } from '../io.ts'
import { type DaemonDoor, daemonOf, type FoundDaemon } from '../remote/daemon-door.ts'

/** The one that is set, else the one the daemon has now, else a free one. Sets nothing. */
export async function choosePort(io: Io, setup: SetupDoor): Promise<number> {
  const set = setup.readPort()
  if (set !== 0) return set
  return portOf(daemonOf(io).find()) ?? (await freePort())
}

/** Sets the port and sees to it that the daemon listens there; gives the problem if that fails. */
export async function settlePort(port: number, io: Io, setup: SetupDoor): Promise<string | null> {
  if (setup.readPort() !== port) setup.keepPort(port)
  const daemon = daemonOf(io)
  await daemon.ensure()
  if (portOf(daemon.find()) === port) return null
  if (!(await isIdle(daemon))) {
    return 'the daemon is busy and listens on another port: run `pawl stop` when it is idle'
  }
  await daemon.stop()
  await daemon.ensure()
  const now = portOf(daemon.find())
  return now === port ? null : `the daemon listens on port ${now ?? 'none'}, not on ${port}`
}

function portOf(found: FoundDaemon | null): number | null {
  return found === null || found.http === null ? null : Number(new URL(found.http).port)
}

async function isIdle(daemon: DaemonDoor): Promise<boolean> {
  const client = openClient({ socket: daemon.socket, token: daemon.token('agent') })
  try {
    return (await client.call('status', {})).waitersCount === 0
  } finally {
    client.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
