/** Opens a store that no daemon serves, for maintenance. */

import { readAnchorText } from '../daemon/anchor-targets.ts'
import { takeLock } from '../daemon/daemon-lock.ts'
import { findRunning } from '../daemon/find-running-daemon.ts'
import { maintainStore } from '../daemon/store-maintenance.ts'
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { readConfig } from '../home/config.ts'
import { type Home, openHome } from '../home/home.ts'
import { userName } from '../home/user-name.ts'
import { resetPasskeys } from '../runtime/passkeys/passkey-log.ts'
import type { Store } from '../runtime/ports.ts'
import { parseAnchors } from '../runtime/record/anchor.ts'
import { openStore } from './open-store.ts'

/** Does one thing to the store; nobody else serves it meanwhile. */
export async function maintainOffline(
  home: Home,
  { task, against }: { readonly task: CareTask; readonly against: string | null },
): Promise<CareReport> {
  const anchors = against === null ? [] : parseAnchors(await readAnchorText(against))
  return withStore(home, (store) => maintainStore(store, task, anchors))
}

/** Removes the passkeys of a person, or everybody's; gives how many. It stays on record. */
export function resetPasskeysOffline(home: Home, person: string | null): Promise<number> {
  const by = { at: Date.now(), actor: `person:${userName()}` }
  return withStore(home, (store) => resetPasskeys(store, person, by))
}

async function withStore<T>(home: Home, act: (store: Store) => Promise<T>): Promise<T> {
  process.umask(0o077)
  openHome(home)
  const lock = takeLock(home.lock)
  if (lock === null) throw await findRunning(home)
  try {
    const store = await openStore(home, readConfig(home.config))
    try {
      return await act(store)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}
