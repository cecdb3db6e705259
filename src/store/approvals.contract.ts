/**
 * Approvals and the outbox.
 */
import { describe, expect, test } from 'vitest'
import type { ApprovalQuery, ApprovalRow, OutboxItem } from '../runtime/ports.ts'
import { approvalOf, changeOf, outboxItemOf, startedAt } from './sample-records.contract.ts'
import { allPages, type Subject } from './store-under-test.contract.ts'

export function approvalsContract({ store }: Subject): void {
  const ask = async (runId: string, approvals: readonly ApprovalRow[]) => {
    const seq = (await store().readHead(runId))?.seq ?? 0
    expect(await store().commit(changeOf(runId, seq, { approvals }))).toBe('committed')
  }
  const list = async (query: Partial<ApprovalQuery>) =>
    (
      await store().listApprovals({
        status: null,
        runId: null,
        after: null,
        limit: 100,
        ...query,
      })
    ).items

  describe('an approval', () => {
    test('is kept as it was asked, then as it was decided', async () => {
      const asked = approvalOf('a_1', 'r_1', {
        member: 'r_1.2',
        kind: 'call',
        expiresAt: startedAt + 60_000,
      })
      await ask('r_1', [asked])
      expect(await store().readApproval('a_1')).toEqual(asked)
      const decided = {
        ...asked,
        status: 'refused',
        decidedAt: startedAt + 5,
        decidedBy: 'person:ada',
        note: 'not on a Friday',
      } as const
      await ask('r_1', [decided])
      expect(await store().readApproval('a_1')).toEqual(decided)
      expect(await list({})).toEqual([decided])
      expect(await store().readApproval('a_none')).toBeNull()
    })

    test('is listed with the oldest question first, by status and by run', async () => {
      const late = approvalOf('a_1', 'r_1', { requestedAt: startedAt + 9 })
      const early = approvalOf('a_2', 'r_2', { requestedAt: startedAt + 1 })
      const granted = approvalOf('a_3', 'r_1', {
        requestedAt: startedAt + 5,
        status: 'granted',
      })
      await ask('r_1', [late, granted])
      await ask('r_2', [early])
      expect(await list({})).toEqual([early, granted, late])
      expect(await list({ status: 'pending' })).toEqual([early, late])
      expect(await list({ runId: 'r_1' })).toEqual([granted, late])
      expect(await list({ runId: 'r_1', status: 'granted' })).toEqual([granted])
      expect(await list({ runId: 'r_3' })).toEqual([])
      expect(await list({ status: 'expired' })).toEqual([])
    })

    test('comes in pages that lose and repeat nothing, also among equal times', async () => {
      const rows = Array.from({ length: 11 }, (_, n) =>
        approvalOf(`a_${n}`, 'r_1', { requestedAt: startedAt + Math.floor(n / 8) }),
      )
      await ask('r_1', rows)
      const pages = await allPages(
        (query) => store().listApprovals({ status: 'pending', runId: null, ...query }),
        3,
      )
      expect(pages.map((page) => page.length)).toEqual([3, 3, 3, 2])
      const ids = pages.flat().map((row) => row.id)
      expect([...ids].sort()).toEqual(rows.map((row) => row.id).sort())
      await expect(list({ after: 'x' })).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
    })

    test('is due when its time is over and nobody has decided', async () => {
      await ask('r_1', [
        approvalOf('a_never', 'r_1'),
        approvalOf('a_late', 'r_1', { expiresAt: startedAt + 101 }),
        approvalOf('a_now', 'r_1', { expiresAt: startedAt + 100 }),
        approvalOf('a_first', 'r_1', { expiresAt: startedAt + 50 }),
        approvalOf('a_done', 'r_1', { expiresAt: startedAt + 40, status: 'granted' }),
      ])
      const due = async (at: number, limit: number) =>
        (await store().dueApprovals(startedAt + at, limit)).map((row) => row.id)
      expect(await due(49, 9)).toEqual([])
      expect(await due(100, 9)).toEqual(['a_first', 'a_now'])
      expect(await due(100, 1)).toEqual(['a_first'])
      expect(await due(1_000_000, 9)).toEqual(['a_first', 'a_now', 'a_late'])
    })
  })

  describe('the outbox', () => {
    const putOutbox = async (outbox: readonly OutboxItem[]) =>
      expect(await store().commit(changeOf('r_1', 0, { outbox }))).toBe('committed')
    const take = async (at: number, limit = 9) =>
      store().takeOutbox({ at: startedAt + at, leaseMs: 100, limit })
    const ids = (outbox: readonly OutboxItem[]) => outbox.map((one) => one.id).sort()

    test('is taken when it is due, and by nobody else while it is leased', async () => {
      await putOutbox([
        outboxItemOf('o_1', 'r_1', { kind: 'webhook', data: '{"url":"x"}' }),
        outboxItemOf('o_2', 'r_1', { dueAt: startedAt + 50 }),
      ])
      const [first, ...others] = await take(10)
      expect(others).toEqual([])
      expect(first).toEqual({
        id: 'o_1',
        runId: 'r_1',
        kind: 'webhook',
        data: '{"url":"x"}',
        // What is got is as it stands now: leased, and counted.
        dueAt: startedAt + 110,
        attempts: 1,
      })
      expect(await take(20)).toEqual([])
      expect(ids(await take(50))).toEqual(['o_2'])
      expect(await take(109)).toEqual([])
    })

    test('is given again when the lease is over, and every taking is counted', async () => {
      await putOutbox([outboxItemOf('o_1', 'r_1')])
      expect((await take(0)).map((one) => one.attempts)).toEqual([1])
      expect((await take(100)).map((one) => one.attempts)).toEqual([2])
      expect((await take(200)).map((one) => one.attempts)).toEqual([3])
    })

    test('is gone when it is settled', async () => {
      await putOutbox([outboxItemOf('o_1', 'r_1'), outboxItemOf('o_2', 'r_1')])
      await take(0)
      await store().settleOutboxItem('o_1')
      await store().settleOutboxItem('o_none')
      expect(ids(await take(1_000))).toEqual(['o_2'])
    })

    test('waits until the time that it is delayed to', async () => {
      await putOutbox([outboxItemOf('o_1', 'r_1')])
      await take(0)
      await store().delayOutboxItem('o_1', startedAt + 30)
      await store().delayOutboxItem('o_none', startedAt)
      expect(await take(29)).toEqual([])
      expect(await take(30)).toMatchObject([{ id: 'o_1', attempts: 2 }])
    })

    test('is taken in portions, the longest due first', async () => {
      await putOutbox(
        ['o_c', 'o_a', 'o_d', 'o_b'].map((id, n) =>
          outboxItemOf(id, 'r_1', { dueAt: startedAt - n }),
        ),
      )
      expect(ids(await take(0, 2))).toEqual(['o_b', 'o_d'])
      expect(ids(await take(0, 2))).toEqual(['o_a', 'o_c'])
      expect(await take(0, 2)).toEqual([])
    })

    test('goes to one taker only when many ask at once', async () => {
      await putOutbox(Array.from({ length: 20 }, (_, n) => outboxItemOf(`o_${n}`, 'r_1')))
      const taken = await Promise.all(Array.from({ length: 8 }, () => take(0, 5)))
      const all = ids(taken.flat())
      expect(new Set(all).size).toBe(all.length)
      const rest = await take(0, 100)
      expect(new Set([...all, ...ids(rest)]).size).toBe(20)
    })
  })
}
