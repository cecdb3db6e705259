/**
 * Watches the run of the client and notifies the client when its list of tools changes with a
 * stage, a step, or a decision.
 */
import type { Tool as Listed } from '@modelcontextprotocol/server'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import { unknownCaller } from './caller-mark.ts'
import type { RunPlace, RunReadings } from './resolve-run.ts'
import type { ToolContext } from './tool-context.ts'
import { readPlace } from './tool-context.ts'

export type ToolListWatcher = {
  /** The run whose tools a client is to be offered; null: none. Follows it from then on. */
  readonly list: () => Promise<RunReadings | null>
  /** Follows the run that a client works on, if it does not yet. */
  readonly follow: () => Promise<void>
  /** Takes notice of a run that a call was about. */
  readonly see: (reading: RunReadings) => Promise<void>
  readonly close: () => void
}

type FollowerOptions = {
  readonly context: ToolContext
  /** The tools for a run; null: none is loaded. */
  readonly tools: (reading: RunReadings | null) => readonly Listed[]
  /** The tools are not those any more that the client has seen. */
  readonly onChange: () => Promise<void>
  /** The run that is followed has moved. */
  readonly onMove: (runId: string) => Promise<void>
}

/** Records that come together are looked at once. */
const gatherMs = 30
/** How long an answer waits for its client to read the new list. */
const listMsMax = 300

export function openToolListWatcher({
  context,
  tools,
  onChange,
  onMove,
}: FollowerOptions): ToolListWatcher {
  /** The list that the client has seen; null: it has not asked for one. */
  let seen: string | null = null
  let place: RunPlace | null = null
  let following: AbortController | null = null
  const reader = openReader()

  /** `wait`: until the client has read the new list. */
  const compare = async (reading: RunReadings, mode: 'wait' | 'tell'): Promise<void> => {
    const now = JSON.stringify(tools(reading))
    if (seen === null || seen === now) return
    seen = now
    // WHY before it is told: it may read at once.
    const read = mode === 'wait' ? reader.untilRead() : null
    await onChange()
    await read
  }
  const follow = ({ head }: RunReadings): void => {
    if (place?.runId === head.id && following !== null) return
    following?.abort()
    place = { runId: head.id, branch: null }
    following = isOpen(head.status) ? new AbortController() : null
    if (following !== null) void watch(place, head.seq, following)
  }
  const watch = async (at: RunPlace, after: number, until: AbortController): Promise<void> => {
    let isLooking = false
    const look = async (): Promise<void> => {
      isLooking = false
      if (until.signal.aborted) return
      await onMove(at.runId)
      const reading = await readPlace(context, at).catch(() => null)
      // A look that fails is made up for by the next call, which looks as well.
      if (reading !== null) await compare(reading, 'tell')
    }
    try {
      for await (const _ of context.link.stream(at.runId, after, until.signal)) {
        if (!isLooking) setTimeout(look, gatherMs)
        isLooking = true
      }
    } catch {
      // The daemon went away: the next call finds or starts it, and follows again.
      if (following === until) following = null
    }
  }
  return {
    list: async () => {
      const reading = await currentOf(context, place)
      if (reading !== null) follow(reading)
      seen = JSON.stringify(tools(reading))
      reader.hasRead()
      return reading
    },
    follow: async () => {
      const reading = await currentOf(context, place)
      if (reading !== null) follow(reading)
    },
    see: async (reading) => {
      follow(reading)
      await compare(reading, 'wait')
    },
    close: () => following?.abort(),
  }
}

type Reader = {
  readonly hasRead: () => void
  /** Until the client has asked for its tools, if it is one that does so when they change. */
  readonly untilRead: () => Promise<void>
}

/**
 * WHY wait at all: a model may call the tool that it was just told of at once, and a host that
 * has not read the new list by then does not know it.
 */
function openReader(): Reader {
  let doesRead = true
  const waiting = new Set<() => void>()
  return {
    hasRead: () => {
      doesRead = true
      const waited = [...waiting]
      // After the answer with the list is on its way.
      setImmediate(() => {
        for (const done of waited) done()
      })
    },
    untilRead: () => {
      if (!doesRead) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          doesRead = false
          done()
        }, listMsMax)
        const done = (): void => {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
      })
    },
  }
}

/** The run of the last call while it is open, else the one that a call would mean. */
async function currentOf(
  context: ToolContext,
  place: RunPlace | null,
): Promise<RunReadings | null> {
  try {
    const last = place === null ? null : await readPlace(context, place)
    if (last !== null && isOpen(last.head.status)) return last
    const meant = await context.places.find(unknownCaller)
    return meant.runId === place?.runId ? last : await readPlace(context, meant)
  } catch {
    // Without a daemon or a run there is still a list: the tools that begin one.
    return null
  }
}
