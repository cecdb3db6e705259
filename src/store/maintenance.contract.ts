/** Maintenance of a store: rebuilding, copying runs, deleting old ones, health. */
import { describe, expect, test } from 'vitest'
import type { RunCopy } from '../runtime/ports.ts'
import {
  approvalOf,
  changeOf,
  headOf,
  machineOf,
  outboxItemOf,
  startedAt,
} from './sample-records.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

const everyRun = { statuses: null, workspace: null, definition: null, after: null, limit: 100 }

export function careContract({ store, reopen }: Subject): void {
  describe('projections that are replaced', () => {
    test('take the place of all that was there, and no record is touched', async () => {
      const change = changeOf('r_1', 0, {
        count: 3,
        approvals: [approvalOf('a_1', 'r_1'), approvalOf('a_2', 'r_1')],
        snapshot: { seq: 2, version: 1, state: 'old' },
      })
      await store().commit(change)
      await store().commit(changeOf('r_2', 0, { approvals: [approvalOf('a_3', 'r_2')] }))
      const head = headOf('r_1', 3, {
        status: 'waiting',
        machine: 'other',
        definition: 'other',
        workspace: null,
        updatedAt: startedAt + 77,
      })
      const approval = approvalOf('a_2', 'r_1', { status: 'granted', note: 'rebuilt' })
      await store().replaceProjections(head, [approval], { seq: 1, version: 2, state: 'new' })
      expect(await store().loadRun('r_1')).toEqual({
        head,
        snapshot: { seq: 1, version: 2, state: 'new' },
        tail: change.events,
      })
      expect(await store().readApproval('a_1')).toBeNull()
      expect(await store().readApproval('a_2')).toEqual(approval)
      expect(await store().readApproval('a_3')).not.toBeNull()
      await store().replaceProjections(head, [], null)
      expect(await store().loadRun('r_1')).toEqual({ head, snapshot: null, tail: change.events })
      expect(await store().commit(changeOf('r_1', 3))).toBe('committed')
    })
  })

  describe('a run that is imported', () => {
    const copy: RunCopy = {
      head: headOf('r_1', 3, { status: 'completed', endedAt: startedAt + 3 }),
      events: changeOf('r_1', 0, { count: 3 }).events,
      approvals: [approvalOf('a_1', 'r_1', { status: 'granted' })],
      machines: [machineOf('m_1')],
    }

    test('is there as if it had happened here', async () => {
      expect(await store().importRun(copy)).toBe('imported')
      const again = await reopen()
      expect(await again.loadRun('r_1')).toEqual({
        head: copy.head,
        snapshot: null,
        tail: copy.events,
      })
      expect(await again.readApproval('a_1')).toEqual(copy.approvals[0])
      expect(await again.readMachine('m_1')).toEqual(machineOf('m_1'))
      expect(await again.commit(changeOf('r_1', 3))).toBe('committed')
    })

    test('changes nothing when there is a run of that id', async () => {
      const change = changeOf('r_1', 0)
      await store().commit(change)
      expect(await store().importRun(copy)).toBe('exists')
      expect((await store().loadRun('r_1'))?.tail).toEqual(change.events)
      expect(await store().readApproval('a_1')).toBeNull()
      expect(await store().readMachine('m_1')).toBeNull()
    })

    test('is imported once when many try', async () => {
      const results = await Promise.all(Array.from({ length: 5 }, () => store().importRun(copy)))
      expect(results.filter((result) => result === 'imported')).toHaveLength(1)
    })
  })

  describe('old runs', () => {
    const end = async (id: string, endedAt: number | null, data = '{}') => {
      const { events } = changeOf(id, 0)
      const text = events.map((event) => ({ ...event, data }))
      await store().commit(changeOf(id, 0, { events: text, head: { endedAt } }))
    }

    test('are listed by their end, with the bytes of their logs', async () => {
      await end('r_open', null)
      await end('r_2', startedAt + 2, `"${'é'.repeat(500)}"`)
      await end('r_1', startedAt + 1)
      await end('r_3', startedAt + 3)
      const endedBefore = (at: number, limit: number) =>
        store().listEnded({ before: startedAt + at, limit })
      expect((await endedBefore(100, 9)).map((run) => run.id)).toEqual(['r_1', 'r_2', 'r_3'])
      expect((await endedBefore(100, 2)).map((run) => run.id)).toEqual(['r_1', 'r_2'])
      expect((await endedBefore(3, 9)).map((run) => run.id)).toEqual(['r_1', 'r_2'])
      expect(await endedBefore(1, 9)).toEqual([])
      const [small, large] = await endedBefore(3, 9)
      expect(small).toMatchObject({ endedAt: startedAt + 1 })
      expect(small!.bytes).toBeGreaterThanOrEqual(2)
      expect(large!.bytes - small!.bytes).toBeGreaterThanOrEqual(1_000)
    })

    test('have bytes that grow with their logs, also after a rebuild', async () => {
      const data = `"${'x'.repeat(1_000)}"`
      const { events } = changeOf('r_1', 0, { count: 2 })
      const texts = events.map((event) => ({ ...event, data }))
      await store().commit(changeOf('r_1', 0, { events: [texts[0]!] }))
      const ended = { endedAt: startedAt }
      const last = changeOf('r_1', 1, { events: [texts[1]!], head: ended })
      await store().commit(last)
      const bytes = async () =>
        (await store().listEnded({ before: startedAt + 1, limit: 1 }))[0]?.bytes
      expect(await bytes()).toBeGreaterThanOrEqual(2_000)
      await store().replaceProjections(last.head, [], null)
      expect(await bytes()).toBeGreaterThanOrEqual(2_000)
    })

    test('are removed with everything that is kept of them, and no others', async () => {
      const full = (id: string) =>
        changeOf(id, 0, {
          count: 2,
          reply: { commandId: 'c_1', text: '{}' },
          approvals: [approvalOf(`a_${id}`, id)],
          outbox: [outboxItemOf(`o_${id}`, id)],
          snapshot: { seq: 1, version: 1, state: '{}' },
        })
      for (const id of ['r_1', 'r_2', 'r_3']) await store().commit(full(id))
      await store().removeRuns(['r_1', 'r_none', 'r_3'])
      await store().removeRuns([])
      for (const id of ['r_1', 'r_3']) {
        expect(await store().loadRun(id)).toBeNull()
        expect(await store().readEvents(id, { after: 0, limit: 9 })).toEqual([])
        expect(await store().findReply(id, 'c_1')).toBeNull()
        expect(await store().readApproval(`a_${id}`)).toBeNull()
      }
      expect((await store().listRuns(everyRun)).items.map((head) => head.id)).toEqual(['r_2'])
      expect((await store().listRunIds({ after: null, limit: 9 })).items).toEqual(['r_2'])
      const outbox = await store().takeOutbox({ at: startedAt, leaseMs: 1, limit: 9 })
      expect(outbox.map((one) => one.id)).toEqual(['o_r_2'])
      expect(await store().loadRun('r_2')).toMatchObject({ snapshot: { seq: 1 } })
      expect(await store().commit(full('r_1'))).toBe('committed')
      expect((await store().loadRun('r_1'))?.snapshot).toEqual(full('r_1').snapshot)
    })

    test('give back the bytes that they took', async () => {
      const empty = await store().countBytes()
      const bytes = 1_000_000
      await end('r_1', startedAt, `"${'x'.repeat(bytes)}"`)
      const full = await store().countBytes()
      // A store may count in pages.
      expect(full - empty).toBeGreaterThanOrEqual(bytes * 0.9)
      await store().removeRuns(['r_1'])
      expect(full - (await store().countBytes())).toBeGreaterThanOrEqual(bytes / 2)
    })
  })

  describe('a store', () => {
    test('has nothing to complain about', async () => {
      expect(await store().findTrouble()).toBeNull()
      expect(await store().findTrouble()).toBeNull()
    })

    test('takes hints and listeners that come and go', async () => {
      const heard: string[] = []
      const stop = store().onChange((runId) => heard.push(runId))
      store().tellChange('r_1', 1)
      stop()
      stop()
      store().tellChange('r_2', 1)
      await store().findTrouble()
      expect(heard).not.toContain('r_2')
    })

    test('that is closed has kept what was promised, and takes nothing more', async () => {
      const promised = store().commit(changeOf('r_1', 0))
      const closed = store()
      const again = await reopen()
      expect(await promised).toBe('committed')
      expect(await again.readHead('r_1')).not.toBeNull()
      if (closed === again) return
      await expect(closed.commit(changeOf('r_2', 0))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      })
      await expect(closed.readHead('r_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(await closed.findTrouble()).not.toBeNull()
      await closed.close()
    })
  })
}
