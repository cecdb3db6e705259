/**
 * Durable decisions per second beside the floor of the same database: one transaction that inserts
 * an event row of the same size and updates a row, under the same pragmas, in the same run.
 * Then: what a long log and many waiting runs cost.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/runtime/ports.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { startPostgres } from '../postgres/start.ts'
import { median, print, type Row } from './measure.ts'
import { type Floor, postgresFloor, sqliteFloor } from './record-floor.ts'
import { decideOne, runtimeOn, startRuns } from './record-runs.ts'
import { benchLongLog, benchWaiting } from './record-size.ts'

const clientsCounts = [1, 8, 64] as const
const roundsCount = 5
const roundMs = 700

export async function benchRecord(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  try {
    const sqlite = openSqliteStore({ path: join(folder, 'pawl.db') })
    await compare('SQLite', sqlite, sqliteFloor(join(folder, 'floor.db')))
    await benchLongLog(folder)
    await benchWaiting(folder)
    const server = await startPostgres()
    try {
      const postgres = await openPostgresStore({ url: server.url })
      await compare('PostgreSQL', postgres, await postgresFloor(server.url))
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(name: string, store: Store, floor: Floor): Promise<void> {
  const runtime = runtimeOn(store)
  const runs = await startRuns(runtime, Math.max(...clientsCounts))
  let index = 0
  const decide = (client: number): Promise<void> => {
    index += 1
    return decideOne(runtime, runs[client] as string, index)
  }
  const rows: Row[] = []
  for (const clientsCount of clientsCounts) {
    const [floors, decisions]: [number[], number[]] = [[], []]
    for (let round = -1; round < roundsCount; round += 1) {
      const atFloor = await perSecond(clientsCount, floor.write)
      const decided = await perSecond(clientsCount, decide)
      if (round < 0) continue
      floors.push(atFloor)
      decisions.push(decided)
    }
    const [low, own] = [median(floors), median(decisions)]
    const clients = `${clientsCount} client${clientsCount === 1 ? '' : 's'}`
    rows.push([`floor, ${clients}`, low, 'transactions/s'])
    rows.push([`Pawl, ${clients}`, own, `decisions/s, ${(own / low).toFixed(2)} of the floor`])
  }
  print(`${name}: durable decisions`, rows)
  await runtime.close()
  await floor.close()
}

/** How often clients that each wait for their own answer get one. */
async function perSecond(
  clientsCount: number,
  act: (client: number) => Promise<void>,
): Promise<number> {
  const begun = performance.now()
  let count = 0
  const clients = Array.from({ length: clientsCount }, async (_, client) => {
    while (performance.now() - begun < roundMs) {
      await act(client)
      count += 1
    }
  })
  await Promise.all(clients)
  return (count / (performance.now() - begun)) * 1000
}
