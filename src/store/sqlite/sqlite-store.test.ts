import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../store.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

storeContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-sqlite-'))
  const path = join(folder, 'data', 'pawl.db')
  const store = openSqliteStore({ path })
  return {
    store,
    reopen: async () => {
      await store.close()
      return openSqliteStore({ path })
    },
    dispose: () => rm(folder, { recursive: true }),
  }
})
