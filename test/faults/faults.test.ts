/**
 * Killed at any instant, on a full disk, with a locked database, one of three nodes gone: what was
 * answered is kept, once. `npm run faults` does the same at any length.
 */
import { expect, test } from 'vitest'
import { diskFull, lockedDatabase } from '../../scripts/faults/disk.ts'
import { killLoopPostgres, killLoopSqlite } from '../../scripts/faults/kill-loop.ts'
import { mailLoop } from '../../scripts/faults/mail.ts'
import { manyNodes } from '../../scripts/faults/many-nodes.ts'
import { startPostgres } from '../../scripts/postgres/start.ts'

const nothing = { lost: 0, doubled: 0, differing: 0, what: [] }
const longMs = 900_000

test('15 deaths on SQLite lose nothing that was answered', { timeout: longMs }, async () => {
  const result = await killLoopSqlite(15)
  expect(result).toMatchObject(nothing)
  expect(result.answered).toBeGreaterThan(75)
  expect(result.settled).toBeGreaterThan(5)
})

test('3 deaths while mail is sent lose none, and send none twice', {
  timeout: longMs,
}, async () => {
  const result = await mailLoop(3)
  expect(result).toMatchObject(nothing)
  expect(result.acknowledged).toBe(36)
})

test('a full disk denies, and loses nothing', { timeout: longMs }, async ({ skip }) => {
  const result = await diskFull()
  if (result === null) return skip('only root may mount a small disk')
  expect(result).toMatchObject({ ...nothing, denial: 'deny STORE_UNAVAILABLE' })
  expect(result.answered).toBeGreaterThan(20)
})

test(
  'a database that another program holds denies, and loses nothing',
  async () => {
    const result = await lockedDatabase()
    expect(result).toMatchObject({ ...nothing, denial: 'deny STORE_UNAVAILABLE' })
  },
  longMs,
)

test('5 deaths on PostgreSQL lose nothing that was answered', { timeout: longMs }, async () => {
  const server = await startPostgres()
  try {
    const result = await killLoopPostgres(5, server)
    expect(result).toMatchObject(nothing)
    expect(result.answered).toBeGreaterThan(25)
    const nodes = await manyNodes(server.url, 6_000)
    expect(nodes).toMatchObject(nothing)
    expect(nodes.answered).toBeGreaterThan(200)
    expect(nodes.wakeMs.max).toBeLessThan(20_000)
  } finally {
    await server.stop()
  }
})
