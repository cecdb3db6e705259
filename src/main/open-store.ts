/** Opens the configured store. The only place that knows there is more than one. */

import type { Config } from '../home/config.ts'
import type { Home } from '../home/home.ts'
import type { Store } from '../runtime/ports.ts'

/** Opens it, and brings it up to date. */
export async function openStore(home: Home, { databaseUrl }: Config): Promise<Store> {
  // WHY loaded when needed: nobody waits for a database driver that is not used.
  if (databaseUrl === null) {
    const { openSqliteStore } = await import('../store/sqlite/sqlite-store.ts')
    return openSqliteStore({ path: home.database })
  }
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts')
  return openPostgresStore({ url: databaseUrl })
}
