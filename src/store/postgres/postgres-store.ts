/**
 * A store in PostgreSQL, for any number of nodes at once.
 */
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Store } from '../../runtime/ports.ts'
import { openChangeNotifications } from './change-notifications.ts'
import { createDefinitions } from './definitions.ts'
import { createDocuments } from './documents.ts'
import { createMaintenance } from './maintenance.ts'
import { migratePostgres } from './migrate.ts'
import { createPool } from './pool.ts'
import { createRecord } from './record.ts'
import { createRuns } from './runs.ts'
import { createClaims } from './session-claims.ts'

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** Made when it is not there. */
  readonly schema?: string
  readonly poolMax?: number
  readonly timeoutMs?: number
}

const careMsMax = 120_000
const carePoolMax = 2

/** Opens a store and brings its tables up to date. Faults: `STORE_UNAVAILABLE`, `STORE_VERSION`. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, schema = 'pawl', poolMax = 10, timeoutMs = 5_000 } = options
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    throw new PawlError('CONFIG_INVALID', `\`${schema}\` is not a valid schema name`, {
      hint: 'use lower-case letters, digits and `_`',
    })
  }
  const pool = createPool({ url, schema, poolMax, timeoutMs })
  // Whole tables and whole logs take their time, and must not stand in the way of a decision.
  const slow = createPool({ url, schema, poolMax: carePoolMax, timeoutMs: careMsMax })
  try {
    await migratePostgres(slow)
  } catch (error) {
    await slow.close()
    throw error
  }
  const changes = await openChangeNotifications(pool)
  const close = async () => {
    await Promise.all([pool.close(), slow.close()])
    await changes.close()
  }
  return {
    kind: 'postgres',
    isShared: true,
    ...createRuns(pool),
    ...createDefinitions(pool),
    ...createClaims(pool),
    ...createDocuments(pool),
    ...createMaintenance(slow),
    ...createRecord(slow),
    findTrouble: createMaintenance(pool).findTrouble,
    onChange: changes.onChange,
    listenError: changes.listenError,
    tellChange: changes.tellChange,
    close,
  }
}
