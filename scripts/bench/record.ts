/**
 * Durable decisions per second beside floors of the same database, in the same run: the same rows
 * under the same pragmas with nothing decided, and the least that any record could be.
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
import { type Floor, postgresFloor, sqliteFloor, sqliteSameRows } from './record-baseline.ts'
import { decideOne, runtimeOn, startRuns } from './record-runs.ts'
import { benchLongLog, benchWaiting } from './record-size.ts'

const clientsCounts = [1, 8, 64] as const
const roundsCount = 5
const roundMs = 700
/** WHY so long: a daemon lives for days, and its code is quick after some ten thousand commands. */
const warmUpMs = 4_000

export async function benchRecord(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  try {
    const sqlite = openSqliteStore({ path: join(folder, 'pawl.db') })
    await compare('SQLite', sqlite, {
      'same rows': sqliteSameRows(join(folder, 'same.db')),
      least: sqliteFloor(join(folder, 'floor.db')),
    })
    await benchLongLog(folder)
    await benchWaiting(folder)
    const server = await startPostgres()
    try {
      const postgres = await openPostgresStore({ url: server.url })
      await compare('PostgreSQL', postgres, { least: await postgresFloor(server.url) })
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Floors = { readonly [name: string]: Floor }

async function compare(name: string, store: Store, floors: Floors): Promise<void> {
  const runtime = runtimeOn(store)
  const runs = await startRuns(runtime, Math.max(...clientsCounts))
  let index = 0
  const decide = (client: number): Promise<void> => {
    index += 1
    return decideOne(runtime, runs[client] as string, index)
  }
  const acts = [...Object.values(floors).map((floor) => floor.write), decide]
  for (const act of acts) await perSecond(Math.max(...clientsCounts), act, warmUpMs)
  const rows: Row[] = []
  for (const clientsCount of clientsCounts) {
    const rates: number[][] = acts.map(() => [])
    for (let round = -1; round < roundsCount; round += 1) {
      for (const [at, act] of acts.entries()) {
        const rate = await perSecond(clientsCount, act)
        if (round >= 0) rates[at]?.push(rate)
      }
    }
    const medians = rates.map(median)
    const own = medians.at(-1) as number
    const clients = `${clientsCount} client${clientsCount === 1 ? '' : 's'}`
    const shares = Object.keys(floors).map((floor, at) => {
      const low = medians[at] as number
      rows.push([`${floor}, ${clients}`, low, 'transactions/s'])
      return `${(own / low).toFixed(2)} of ${floor}`
    })
    rows.push([`Pawl, ${clients}`, own, `decisions/s, ${shares.join(', ')}`])
  }
  print(`${name}: durable decisions`, rows)
  await runtime.close()
  for (const floor of Object.values(floors)) await floor.close()
}

/** How often clients that each wait for their own answer get one. */
async function perSecond(
  clientsCount: number,
  act: (client: number) => Promise<void>,
  ms: number = roundMs,
): Promise<number> {
  const begun = performance.now()
  let count = 0
  const clients = Array.from({ length: clientsCount }, async (_, client) => {
    while (performance.now() - begun < ms) {
      await act(client)
      count += 1
    }
  })
  await Promise.all(clients)
  return (count / (performance.now() - begun)) * 1000
}
