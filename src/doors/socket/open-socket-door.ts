/**
 * The API over a unix socket: one JSON text per line, for hooks and the command line. Only this
 * user can reach it, and still every question carries a token, which says whose it is.
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Api } from '../api/api.ts'
import { type ConnectionLimits, serveConnection } from './serve-connection.ts'

export type SocketDoorOptions = {
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

/** What fits into the address of a unix socket; macOS has the shortest. */
const pathBytesMax = 103
const folderMode = 0o700
const socketMode = 0o600

/** Opens the door. Faults: `CONFIG_INVALID`, `DAEMON_RUNNING`. */
export async function openSocketDoor(options: SocketDoorOptions): Promise<SocketDoor> {
  const { api, path } = options
  const limits = { ...limitsDefault, ...options.limits }
  prepareFolder(path)
  await clearPath(path)
  const connections = new Map<Socket, () => void>()
  // Half-open: a caller may say all it has to say, close its side, and read.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.set(socket, serveConnection({ api, socket, limits }))
    socket.once('close', () => connections.delete(socket))
  })
  server.maxConnections = limits.connectionsMax
  await listen(server, path)
  chmodSync(path, socketMode)
  api.metrics.addGauge({
    name: 'pawl_socket_connections',
    help: 'open connections of the unix socket',
    read: () => connections.size,
  })
  return { path, close: () => close(server, connections, limits) }
}

// INVARIANT: nobody else may enter the folder, so the moment before the socket gets its own mode
// is nobody's chance.
function prepareFolder(path: string): void {
  if (Buffer.byteLength(path) > pathBytesMax) {
    throw new PawlError('CONFIG_INVALID', `the path of the socket is too long: \`${path}\``, {
      hint: `set PAWL_HOME to a shorter folder; ${pathBytesMax} bytes fit`,
    })
  }
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: folderMode })
  const { mode, uid } = lstatSync(folder)
  if ((mode & 0o077) === 0 && uid === process.getuid?.()) return
  throw new PawlError('CONFIG_INVALID', `others may enter the folder \`${folder}\``, {
    hint: `make it yours alone: \`chmod 700 ${folder}\``,
  })
}

/** Takes away the socket of a daemon that is gone; one that answers is left alone. */
async function clearPath(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isSocket()) {
    const message = `\`${path}\` is there already and is no socket`
    throw new PawlError('CONFIG_INVALID', message, { hint: 'move it away' })
  }
  if (await answers(path)) {
    const message = `a daemon listens at \`${path}\` already`
    throw new PawlError('DAEMON_RUNNING', message, { hint: 'stop it with `pawl stop`' })
  }
  unlinkSync(path)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `the socket \`${path}\` can not be opened: ${cause.message}`
      reject(new PawlError('CONFIG_INVALID', message, { cause }))
    })
    server.listen(path, resolve)
  })
}

async function close(
  server: Server,
  connections: ReadonlyMap<Socket, () => void>,
  { closeMs }: SocketLimits,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const finish of connections.values()) finish()
  const timer = setTimeout(() => {
    for (const socket of connections.keys()) socket.destroy()
  }, closeMs)
  await closed
  clearTimeout(timer)
}
