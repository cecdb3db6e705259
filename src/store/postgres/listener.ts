/**
 * A LISTEN connection to a channel that notices when it stops receiving, and then reconnects. Knows
 * LISTEN. Must not know what is sent.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { faultOf } from './faults.ts'
import { before, connectionName, connectPool, type Pool, type Sql } from './pool.ts'

export type Listener = {
  /** Why nothing is heard; null: as far as is known, everything is. */
  readonly listenError: () => string | null
  readonly close: () => Promise<void>
}

type Channel = {
  readonly name: string
  readonly hear: (payload: string) => void
  /** Says something there, whatever it is; never fails. */
  readonly speak: () => Promise<void>
}

const listenPauseSeconds = 0.5
const silence =
  'PostgreSQL, or a pooler in front of it, accepts LISTEN but delivers no notifications'

/** Begins to listen; resolves when it does, or when it is clear that it cannot yet. */
export async function openListener({ options }: Pool, channel: Channel): Promise<Listener> {
  const { url, timeoutMs } = options
  const ended = new AbortController()
  let hasHeard = false
  let listenError: string | null = null
  let sql: Sql

  const hear = (payload: string): void => {
    hasHeard = true
    listenError = null
    channel.hear(payload)
  }

  /** Gives what was in the way. When only the connection is lost, the driver comes back itself. */
  const listen = async (): Promise<string | null> => {
    sql = connectPool({ ...options, poolMax: 1 }, listenPauseSeconds)
    try {
      await before(sql.listen(channel.name, hear), timeoutMs)
      return null
    } catch (error) {
      return `LISTEN fails: ${faultOf(error, connectionName(url)).message}`
    }
  }

  // WHY: a LISTEN that was refused is not tried again by the driver, a pooler may take it and bring
  //      nothing, and a wire may be dead without a word. What is said here comes back here, so an
  //      ear that is of no use is known by its silence.
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      hasHeard = false
      await channel.speak()
      await pause(timeoutMs, ended.signal)
      if (hasHeard || ended.signal.aborted) continue
      await sql.end({ timeout: 0 })
      if (!ended.signal.aborted) listenError = (await listen()) ?? silence
    }
  }

  listenError = await listen()
  const watching = watch()
  return {
    listenError: () => listenError,
    close: async () => {
      ended.abort()
      await sql.end({ timeout: 0 })
      await watching
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Whoever is woken early has nothing to be told.
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}
