/**
 * A node for the fault loops: store, runtime and socket as the daemon has them, and points at which
 * it kills itself, hard, around a commit.
 * `node node.ts '{"database": …, "socket": …, "failAt": …}'`; says `ready` when it serves.
 */
import { randomBytes } from 'node:crypto'
import { openApi } from '../../src/doors/api/api.ts'
import { openSocketDoor } from '../../src/doors/socket/open-socket-door.ts'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { agentToken, type NodeSettings, personToken } from './settings.ts'

const settings = JSON.parse(process.argv[2] ?? '{}') as NodeSettings
const store = failing(await openStore(settings.database))
const runtime = openRuntime({
  store,
  clock: { now: () => Date.now() },
  newId: () => randomBytes(10).toString('hex'),
  policies: () => [],
  approvalMs: 3_600_000,
  retention: { days: null, megabytes: null },
  deliver: async () => undefined,
  log: (what, fault) => console.error(what, fault),
})
setInterval(() => void runtime.poll().catch(() => undefined), 250)
const tokens = (presented: string) => {
  if (presented === agentToken) return { role: 'agent', name: 'agent' } as const
  return presented === personToken ? ({ role: 'person', name: 'ada' } as const) : null
}
const about = { version: 'faults', found: [], elicitation: false }
const api = openApi({ runtime, tokens, stop: () => process.exit(0), about })
await openSocketDoor({ api, path: settings.socket })
console.log('ready')
// The one who started it is gone: nobody will kill it any more.
process.stdin.on('end', () => process.exit(0)).resume()

async function openStore(database: NodeSettings['database']): Promise<Store> {
  if (database.kind === 'sqlite') return openSqliteStore(database)
  return openPostgresStore({ url: database.url })
}

/** The store, with a sudden death before or after the commit of that number. */
function failing(inner: Store): Store {
  const { failAt } = settings
  if (failAt === null) return inner
  let count = 0
  return {
    ...inner,
    commit: async (change) => {
      count += 1
      const isDue = count === failAt.commit
      if (isDue && failAt.when === 'before') die()
      const committed = inner.commit(change)
      if (isDue && failAt.when === 'during') setImmediate(die)
      const done = await committed
      if (isDue && failAt.when === 'after') die()
      return done
    },
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
