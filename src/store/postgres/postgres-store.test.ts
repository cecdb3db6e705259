import { randomUUID } from 'node:crypto'
import { sharedPostgresUrl } from '../../../scripts/postgres/shared-server.ts'
import { storeContract } from '../store.contract.ts'
import { openPostgresStore } from './postgres-store.ts'

const url = await sharedPostgresUrl()
const freshSchema = () => `t_${randomUUID().replaceAll('-', '')}`

storeContract('PostgreSQL', async () => {
  const options = { url, schema: freshSchema() }
  const store = await openPostgresStore(options)
  let current = store
  const reopen = async () => {
    await current.close()
    current = await openPostgresStore(options)
    return current
  }
  return { store, reopen }
})
