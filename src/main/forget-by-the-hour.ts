/**
 * Lets go of cards that only save work: answers to mails that nobody asks for again, and how far
 * transcripts were read that nobody writes any more.
 */
import { transcriptsDrawer } from '../doors/hook/spending/open-spending.ts'
import { doneDrawer } from '../proxy/mail/ledger.ts'
import { forgetCards } from '../runtime/forget-cards.ts'
import type { Store } from '../runtime/ports.ts'
import type { LogLine } from './log-file.ts'
import { every } from './timers.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const keptMs = { [doneDrawer]: 7 * dayMs, [transcriptsDrawer]: 90 * dayMs }

/** Begins; gives what ends it. */
export function forgetByTheHour(store: Store, log: LogLine): () => Promise<void> {
  const forget = async (): Promise<void> => {
    const at = Date.now()
    for (const [drawer, ms] of Object.entries(keptMs)) {
      const count = await forgetCards(store, { drawer, before: at - ms, at })
      if (count > 0) log('info', 'old cards were let go', { drawer, count })
    }
  }
  const timer = every(hourMs, forget, (fault) =>
    log('error', 'old cards stay', { fault: `${fault}` }),
  )
  return () => timer.stop()
}
