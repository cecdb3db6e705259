/** Opens a store that no daemon serves, for maintenance. */

import { readAnchorText } from '../daemon/anchor-targets.ts'
import { takeLock } from '../daemon/daemon-lock.ts'
import { findRunning } from '../daemon/find-running-daemon.ts'
import { maintainStore } from '../daemon/store-maintenance.ts'
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { readConfig } from '../home/config.ts'
import { type Home, openHome } from '../home/home.ts'
import { parseAnchors } from '../runtime/record/anchor.ts'
import { openStore } from './open-store.ts'

/** Does one thing to the store; nobody else serves it meanwhile. */
export async function maintainOffline(
  home: Home,
  { task, against }: { readonly task: CareTask; readonly against: string | null },
): Promise<CareReport> {
  const anchors = against === null ? [] : parseAnchors(await readAnchorText(against))
  process.umask(0o077)
  openHome(home)
  const lock = takeLock(home.lock)
  if (lock === null) throw await findRunning(home)
  try {
    const store = await openStore(home, readConfig(home.config))
    try {
      return await maintainStore(store, task, anchors)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}
