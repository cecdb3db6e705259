/**
 * A wire to a database that can be cut, can keep what was sent until later, and can be without
 * `LISTEN`, as some poolers are.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type Wire = {
  /** The address of the database, through this wire. */
  readonly url: string
  /**
   * Decides over each message to the server. `pass`; `lose`: cut before it arrives; `deafen`: it
   * arrives, and the wire is cut before the answer; `delay`: cut at once, it arrives later;
   * `refuse`: the wire itself answers with an error; `ignore`: nobody answers.
   */
  onMessage: (message: Buffer) => 'pass' | 'lose' | 'deafen' | 'delay' | 'refuse' | 'ignore'
  /** Whether notifications of the server are kept from the client. */
  isMute: boolean
  /** Hands over what was delayed, and waits until the server has answered. */
  readonly deliver: () => Promise<void>
  /** Cuts every connection; new ones may come. */
  readonly cut: () => void
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
    far.on(
      'data',
      cutMessages((message) => {
        if (wire.isMute && message.toString('latin1', 0, 1) === 'A') return
        if (near.writable) near.write(message)
      }),
    )
    far.on('close', () => near.destroy())
    near.on('data', (message) => forward({ near, far }, message))
    near.on('end', () => far.end())
  })
  const forward = ({ near, far }: Pair, message: Buffer) => {
    const fate = wire.onMessage(message)
    if (fate === 'pass') return far.write(message)
    if (fate === 'ignore') return
    if (fate === 'refuse') return near.write(refusal)
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
    isMute: false,
    deliver: async () => {
      for (const { far, message } of delayed.splice(0)) {
        const answered = once(far, 'data')
        far.write(message)
        await answered
        far.destroy()
      }
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      wire.cut()
      server.close()
      await once(server, 'close')
    },
  }
  return wire
}

/** An error, and that the next statement may come. */
const refusal = Buffer.concat([
  messageOf('E', 'SERROR\0VERROR\0C0A000\0MLISTEN is not supported here\0\0'),
  messageOf('Z', 'I'),
])

function messageOf(letter: string, rest: string): Buffer {
  const message = Buffer.from(`${letter}0000${rest}`, 'latin1')
  message.writeUInt32BE(message.length - 1, 1)
  return message
}

/** Cuts a stream into messages: a letter, a length that counts itself, and the rest. */
function cutMessages(onMessage: (message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (data) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1
      onMessage(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}
