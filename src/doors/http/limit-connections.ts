/**
 * Who may stay connected when there are too many connections: people before agents, agents before
 * strangers, whoever asks something before whoever is silent. Any user of this machine can connect,
 * so strangers make room for each other and never for nobody. Knows connections, not requests.
 */
import type { Socket } from 'node:net'

type Rank = 'stranger' | 'agent' | 'person'

export type Connections = {
  /** A new connection; makes room for it, or closes it. */
  readonly add: (socket: Socket) => void
  /** A request has begun on it; gives what to call when its answer is sent. */
  readonly begin: (socket: Socket) => () => void
  /** A valid credential was shown on it. */
  readonly identify: (socket: Socket, rank: 'agent' | 'person') => void
  readonly count: () => number
}

type Limits = {
  readonly connectionsMax: number
  /** Of them for those who have shown the credential of an agent or a hook. */
  readonly agentsMax: number
}

type Known = { rank: Rank; requestsCount: number }

export function limitConnections({ connectionsMax, agentsMax }: Limits): Connections {
  // INVARIANT: whoever did something last is last.
  const known = new Map<Socket, Known>()
  const isStranger = ({ rank }: Known): boolean => rank === 'stranger'
  const isAgent = ({ rank }: Known): boolean => rank === 'agent'
  const isSilent = ({ requestsCount }: Known): boolean => requestsCount === 0
  const touch = (socket: Socket): Known | undefined => {
    const one = known.get(socket)
    if (one === undefined) return undefined
    known.delete(socket)
    known.set(socket, one)
    return one
  }
  const evict = (isWanted: (one: Known) => boolean, except: Socket): boolean => {
    for (const [socket, one] of known) {
      if (socket === except || !isWanted(one)) continue
      known.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
  const makeRoom = (socket: Socket): boolean =>
    evict(isStranger, socket) ||
    evict((one) => isAgent(one) && isSilent(one), socket) ||
    evict(isSilent, socket)
  return {
    add: (socket) => {
      known.set(socket, { rank: 'stranger', requestsCount: 0 })
      socket.once('close', () => known.delete(socket))
      if (known.size <= connectionsMax || makeRoom(socket)) return
      known.delete(socket)
      socket.destroy()
    },
    begin: (socket) => {
      const one = touch(socket)
      if (one === undefined) return () => undefined
      one.requestsCount += 1
      return () => {
        one.requestsCount -= 1
        touch(socket)
      }
    },
    identify: (socket, rank) => {
      const one = known.get(socket)
      if (one === undefined || one.rank === 'person') return
      const isNew = one.rank !== rank
      one.rank = rank
      if (!isNew || rank === 'person') return
      const agentsCount = [...known.values()].filter(isAgent).length
      if (agentsCount <= agentsMax) return
      if (!evict((other) => isAgent(other) && isSilent(other), socket)) evict(isAgent, socket)
    },
    count: () => known.size,
  }
}
