/**
 * What the desk remembers of sessions while the daemon runs. Nothing of it is needed to be safe:
 * what is forgotten is told once more, or asked once more.
 */

/** A call that waits for the user of the host. */
export type Asked = {
  readonly session: string
  readonly runId: string
  readonly callId: string
  readonly approvalId: string
}

export type Memory = {
  /** Whether this was not the last thing that the session was told. */
  readonly isNews: (session: string, what: string) => boolean
  /** How often in a row the session was sent back, with this time. */
  readonly countStop: (session: string) => number
  readonly clearStops: (session: string) => void
  readonly putAsked: (key: string, asked: Asked) => void
  readonly takeAsked: (key: string) => Asked | null
  /** All that the user of a session has been asked and that was not made. */
  readonly takeAllAsked: (session: string) => readonly Asked[]
  /** A call that its host gives no name: by what it is. */
  readonly putOpen: (key: string, callId: string) => void
  readonly takeOpen: (key: string) => string | null
  readonly forget: (session: string) => void
}

/** Sessions and calls that are remembered; the longest forgotten go first. */
const itemsMax = 10_000

export function openMemory(): Memory {
  const told = new Map<string, string>()
  const stops = new Map<string, number>()
  const asked = new Map<string, Asked>()
  const open = new Map<string, readonly string[]>()
  return {
    isNews: (session, what) => {
      const isNews = told.get(session) !== what
      put(told, session, what)
      return isNews
    },
    countStop: (session) => {
      const count = (stops.get(session) ?? 0) + 1
      put(stops, session, count)
      return count
    },
    clearStops: (session) => void stops.delete(session),
    putAsked: (key, one) => put(asked, key, one),
    takeAsked: (key) => {
      const found = asked.get(key) ?? null
      asked.delete(key)
      return found
    },
    takeAllAsked: (session) => {
      const found = [...asked].filter(([, one]) => one.session === session)
      for (const [key] of found) asked.delete(key)
      return found.map(([, one]) => one)
    },
    putOpen: (key, callId) => put(open, key, [...(open.get(key) ?? []), callId]),
    takeOpen: (key) => {
      const [first, ...rest] = open.get(key) ?? []
      if (rest.length === 0) open.delete(key)
      else open.set(key, rest)
      return first ?? null
    },
    forget: (session) => {
      told.delete(session)
      stops.delete(session)
    },
  }
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > itemsMax && oldest !== undefined) map.delete(oldest)
}
