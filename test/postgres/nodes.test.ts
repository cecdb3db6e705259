/**
 * Several nodes on one database, and wires that are cut at the worst moment.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, describe, expect, test } from 'vitest'
import { sharedPostgresUrl } from '../../scripts/postgres/shared-server.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { openPostgresStore, type PostgresOptions } from '../../src/store/postgres/postgres-store.ts'
import {
  approvalOf,
  changeOf,
  eventOf,
  outboxItemOf,
  startedAt,
} from '../../src/store/sample-records.contract.ts'
import { openWireTo, type Wire } from './wire.ts'

const url = await sharedPostgresUrl()
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const freshSchema = () => `t_${randomUUID().replaceAll('-', '')}`

async function open(options: Partial<PostgresOptions> & { schema: string }): Promise<Store> {
  const store = await openPostgresStore({ url, ...options })
  closers.push(store.close)
  return store
}

async function openTwo(): Promise<readonly [Store, Store]> {
  const schema = freshSchema()
  return Promise.all([open({ schema }), open({ schema })])
}

async function openWire(): Promise<Wire> {
  const wire = await openWireTo(url)
  closers.push(wire.close)
  return wire
}

async function until(isTrue: () => boolean, msMax: number): Promise<boolean> {
  for (let ms = 0; ms < msMax && !isTrue(); ms += 10) await sleep(10)
  return isTrue()
}

describe('two nodes on one database', () => {
  test('make the tables once when they start together', async () => {
    const schema = freshSchema()
    const stores = await Promise.all(Array.from({ length: 4 }, () => open({ schema })))
    await stores[0]!.commit(changeOf('r_1', 0))
    expect(await stores[3]!.readHead('r_1')).not.toBeNull()
  })

  test('let exactly one of two changes through, 200 times', async () => {
    const nodes = await openTwo()
    await nodes[0].commit(changeOf('r_1', 0))
    for (let seq = 1; seq <= 200; seq += 1) {
      const results = await Promise.all(
        nodes.map((node, index) =>
          node.commit(changeOf('r_1', seq, { events: [eventOf(seq + 1, { data: `"${index}"` })] })),
        ),
      )
      expect([...results].sort()).toEqual(['committed', 'conflict'])
      const kept = await nodes[0].readEvents('r_1', { after: seq, limit: 1 })
      expect(kept[0]?.data).toBe(`"${results.indexOf('committed')}"`)
    }
    expect((await nodes[1].readHead('r_1'))?.seq).toBe(201)
  })

  test('know a command that the other has answered, also at the same moment', async () => {
    const nodes = await openTwo()
    await nodes[0].commit(changeOf('r_1', 0))
    for (let seq = 1; seq <= 30; seq += 1) {
      const reply = { commandId: `c_${seq}`, text: '{}' }
      const change = changeOf('r_1', seq, { reply })
      const results = await Promise.all(nodes.map((node) => node.commit(change)))
      expect([...results].sort()).toEqual(['committed', 'repeated'])
      expect(await nodes[1].commit(change)).toBe('repeated')
      const silent = changeOf('r_1', seq + 1, {
        events: [],
        reply: { commandId: `silent_${seq}`, text: '{}' },
      })
      const again = await Promise.all(nodes.map((node) => node.commit(silent)))
      expect([...again].sort()).toEqual(['committed', 'repeated'])
    }
  })

  test('hear of each other within a second, and not of themselves', async () => {
    const [first, second] = await openTwo()
    const heard: string[] = []
    first.onChange((runId, seq) => heard.push(`first ${runId}:${seq}`))
    second.onChange((runId, seq) => heard.push(`second ${runId}:${seq}`))
    first.tellChange('r_\u0000"é\ud800', 7)
    first.tellChange('r_2', 1)
    first.tellChange('r_2', 2)
    for (let n = 0; n < 500; n += 1) first.tellChange(`many_${n}`, n)
    expect(await until(() => heard.length >= 502, 1_000)).toBe(true)
    expect(heard).toContain('second r_\u0000"é\ud800:7')
    expect(heard).toContain('second r_2:2')
    expect(heard.some((one) => one.startsWith('first'))).toBe(false)
  })

  test('rebuild a run that moved meanwhile only when they have seen it', async () => {
    const [first, second] = await openTwo()
    const old = changeOf('r_1', 0, { approvals: [approvalOf('a_1', 'r_1')] })
    await first.commit(old)
    await second.commit(changeOf('r_1', 1))
    await expect(first.replaceProjections(old.head, [], null)).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    })
    expect((await first.readHead('r_1'))?.seq).toBe(2)
    expect(await first.readApproval('a_1')).not.toBeNull()
  })
})

test('an item that is added to the outbox twice is a bug, not a conflict', async () => {
  const store = await open({ schema: freshSchema() })
  const outbox = [outboxItemOf('o_1', 'r_1')]
  expect(await store.commit(changeOf('r_1', 0, { outbox }))).toBe('committed')
  await expect(store.commit(changeOf('r_1', 1, { outbox }))).rejects.toMatchObject({
    code: 'INTERNAL',
  })
  expect((await store.readHead('r_1'))?.seq).toBe(1)
})

describe('texts that PostgreSQL refuses', () => {
  test('come back as they were, wherever they stand', async () => {
    const store = await open({ schema: freshSchema() })
    const text = 'a\u0000b\ud800c\udfff\ufdd00000\ufdd0 \\ " {} 👍'
    const change = changeOf(text, 0, {
      events: [eventOf(1, { data: text, member: text, actor: text, commandId: text })],
      head: { stage: text, workspace: text, definition: text },
      reply: { commandId: text, text },
      approvals: [approvalOf(text, text, { note: text, decidedBy: text, pending: text })],
      snapshot: { seq: 1, version: 1, state: text },
    })
    expect(await store.commit(change)).toBe('committed')
    expect(await store.loadRun(text)).toEqual({
      head: change.head,
      snapshot: change.snapshot,
      // The record that the snapshot was taken at, which binds it.
      tail: change.events,
    })
    expect(await store.readEvents(text, { after: 0, limit: 9 })).toEqual(change.events)
    expect(await store.findReply(text, text)).toBe(text)
    expect(await store.readApproval(text)).toEqual(change.approvals[0])
    const query = { statuses: null, workspace: text, definition: text, after: null, limit: 9 }
    expect((await store.listRuns(query)).items).toEqual([change.head])
  })
})

describe('a wire that is cut while a change is under way', () => {
  const isCommit = (message: Buffer) => message.includes('the-change')
  const theChange = (seq: number) =>
    changeOf('r_1', seq, { events: [eventOf(seq + 1, { data: '"the-change"' })] })

  test.each([0, 1])('is seen through when the change was kept (after %i)', async (seq) => {
    const wire = await openWire()
    const schema = freshSchema()
    const store = await open({ schema, url: wire.url })
    if (seq > 0) await store.commit(changeOf('r_1', 0))
    let cuts = 0
    wire.onMessage = (message) => {
      if (!isCommit(message) || cuts > 0) return 'pass'
      cuts += 1
      return 'deafen'
    }
    expect(await store.commit(theChange(seq))).toBe('committed')
    expect(cuts).toBe(1)
    expect((await store.loadRun('r_1'))?.tail).toHaveLength(seq + 1)
  })

  test.each([0, 1])('is a fault when nothing arrived (after %i)', async (seq) => {
    const wire = await openWire()
    const store = await open({ schema: freshSchema(), url: wire.url })
    if (seq > 0) await store.commit(changeOf('r_1', 0))
    wire.onMessage = (message) => (isCommit(message) ? 'lose' : 'pass')
    await expect(store.commit(theChange(seq))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    wire.onMessage = () => 'pass'
    expect((await store.readHead('r_1'))?.seq ?? 0).toBe(seq)
    expect(await store.commit(theChange(seq))).toBe('committed')
  })

  test.each([0, 1])(
    'is a fault for good: what arrives late is not kept (after %i)',
    async (seq) => {
      const wire = await openWire()
      const store = await open({ schema: freshSchema(), url: wire.url })
      if (seq > 0) await store.commit(changeOf('r_1', 0))
      wire.onMessage = (message) => (isCommit(message) ? 'delay' : 'pass')
      await expect(store.commit(theChange(seq))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      })
      wire.onMessage = () => 'pass'
      await wire.deliver()
      expect((await store.readHead('r_1'))?.seq ?? 0).toBe(seq)
      expect(await store.commit(theChange(seq))).toBe('committed')
    },
  )
})

describe('a server that cannot be used', () => {
  const openAt = (address: string, schema = 'pawl') =>
    openPostgresStore({ url: address, schema, timeoutMs: 1_000 })

  test('is a clear fault, fast, and never tells the password', async () => {
    const wrong = new URL(url)
    wrong.password = 'hunter2'
    const nobody = new URL(wrong)
    nobody.port = '1'
    const elsewhere = new URL(url)
    elsewhere.pathname = '/no_such_database'
    const begun = performance.now()
    for (const [address, words] of [
      [wrong, /rejects this user or password/],
      [nobody, /the connection was refused/],
      [elsewhere, /no such database/],
    ] as const) {
      const fault = await openAt(address.href).catch((error) => error)
      expect(fault).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(words),
      })
      expect(fault.hint).not.toBe('')
      expect(`${fault.message} ${fault.hint}`).not.toContain('hunter2')
    }
    expect(performance.now() - begun).toBeLessThan(30_000)
    await expect(openAt('nonsense')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(openAt(url, 'a; drop')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  test('of a newer version is left alone', async () => {
    const schema = freshSchema()
    await (await open({ schema })).commit(changeOf('r_1', 0))
    const sql = postgres(url, { max: 1 })
    await sql`INSERT INTO ${sql(schema)}.migrations VALUES (99, 0)`
    await sql.end()
    await expect(openAt(url, schema)).rejects.toMatchObject({ code: 'STORE_VERSION' })
  })

  test('that is read-only is told, and a change to it is a fault', async () => {
    const schema = freshSchema()
    await open({ schema })
    const address = new URL(url)
    address.searchParams.set('default_transaction_read_only', 'on')
    const store = await open({ schema, url: address.href })
    expect(await store.findTrouble()).toMatch(/read-only/)
    await expect(store.commit(changeOf('r_1', 0))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/read-only/),
    })
    expect(await store.readHead('r_1')).toBeNull()
  })

  test('that holds a lock too long is a fault, not a hang', async () => {
    const schema = freshSchema()
    const store = await open({ schema, timeoutMs: 300 })
    await store.commit(changeOf('r_1', 0))
    const sql = postgres(url, { max: 1 })
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM ${tx(schema)}.runs FOR UPDATE`
      const begun = performance.now()
      await expect(store.commit(changeOf('r_1', 1))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      })
      expect(performance.now() - begun).toBeLessThan(30_000)
    })
    await sql.end()
    expect(await store.commit(changeOf('r_1', 1))).toBe('committed')
  })

  test('that stays away leaves the outcome open, and says so', async () => {
    const wire = await openWire()
    const schema = freshSchema()
    const store = await open({ schema, url: wire.url, timeoutMs: 2_000 })
    const other = await open({ schema })
    wire.onMessage = (message) => (message.includes('the-change') ? 'deafen' : 'pass')
    const change = changeOf('r_1', 0, {
      events: [eventOf(1, { data: '"the-change"' })],
      reply: { commandId: 'c_1', text: '{}' },
    })
    const lost = store.commit(change)
    // The server has kept it; the wire is gone before it can be asked again.
    await expect.poll(async () => (await other.readSeqs(['r_1'])).size).toBe(1)
    await wire.close()
    await expect(lost).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.stringMatching(/same command id/),
    })
    expect(await other.commit(change)).toBe('repeated')
  })

  test('with too few connections makes the others wait, and nothing is lost', async () => {
    const store = await open({ schema: freshSchema(), poolMax: 1 })
    const ids = Array.from({ length: 50 }, (_, n) => `r_${n}`)
    await Promise.all(ids.map((id) => store.commit(changeOf(id, 0))))
    expect((await store.readSeqs(ids)).size).toBe(50)
    const due = await store.dueApprovals(startedAt, 9)
    expect(due).toEqual([])
  })
})
