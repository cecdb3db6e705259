/**
 * `kill -9`, again and again, at any moment and at the points around a commit; after each kill,
 * everything that was answered must be there, once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../src/runtime/ports.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { PostgresServer } from '../postgres/start.ts'
import { newBook, prepare, settle, work } from './load-clients.ts'
import type { FailAt, NodeSettings } from './settings.ts'
import { startNode } from './start-node.ts'
import { type Losses, verify } from './verify.ts'

export type LoopResult = Losses & {
  readonly cyclesCount: number
  readonly answered: number
  /** Commands whose answer was lost on the way, and that got it when they were sent again. */
  readonly settled: number
}

const clientsCount = 4
const runsCount = 3
const points = ['before', 'during', 'after'] as const

type Loop = {
  readonly cyclesCount: number
  readonly database: NodeSettings['database']
  /** Kills the database in this cycle instead of the node. */
  readonly killDatabase?: (cycle: number) => Promise<boolean>
}

export function killLoopSqlite(cyclesCount: number): Promise<LoopResult> {
  return inFolder((folder) => {
    const database = { kind: 'sqlite', path: join(folder, 'pawl.db') } as const
    return killLoop(folder, { cyclesCount, database })
  })
}

/** Every third death is the database's. */
export function killLoopPostgres(cyclesCount: number, server: PostgresServer): Promise<LoopResult> {
  const killDatabase = async (cycle: number): Promise<boolean> => {
    if (cycle % 3 !== 2) return false
    await server.kill9()
    await server.restart()
    return true
  }
  const database = { kind: 'postgres', url: server.url } as const
  return inFolder((folder) => killLoop(folder, { cyclesCount, database, killDatabase }))
}

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-faults-'))
  try {
    return await act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function killLoop(folder: string, loop: Loop): Promise<LoopResult> {
  const book = newBook()
  let settled = 0
  for (let cycle = 0; cycle < loop.cyclesCount; cycle += 1) {
    const socket = join(folder, `node-${cycle}.sock`)
    // The first lives until it is killed, then every other one dies by itself around a commit.
    const when = points[(cycle >> 1) % points.length] ?? 'before'
    const failAt: FailAt | null = cycle % 2 === 0 ? null : { commit: 5 + ((cycle * 7) % 40), when }
    const node = await startNode({ database: loop.database, socket, failAt: null })
    await prepare(socket, book, runsCount)
    settled += await settle(socket, book)
    if (failAt !== null) {
      await node.kill9()
      await dieAtPoint(folder, { ...loop, cycle, failAt }, book)
      continue
    }
    const stop = new AbortController()
    const working = work(socket, book, { clientsCount, signal: stop.signal })
    // At any moment, also in the middle of a commit.
    await sleep(60 + ((cycle * 37) % 140))
    if ((await loop.killDatabase?.(cycle)) === true) await sleep(50)
    stop.abort()
    await node.kill9()
    await working
  }
  const socket = join(folder, 'last.sock')
  const node = await startNode({ database: loop.database, socket, failAt: null })
  settled += await settle(socket, book)
  await node.kill9()
  const store = await openStore(loop.database)
  const losses = await verify(store, book)
  await store.close()
  const answered = book.sent.filter((one) => one.answer !== null).length
  return { ...losses, cyclesCount: loop.cyclesCount, answered, settled }
}

type Point = Loop & { readonly cycle: number; readonly failAt: FailAt }

async function dieAtPoint(
  folder: string,
  { database, cycle, failAt }: Point,
  book: ReturnType<typeof newBook>,
): Promise<void> {
  const socket = join(folder, `point-${cycle}.sock`)
  const node = await startNode({ database, socket, failAt })
  const stop = new AbortController()
  await Promise.race([
    work(socket, book, { clientsCount, signal: stop.signal }),
    sleep(20_000).then(() => {
      throw new Error(`a node did not die ${failAt.when} commit ${failAt.commit}`)
    }),
  ])
  await node.ended
}

function openStore(database: NodeSettings['database']): Promise<Store> | Store {
  if (database.kind === 'sqlite') return openSqliteStore({ path: database.path })
  return openPostgresStore({ url: database.url })
}
