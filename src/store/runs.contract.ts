/**
 * How a run moves: commits, conflicts, repetitions, and what is loaded afterwards.
 */
import { describe, expect, test } from 'vitest'
import type { Committed } from '../runtime/ports.ts'
import {
  approvalOf,
  changeOf,
  eventOf,
  outboxItemOf,
  replyOf,
  startedAt,
} from './sample-records.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

function count(results: readonly Committed[]): Record<Committed, number> {
  const counts = { committed: 0, conflict: 0, repeated: 0 }
  for (const result of results) counts[result] += 1
  return counts
}

export function runsContract({ store, reopen }: Subject): void {
  describe('a commit', () => {
    test('begins a run that was not there', async () => {
      const change = changeOf('r_1', 0, { count: 2, head: { workspace: null } })
      expect(await store().commit(change)).toBe('committed')
      expect(await store().readHead('r_1')).toEqual(change.head)
      expect(await store().loadRun('r_1')).toEqual({
        head: change.head,
        snapshot: null,
        tail: change.events,
      })
    })

    test('appends to a run and moves its head', async () => {
      const first = changeOf('r_1', 0, { count: 2 })
      const second = changeOf('r_1', 2, {
        events: [eventOf(3, { member: 'r_1.2', type: 'run.completed' }), eventOf(4)],
        head: { status: 'completed', stage: 'done', endedAt: startedAt + 9, hash: 'last' },
      })
      expect(await store().commit(first)).toBe('committed')
      expect(await store().commit(second)).toBe('committed')
      const loaded = await store().loadRun('r_1')
      expect(loaded?.head).toEqual(second.head)
      expect(loaded?.tail).toEqual([...first.events, ...second.events])
      expect(loaded?.tail.map((event) => event.seq)).toEqual([1, 2, 3, 4])
    })

    test('is refused as a conflict when the log has moved on, or is not there', async () => {
      await store().commit(changeOf('r_1', 0, { count: 2 }))
      expect(await store().commit(changeOf('r_1', 0))).toBe('conflict')
      expect(await store().commit(changeOf('r_1', 1))).toBe('conflict')
      expect(await store().commit(changeOf('r_1', 3))).toBe('conflict')
      expect(await store().commit(changeOf('r_2', 1))).toBe('conflict')
      expect(await store().readHead('r_2')).toBeNull()
    })

    test('keeps nothing at all when it is a conflict', async () => {
      const first = changeOf('r_1', 0, { count: 2 })
      await store().commit(first)
      const refused = changeOf('r_1', 1, {
        reply: replyOf('late'),
        approvals: [approvalOf('a_1', 'r_1')],
        outbox: [outboxItemOf('o_1', 'r_1')],
        snapshot: { seq: 2, version: 1, state: '{}' },
        head: { status: 'failed' },
      })
      expect(await store().commit(refused)).toBe('conflict')
      expect(await store().loadRun('r_1')).toEqual({
        head: first.head,
        snapshot: null,
        tail: first.events,
      })
      expect(await store().findReply('r_1', 'late')).toBeNull()
      expect(await store().readApproval('a_1')).toBeNull()
      const due = await store().takeOutbox({ at: startedAt, leaseMs: 1, limit: 9 })
      expect(due).toEqual([])
      expect(await store().commit({ ...refused, ...changeOf('r_1', 2) })).toBe('committed')
    })

    test('is known again by its command, before its number is looked at', async () => {
      const change = changeOf('r_1', 0, { reply: replyOf('c_1', '{"kind":"first"}') })
      expect(await store().commit(change)).toBe('committed')
      expect(await store().commit(change)).toBe('repeated')
      const again = changeOf('r_1', 1, { reply: replyOf('c_1', '{"kind":"second"}') })
      expect(await store().commit(again)).toBe('repeated')
      expect(await store().findReply('r_1', 'c_1')).toBe('{"kind":"first"}')
      expect((await store().loadRun('r_1'))?.head).toEqual(change.head)
    })

    test('knows a command by its run: another run may use the same id', async () => {
      const reply = replyOf('c_1')
      expect(await store().commit(changeOf('r_1', 0, { reply }))).toBe('committed')
      expect(await store().commit(changeOf('r_2', 0, { reply }))).toBe('committed')
      expect(await store().findReply('r_1', 'c_2')).toBeNull()
      expect(await store().findReply('r_3', 'c_1')).toBeNull()
    })

    test('may keep a reply without any record', async () => {
      await store().commit(changeOf('r_1', 0))
      const change = changeOf('r_1', 1, { events: [], reply: replyOf('c_2') })
      expect(await store().commit(change)).toBe('committed')
      expect(await store().commit(change)).toBe('repeated')
      expect((await store().readHead('r_1'))?.seq).toBe(1)
    })

    test('with a gap is a bug, and nothing of it is kept', async () => {
      await store().commit(changeOf('r_1', 0))
      const gap = changeOf('r_1', 1, { events: [eventOf(3)], reply: replyOf('gap') })
      await expect(store().commit(gap)).rejects.toThrow()
      const wrongHead = { ...changeOf('r_1', 1), head: changeOf('r_1', 5).head }
      await expect(store().commit(wrongHead)).rejects.toThrow()
      const foreign = { ...changeOf('r_1', 1), head: changeOf('r_2', 1).head }
      await expect(store().commit(foreign)).rejects.toThrow()
      expect((await store().loadRun('r_1'))?.tail).toHaveLength(1)
      expect(await store().findReply('r_1', 'gap')).toBeNull()
    })

    test('is not touched by what happens to the objects that were given or got', async () => {
      const change = changeOf('r_1', 0, { approvals: [approvalOf('a_1', 'r_1')] })
      const wanted = structuredClone(change)
      await store().commit(change)
      Object.assign(change.head, { status: 'changed' })
      Object.assign(change.events[0]!, { data: 'changed' })
      Object.assign(change.approvals[0]!, { status: 'granted' })
      const loaded = await store().loadRun('r_1')
      expect(loaded?.head).toEqual(wanted.head)
      Object.assign(loaded!.head, { status: 'changed' })
      Object.assign(loaded!.tail[0]!, { data: 'changed' })
      expect((await store().loadRun('r_1'))?.head).toEqual(wanted.head)
      expect((await store().loadRun('r_1'))?.tail).toEqual(wanted.events)
      expect(await store().readApproval('a_1')).toEqual(wanted.approvals[0])
    })

    test('keeps large numbers as they are', async () => {
      const change = changeOf('r_1', 0, {
        events: [eventOf(1, { at: 253_402_300_799_999 })],
        head: { costMicroUsd: Number.MAX_SAFE_INTEGER, callsCount: 3_000_000_000 },
      })
      await store().commit(change)
      expect(await store().loadRun('r_1')).toMatchObject({
        head: change.head,
        tail: change.events,
      })
    })
  })

  describe('commits at the same time', () => {
    test('to one log with the same number let exactly one through', async () => {
      await store().commit(changeOf('r_1', 0))
      const race = Array.from({ length: 50 }, (_, n) =>
        store().commit(
          changeOf('r_1', 1, {
            events: [eventOf(2, { data: `{"n":${n}}` })],
            reply: replyOf(`race-${n}`),
          }),
        ),
      )
      const results = await Promise.all(race)
      expect(count(results)).toEqual({ committed: 1, conflict: 49, repeated: 0 })
      const winner = results.indexOf('committed')
      expect((await store().loadRun('r_1'))?.tail.at(-1)?.data).toBe(`{"n":${winner}}`)
      expect(await store().findReply('r_1', `race-${winner}`)).not.toBeNull()
      expect(await store().findReply('r_1', `race-${(winner + 1) % 50}`)).toBeNull()
    })

    test('that begin one run let exactly one through', async () => {
      const race = Array.from({ length: 50 }, () => store().commit(changeOf('r_1', 0)))
      expect(count(await Promise.all(race))).toEqual({ committed: 1, conflict: 49, repeated: 0 })
      expect((await store().loadRun('r_1'))?.tail).toHaveLength(1)
    })

    test('under one command id happen once', async () => {
      const reply = replyOf('c_1')
      const race = Array.from({ length: 50 }, () => store().commit(changeOf('r_1', 0, { reply })))
      expect(count(await Promise.all(race))).toEqual({ committed: 1, conflict: 0, repeated: 49 })
    })

    test('to different runs all land', async () => {
      const ids = Array.from({ length: 200 }, (_, n) => `r_${n}`)
      const results = await Promise.all(
        ids.map((id) => store().commit(changeOf(id, 0, { reply: replyOf('c_1') }))),
      )
      expect(count(results)).toEqual({ committed: 200, conflict: 0, repeated: 0 })
      const seqs = await store().readSeqs(ids)
      expect([...seqs.values()].every((seq) => seq === 1)).toBe(true)
      expect(seqs.size).toBe(200)
    })

    test('spoil nothing for each other when one of them is broken', async () => {
      const good = (id: string) => store().commit(changeOf(id, 0))
      const bad = store().commit(changeOf('r_bad', 0, { events: [eventOf(7)] }))
      const results = await Promise.allSettled([good('r_1'), bad, good('r_2')])
      expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await store().readHead('r_bad')).toBeNull()
      expect((await store().readSeqs(['r_1', 'r_2'])).size).toBe(2)
    })
  })

  describe('a run that is loaded', () => {
    test('is null when nobody knows it', async () => {
      expect(await store().loadRun('r_none')).toBeNull()
      expect(await store().readHead('r_none')).toBeNull()
      expect(await store().readEvents('r_none', { after: 0, limit: 9 })).toEqual([])
    })

    test('begins at the record of its snapshot and carries what came after it', async () => {
      const snapshot = { seq: 3, version: 7, state: '{"stage":"s3"}' }
      await store().commit(changeOf('r_1', 0, { count: 2 }))
      await store().commit(changeOf('r_1', 2, { snapshot }))
      expect(await store().loadRun('r_1')).toMatchObject({ snapshot, tail: [{ seq: 3 }] })
      await store().commit(changeOf('r_1', 3, { count: 2 }))
      const loaded = await store().loadRun('r_1')
      expect(loaded?.snapshot).toEqual(snapshot)
      expect(loaded?.tail.map((event) => event.seq)).toEqual([3, 4, 5])
    })

    test('has the latest snapshot only', async () => {
      await store().commit(changeOf('r_1', 0, { snapshot: { seq: 1, version: 1, state: '1' } }))
      await store().commit(changeOf('r_1', 1, { snapshot: { seq: 2, version: 2, state: '2' } }))
      const loaded = await store().loadRun('r_1')
      expect(loaded?.snapshot).toEqual({ seq: 2, version: 2, state: '2' })
      expect(loaded?.tail.map((event) => event.seq)).toEqual([2])
    })

    test('has its own records and no others, whatever their ids look like', async () => {
      for (const id of ['r_1', 'r_10', 'r_', 'R_1', 'r_1 ', "r_'1", 'r_%']) {
        expect(await store().commit(changeOf(id, 0, { count: 2 }))).toBe('committed')
      }
      expect((await store().loadRun('r_1'))?.tail).toHaveLength(2)
      expect((await store().readHead('R_1'))?.id).toBe('R_1')
      expect((await store().readHead('r_1 '))?.id).toBe('r_1 ')
    })
  })

  describe('looking at logs', () => {
    test('tells how far they are and leaves out the unknown', async () => {
      await store().commit(changeOf('r_1', 0, { count: 3 }))
      await store().commit(changeOf('r_2', 0))
      const seqs = await store().readSeqs(['r_2', 'r_none', 'r_1', 'r_1'])
      expect([...seqs].sort()).toEqual([
        ['r_1', 3],
        ['r_2', 1],
      ])
      expect((await store().readSeqs([])).size).toBe(0)
    })

    test('tells of many thousand logs at once', async () => {
      await store().commit(changeOf('r_1', 0))
      const ids = Array.from({ length: 40_000 }, (_, n) => `r_${n}`)
      expect([...(await store().readSeqs(ids))]).toEqual([['r_1', 1]])
    })

    test('reads records after a number, in order, as many as are asked for', async () => {
      const change = changeOf('r_1', 0, { count: 7 })
      await store().commit(change)
      const read = (after: number, limit: number) => store().readEvents('r_1', { after, limit })
      expect(await read(0, 3)).toEqual(change.events.slice(0, 3))
      expect(await read(3, 3)).toEqual(change.events.slice(3, 6))
      expect(await read(6, 3)).toEqual(change.events.slice(6))
      expect(await read(7, 3)).toEqual([])
      expect(await read(0, 100)).toEqual(change.events)
    })

    test('reads records before a snapshot too', async () => {
      await store().commit(
        changeOf('r_1', 0, { count: 3, snapshot: { seq: 3, version: 1, state: '{}' } }),
      )
      expect(await store().readEvents('r_1', { after: 0, limit: 9 })).toHaveLength(3)
    })
  })

  test('everything is there when it is opened again', async () => {
    const change = changeOf('r_1', 0, {
      count: 3,
      reply: replyOf('c_1'),
      approvals: [approvalOf('a_1', 'r_1')],
      outbox: [outboxItemOf('o_1', 'r_1')],
      snapshot: { seq: 2, version: 1, state: '{"a":1}' },
    })
    await store().commit(change)
    const again = await reopen()
    expect(await again.loadRun('r_1')).toEqual({
      head: change.head,
      snapshot: change.snapshot,
      tail: change.events.slice(1),
    })
    expect(await again.findReply('r_1', 'c_1')).toBe(change.reply?.text)
    expect(await again.readApproval('a_1')).toEqual(change.approvals[0])
    const due = await again.takeOutbox({ at: startedAt, leaseMs: 1, limit: 9 })
    expect(due.map((one) => one.id)).toEqual(['o_1'])
    expect(await again.commit(change)).toBe('repeated')
    expect(await again.commit(changeOf('r_1', 3))).toBe('committed')
  })
}
