/**
 * A wire to a database that can be cut, and that can keep what was sent until later.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type Wire = {
  /** The address of the database, through this wire. */
  readonly url: string
  /**
   * Decides over each message to the server. `pass`; `lose`: cut before it arrives; `deafen`: it
   * arrives, and the wire is cut before the answer; `delay`: cut at once, it arrives later.
   */
  onMessage: (message: Buffer) => 'pass' | 'lose' | 'deafen' | 'delay'
  /** Hands over what was delayed, and waits until the server has answered. */
  readonly deliver: () => Promise<void>
  readonly close: () => Promise<void>
}

type Pair = { readonly near: Socket; readonly far: Socket }

/** Opens a wire to the server of an address. */
export async function openWireTo(target: string): Promise<Wire> {
  const delayed: { readonly far: Socket; readonly message: Buffer }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    far.on('data', (data) => near.writable && near.write(data))
    far.on('close', () => near.destroy())
    near.on('data', (message) => forward({ near, far }, message))
    near.on('end', () => far.end())
  })
  const forward = ({ near, far }: Pair, message: Buffer) => {
    const fate = wire.onMessage(message)
    if (fate === 'pass') return far.write(message)
    if (fate === 'deafen') far.removeAllListeners('data').resume().write(message)
    if (fate === 'delay') delayed.push({ far, message })
    if (fate === 'lose') far.destroy()
    // An answer must have the time to be lost.
    return setTimeout(() => near.resetAndDestroy(), fate === 'deafen' ? 100 : 0)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(target)
  if (address !== null && typeof address !== 'string') url.port = `${address.port}`
  const wire: Wire = {
    url: url.href,
    onMessage: () => 'pass',
    deliver: async () => {
      for (const { far, message } of delayed.splice(0)) {
        const answered = once(far, 'data')
        far.write(message)
        await answered
        far.destroy()
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return wire
}
