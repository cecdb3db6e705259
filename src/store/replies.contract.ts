/**
 * A command is answered once: whatever came between, the same id is known again in its run.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Committed, RunChange } from '../runtime/ports.ts'
import { changeOf, eventOf, replyOf } from './sample-records.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

/** A command as the runtime keeps it: its records carry its id, and it may have none. */
function commandOf(runId: string, expectedSeq: number, { id = 'c', count = 1 }): RunChange {
  const events = Array.from({ length: count }, (_, index) =>
    eventOf(expectedSeq + index + 1, { member: runId, commandId: id }),
  )
  return changeOf(runId, expectedSeq, { events, reply: replyOf(id, `{"of":"${id}"}`) })
}

type Step = {
  readonly run: string
  readonly id: string
  readonly count: number
  readonly isLate: boolean
  readonly isReopened: boolean
}

const stepArb: fc.Arbitrary<Step> = fc.record({
  run: fc.constantFrom('r_1', 'r_2'),
  id: fc.nat(12).map((n) => `c_${n}`),
  count: fc.constantFrom(1, 1, 1, 2, 0),
  isLate: fc.nat(4).map((n) => n === 0),
  isReopened: fc.nat(9).map((n) => n === 0),
})

/** What a store has to say, by what it was told before. */
function openModel() {
  const seqs = new Map<string, number>()
  const answered = new Set<string>()
  return (change: RunChange): Committed => {
    const { runId, expectedSeq, events, reply } = change
    const key = `${runId} ${reply?.commandId}`
    if (answered.has(key)) return 'repeated'
    if ((seqs.get(runId) ?? 0) !== expectedSeq) return 'conflict'
    answered.add(key)
    seqs.set(runId, expectedSeq + events.length)
    return 'committed'
  }
}

const runsMax = 12

export function repliesContract({ store, reopen }: Subject): void {
  describe('a command', () => {
    test('is known again after hundreds of others, also by a store opened anew', async () => {
      const count = 800
      for (let n = 0; n < count; n += 1) {
        expect(await store().commit(commandOf('r_1', n, { id: `c_${n}` }))).toBe('committed')
      }
      for (const open of [async () => store(), reopen]) {
        const opened = await open()
        for (const n of [0, 1, 255, 256, 257, 258, 513, 514, 771, 798, 799]) {
          const again = commandOf('r_1', count, { id: `c_${n}` })
          expect(await opened.commit(again)).toBe('repeated')
          expect(await opened.findReply('r_1', `c_${n}`)).toBe(`{"of":"c_${n}"}`)
        }
        expect(await opened.findReply('r_1', 'c_800')).toBeNull()
      }
      expect(await store().commit(commandOf('r_1', count, { id: 'c_800' }))).toBe('committed')
      expect(await store().commit(commandOf('r_1', count + 1, { id: 'c_800' }))).toBe('repeated')
    })

    test('is answered once, in whatever order commands come', async () => {
      let round = 0
      await fc.assert(
        fc.asyncProperty(fc.array(stepArb, { maxLength: 30 }), async (steps) => {
          round += 1
          const expected = openModel()
          const seqs = new Map<string, number>()
          for (const { run, id, count, isLate, isReopened } of steps) {
            const runId = `${run}_${round}`
            const seq = seqs.get(runId) ?? 0
            // A run begins with a record.
            const [from, most] = isLate && seq > 1 ? [seq - 1, count] : [seq, seq === 0 ? 1 : count]
            const change = commandOf(runId, from, { id, count: most })
            const wanted = expected(change)
            if (isReopened) await reopen()
            expect(await store().commit(change)).toBe(wanted)
            if (wanted === 'committed') seqs.set(runId, seq + change.events.length)
            const text = await store().findReply(runId, id)
            expect(text === null).toBe(wanted === 'conflict')
          }
        }),
        { numRuns: runsMax, seed: 20_261_116 },
      )
    })

    test('that comes twice at once is answered once', async () => {
      await store().commit(commandOf('r_1', 0, { id: 'c_0' }))
      const pairs = [
        [1, 1],
        [0, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ] as const
      for (const [at, pair] of pairs.entries()) {
        const seq = (await store().readHead('r_1'))?.seq ?? 0
        const twice = pair.map((count) =>
          store().commit(commandOf('r_1', seq, { id: `twice_${at}`, count })),
        )
        expect((await Promise.all(twice)).sort(), `${pair}`).toEqual(['committed', 'repeated'])
      }
    })
  })
}
