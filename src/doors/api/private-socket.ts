/**
 * A unix socket that only this user can reach: its folder and mode, the cleanup after a daemon
 * that crashed, and a graceful shutdown. Does not know the protocol spoken over it.
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { PawlError } from '../../runtime/pawl-error.ts'

type PrivateSocketOptions = {
  readonly path: string
  readonly connectionsMax: number
  /** How long what was begun may take when the socket closes. */
  readonly closeMs: number
  /** Serves one connection; gives how to end it, which may take a while. */
  readonly serve: (socket: Socket) => () => void
  /** What those beyond the limit get; absent: they are hung up on without a word. */
  readonly refuse?: (socket: Socket) => void
}

type PrivateSocket = {
  readonly path: string
  readonly connectionsCount: () => number
  /** Finishes what was begun, for a while. */
  readonly close: () => Promise<void>
}

/** What fits into the address of a unix socket; macOS has the shortest. */
const pathBytesMax = 103
const folderMode = 0o700
const socketMode = 0o600

/** Opens it. Faults: `CONFIG_INVALID`, `DAEMON_RUNNING`. */
export async function openPrivateSocket(options: PrivateSocketOptions): Promise<PrivateSocket> {
  const { path, connectionsMax, serve, refuse } = options
  prepareFolder(path)
  await clearPath(path)
  const connections = new Map<Socket, () => void>()
  // Half-open: a caller may say all it has to say, close its side, and read.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (refuse !== undefined && connections.size >= connectionsMax) return refuse(socket)
    connections.set(socket, serve(socket))
    socket.once('close', () => connections.delete(socket))
  })
  if (refuse === undefined) server.maxConnections = connectionsMax
  await listen(server, path)
  chmodSync(path, socketMode)
  const connectionsCount = (): number => connections.size
  return { path, connectionsCount, close: () => close(server, connections, options.closeMs) }
}

/**
 * Says a last word and hangs up. What still comes is read and dropped for a moment: a caller that
 * is cut off in the middle of its sentence would never read it.
 */
export function closeWithMessage(socket: Socket, word: string | Buffer, partingMs: number): void {
  socket.removeAllListeners('data')
  socket.resume()
  socket.end(word)
  const timer = setTimeout(() => socket.destroy(), partingMs)
  socket.once('close', () => clearTimeout(timer))
}

// INVARIANT: nobody else may enter the folder, so the moment before the socket gets its own mode
// is nobody's chance.
function prepareFolder(path: string): void {
  if (Buffer.byteLength(path) > pathBytesMax) {
    throw new PawlError('CONFIG_INVALID', `the path of the socket is too long: \`${path}\``, {
      hint: `set PAWL_HOME to a shorter path; the limit is ${pathBytesMax} bytes`,
    })
  }
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: folderMode })
  const { mode, uid } = lstatSync(folder)
  if ((mode & 0o077) === 0 && uid === process.getuid?.()) return
  throw new PawlError('CONFIG_INVALID', `other users have access to the folder \`${folder}\``, {
    hint: `run \`chmod 700 ${folder}\``,
  })
}

/** Takes away the socket of a daemon that is gone; one that answers is left alone. */
async function clearPath(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isSocket()) {
    const message = `\`${path}\` already exists and is not a socket`
    throw new PawlError('CONFIG_INVALID', message, { hint: 'move or remove it' })
  }
  if (await answers(path)) {
    const message = `a daemon already listens on \`${path}\``
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
      const message = `cannot open the socket \`${path}\`: ${cause.message}`
      reject(new PawlError('CONFIG_INVALID', message, { cause }))
    })
    server.listen(path, resolve)
  })
}

async function close(
  server: Server,
  connections: ReadonlyMap<Socket, () => void>,
  closeMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const finish of connections.values()) finish()
  const timer = setTimeout(() => {
    for (const socket of connections.keys()) socket.destroy()
  }, closeMs)
  await closed
  clearTimeout(timer)
}
