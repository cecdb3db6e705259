/**
 * The API over a unix socket: one JSON text per line, for hooks and the command line. Only this
 * user can reach it; every request still carries a token that identifies the caller.
 */
import type { Api } from '../api/api.ts'
import { openPrivateSocket } from '../api/private-socket.ts'
import { type ConnectionLimits, serveConnection } from './serve-connection.ts'

type SocketDoorOptions = {
  readonly api: Api
  readonly path: string
  readonly limits?: Partial<SocketLimits>
}

export type SocketLimits = ConnectionLimits & {
  readonly connectionsMax: number
  /** How long what was begun may take when the door closes. */
  readonly closeMs: number
}

export type SocketDoor = {
  readonly path: string
  /** Finishes what was begun, for a while. */
  readonly close: () => Promise<void>
}

const limitsDefault: SocketLimits = {
  connectionsMax: 4_000,
  questionsMax: 256,
  unreadBytesMax: 8 * 1024 * 1024,
  idleMs: 300_000,
  closeMs: 2_000,
}

/** Opens the door. Faults: `CONFIG_INVALID`, `DAEMON_RUNNING`. */
export async function openSocketDoor(options: SocketDoorOptions): Promise<SocketDoor> {
  const { api, path } = options
  const limits = { ...limitsDefault, ...options.limits }
  const { connectionsMax, closeMs } = limits
  const opened = await openPrivateSocket({
    path,
    connectionsMax,
    closeMs,
    serve: (socket) => serveConnection({ api, socket, limits }),
  })
  api.metrics.addGauge({
    name: 'pawl_socket_connections',
    help: 'open connections on the unix socket',
    read: opened.connectionsCount,
  })
  return { path, close: opened.close }
}
