/**
 * Follows the run that the client works on, so that its list of tools is never an old one: when
 * a stage, a step or a person changes what there is, the client is told.
 */
import type { Desk } from './desk.ts'
import { readPlace } from './desk.ts'
import type { Place, Reading } from './places.ts'
import { isOpen } from './places.ts'
import { listTools } from './toolbox.ts'
import type { Who } from './who.ts'

export type Follower = {
  /** The run whose tools a client is to be offered; null: none. Follows it from then on. */
  readonly list: () => Promise<Reading | null>
  /** Takes notice of a run that a call was about. */
  readonly see: (reading: Reading) => Promise<void>
  readonly close: () => void
}

export type FollowerOptions = {
  readonly desk: Desk
  /** The tools are not those any more that the client has seen. */
  readonly onChange: () => Promise<void>
}

const nobody: Who = { session: null, agent: null, run: null, branch: null }
/** Records that come together are looked at once. */
const gatherMs = 30

export function openFollower({ desk, onChange }: FollowerOptions): Follower {
  const { prefix } = desk
  /** The list that the client has seen; null: it has not asked for one. */
  let seen: string | null = null
  let place: Place | null = null
  let following = new AbortController()

  const see = async (reading: Reading): Promise<void> => {
    if (place?.runId !== reading.head.id) follow(reading)
    await compare(reading)
  }
  const compare = async (reading: Reading): Promise<void> => {
    const now = JSON.stringify(listTools(reading, prefix))
    if (seen === null || seen === now) return
    seen = now
    await onChange()
  }
  const follow = (reading: Reading): void => {
    following.abort()
    following = new AbortController()
    const { id, seq, status } = reading.head
    place = { runId: id, branch: null }
    if (isOpen(status)) void watch(place, seq, following.signal)
  }
  const watch = async (at: Place, after: number, signal: AbortSignal): Promise<void> => {
    let isLooking = false
    const look = async (): Promise<void> => {
      isLooking = false
      // A look that fails is made up for by the next call, which looks as well.
      if (!signal.aborted)
        await readPlace(desk, at)
          .then(compare)
          .catch(() => undefined)
    }
    try {
      for await (const _ of desk.link.stream(at.runId, after, signal)) {
        if (!isLooking) setTimeout(look, gatherMs)
        isLooking = true
      }
    } catch {
      // The daemon went away: the next call finds or starts it, and follows again.
      if (place === at) place = null
    }
  }
  return {
    list: async () => {
      const reading = await currentOf(desk, place)
      if (reading !== null && place?.runId !== reading.head.id) follow(reading)
      seen = JSON.stringify(listTools(reading, prefix))
      return reading
    },
    see,
    close: () => following.abort(),
  }
}

/** The run of the last call, else the one that a call would mean. */
async function currentOf(desk: Desk, place: Place | null): Promise<Reading | null> {
  try {
    return await readPlace(desk, place ?? (await desk.places.find(nobody)))
  } catch {
    // Without a daemon or a run there is still a list: the tools that begin one.
    return null
  }
}
