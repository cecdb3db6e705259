/** Opens a store that no daemon serves, for maintenance. */

import { takeLock } from '../daemon/daemon-lock.ts'
import { findRunning } from '../daemon/find-running-daemon.ts'
import { maintainStore } from '../daemon/store-maintenance.ts'
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { readConfig } from '../home/config.ts'
import { type Home, openHome } from '../home/home.ts'
import { openStore } from './open-store.ts'

/** Does one thing to the store; nobody else serves it meanwhile. */
export async function maintainOffline(home: Home, task: CareTask): Promise<CareReport> {
  process.umask(0o077)
  openHome(home)
  const lock = takeLock(home.lock)
  if (lock === null) throw await findRunning(home)
  try {
    const store = await openStore(home, readConfig(home.config))
    try {
      return await maintainStore(store, task)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}
