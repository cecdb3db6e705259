/**
 * A full disk, and a database that another process has locked: nothing happens without its event,
 * and the node continues when the problem is over.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../../src/client/index.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { newBook, prepare, settle, work } from './load-clients.ts'
import { agentToken } from './settings.ts'
import { startNode } from './start-node.ts'
import { type Losses, verify } from './verify.ts'

export type TroubleResult = Losses & {
  /** What a call got while there was trouble. */
  readonly denial: string
  readonly answered: number
}

const clientsCount = 4

/** Null: this user may not mount a small disk. */
export async function diskFull(): Promise<TroubleResult | null> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', folder], {
      stdio: 'ignore',
    })
  } catch {
    // Only root may; who calls this says so.
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  try {
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(5_000_000))
    return await trouble(folder, {
      begin: async () => undefined,
      end: async () => rmSync(ballast),
      lastsMs: 4_000,
    })
  } finally {
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Another program takes the write lock for longer than a writer waits. */
export async function lockedDatabase(): Promise<TroubleResult> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-locked-'))
  let other: DatabaseSync | null = null
  try {
    return await trouble(folder, {
      begin: async () => {
        other = new DatabaseSync(join(folder, 'pawl.db'))
        other.exec('BEGIN IMMEDIATE')
      },
      end: async () => other?.close(),
      lastsMs: 7_000,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Trouble = {
  readonly begin: () => Promise<void>
  readonly end: () => Promise<void>
  readonly lastsMs: number
}

async function trouble(folder: string, how: Trouble): Promise<TroubleResult> {
  const path = join(folder, 'pawl.db')
  const socket = join(folder, 'node.sock')
  const node = await startNode({ database: { kind: 'sqlite', path }, socket, failAt: null })
  try {
    const book = newBook()
    await prepare(socket, book, 2)
    await how.begin()
    const stop = AbortSignal.timeout(how.lastsMs)
    while (!stop.aborted) {
      await work(socket, book, { clientsCount, signal: stop })
      await sleep(200)
    }
    const denial = await codeOfCall(socket, book.runs[0] ?? '')
    await how.end()
    await settle(socket, book)
    await node.kill9()
    const store = openSqliteStore({ path })
    const losses = await verify(store, book)
    await store.close()
    const answered = book.sent.filter((one) => one.answer !== null).length
    return { ...losses, denial, answered }
  } finally {
    await node.kill9()
  }
}

async function codeOfCall(socket: string, runId: string): Promise<string> {
  const client = openClient({ socket, token: agentToken })
  const input = { file_path: '/work/a.ts' }
  const { reply } = await client.runs.check({ runId, tool: 'Read', input })
  client.close()
  return reply.kind === 'verdict' ? `${reply.verdict} ${reply.code ?? ''}` : reply.kind
}
