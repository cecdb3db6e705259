/**
 * Hints between nodes that a log has grown, over LISTEN and NOTIFY. They may be lost or come twice.
 * Without LISTEN nothing is received and nothing fails.
 */
import { randomUUID } from 'node:crypto'
import type { StoreMaintenance } from '../../runtime/ports.ts'
import { restoreText } from './encode-text.ts'
import { openListener } from './listener.ts'
import type { Pool } from './pool.ts'

export type ChangeNotifications = Pick<
  StoreMaintenance,
  'onChange' | 'tellChange' | 'listenError'
> & {
  readonly close: () => Promise<void>
}

type Hint = readonly [runId: string, seq: number]
type Listener = (runId: string, seq: number) => void

// PostgreSQL takes less than 8000 bytes in one notification.
const payloadCharsMax = 2_000
const hintsMax = 10_000

/** Begins to listen; resolves when it does, or when it is clear that it cannot yet. */
export async function openChangeNotifications(pool: Pool): Promise<ChangeNotifications> {
  const node = randomUUID()
  const channel = `pawl_${pool.options.schema}`
  const listeners = new Set<Listener>()
  const waiting = new Map<string, number>()
  let isSending = false

  const hear = (payload: string) => {
    for (const [runId, seq] of readHints(payload, node)) {
      for (const listener of listeners) listener(runId, seq)
    }
  }

  const notify = async (payload: string) => {
    try {
      await pool.run(
        (sql) => sql`SELECT set_config('synchronous_commit', 'off', true),
          pg_notify(${channel}, ${payload})`,
      )
    } catch {
      // A hint that is lost: the others look for themselves, later.
    }
  }

  // WHY: outside of commits, and one notification at a time however many there are: each takes a
  //      lock that all notifying transactions of a server share. It need not survive a crash.
  const send = async () => {
    while (waiting.size > 0) await notify(printHints(waiting, node))
    isSending = false
  }

  const speak = () => notify(printHints(new Map(), node))
  const ear = await openListener(pool, { name: channel, hear, speak })

  return {
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tellChange: (runId, seq) => {
      if (waiting.size < hintsMax) waiting.set(runId, seq)
      if (isSending) return
      isSending = true
      setImmediate(send)
    },
    listenError: ear.listenError,
    close: ear.close,
  }
}

function printHints(waiting: Map<string, number>, node: string): string {
  const hints: Hint[] = []
  let chars = 0
  for (const hint of waiting) {
    chars += hint[0].length + 24
    if (hints.length > 0 && chars > payloadCharsMax) break
    hints.push(hint)
    waiting.delete(hint[0])
  }
  return JSON.stringify([node, ...hints])
}

// What the channel brings is checked: whoever may connect may notify.
function readHints(payload: string, node: string): readonly Hint[] {
  try {
    const [from, ...hints]: readonly unknown[] = JSON.parse(restoreText(payload))
    return from === node ? [] : hints.filter(isHint)
  } catch {
    return []
  }
}

function isHint(value: unknown): value is Hint {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isInteger(value[1])
}
