/**
 * What the daemon remembers of sessions in memory. Losing it is safe: the agent is only informed
 * once more.
 */

export type SessionMemory = {
  /** Whether this was not the last thing that the session was told. */
  readonly isNews: (session: string, what: string) => boolean
  /** The session has made a call that was let through, or sent it a signal. */
  readonly beginWork: (session: string) => void
  /** A person has spoken: what was done before was done for what they said before. */
  readonly endWork: (session: string) => void
  readonly isWorking: (session: string) => boolean
  /** How often in a row the session was sent back, with this time. */
  readonly countStop: (session: string) => number
  readonly clearStops: (session: string) => void
  /** Where the session was started. The first word counts: hosts say it again after a `cd`. */
  readonly beginIn: (session: string, folder: string) => void
  readonly startOf: (session: string) => string | null
  /** A call was let through whose end is awaited. */
  readonly beginCall: (session: string, call: AwaitedCall) => void
  /** Null: its beginning is not known. */
  readonly endCall: (session: string, key: string) => AwaitedCall | null
  /** Whether the end of a call is awaited that has started a sub-agent. */
  readonly hasSubAgent: (session: string) => boolean
  /** The calls whose end is still awaited; from then on it is not. */
  readonly takeCalls: (session: string) => readonly AwaitedCall[]
  /** Whoever spoke for a session, which may have sub-agents, and has calls that are awaited. */
  readonly speakersOf: (session: string) => readonly string[]
  readonly forget: (session: string) => void
}

/** A call by its caller's key, and the run that let it through. */
export type AwaitedCall = {
  readonly key: string
  readonly runId: string
  readonly branch: string | null
  /** It began in the scratch layer of a box. */
  readonly isInLayer: boolean
  /** It starts a sub-agent. */
  readonly isAgent: boolean
}

/** Calls of one session whose end is awaited; the oldest are forgotten. */
const awaitedMax = 256

/** Sessions that are remembered; the longest forgotten go first. */
const itemsMax = 10_000

export function openSessionMemory(): SessionMemory {
  const told = new Map<string, string>()
  const stops = new Map<string, number>()
  const working = new Map<string, true>()
  const starts = new Map<string, string>()
  const awaited = new Map<string, readonly AwaitedCall[]>()
  return {
    isNews: (session, what) => {
      const isNews = told.get(session) !== what
      put(told, session, what)
      return isNews
    },
    beginWork: (session) => put(working, session, true),
    endWork: (session) => void working.delete(session),
    isWorking: (session) => working.has(session),
    countStop: (session) => {
      const count = (stops.get(session) ?? 0) + 1
      put(stops, session, count)
      return count
    },
    clearStops: (session) => void stops.delete(session),
    beginIn: (session, folder) => put(starts, session, starts.get(session) ?? folder),
    startOf: (session) => starts.get(session) ?? null,
    beginCall: (session, call) => {
      const others = awaited.get(session) ?? []
      put(awaited, session, [...others.slice(-(awaitedMax - 1)), call])
    },
    endCall: (session, key) => {
      const open = awaited.get(session) ?? []
      const ended = open.findIndex((one) => one.key === key)
      const left = open.filter((_, index) => index !== ended)
      if (left.length > 0) awaited.set(session, left)
      else awaited.delete(session)
      return open[ended] ?? null
    },
    hasSubAgent: (session) => (awaited.get(session) ?? []).some(({ isAgent }) => isAgent),
    takeCalls: (session) => {
      const open = awaited.get(session) ?? []
      awaited.delete(session)
      return open
    },
    speakersOf: (session) =>
      [...awaited.keys()].filter((one) => one === session || one.startsWith(`${session}/`)),
    forget: (session) => {
      starts.delete(session)
      told.delete(session)
      stops.delete(session)
      working.delete(session)
    },
  }
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > itemsMax && oldest !== undefined) map.delete(oldest)
}

/** Names of sessions; the longest forgotten go first. */
export type SessionSet = {
  readonly add: (session: string) => void
  readonly has: (session: string) => boolean
  readonly delete: (session: string) => void
}

export function openSessionSet(): SessionSet {
  const names = new Map<string, true>()
  return {
    add: (session) => put(names, session, true),
    has: (session) => names.has(session),
    delete: (session) => void names.delete(session),
  }
}
