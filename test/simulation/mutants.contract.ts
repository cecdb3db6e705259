/**
 * Bugs to be planted in a store, each of which breaks one promise: a simulation that does not find
 * them proves nothing.
 */
import type { RunChange, Store } from '../../src/runtime/ports.ts'

export type Mutant = {
  readonly name: string
  /** What the broken promise is told as. */
  readonly found: RegExp
  readonly plant: (store: Store) => Store
}

const changing = (change: (one: RunChange) => RunChange) => (store: Store) => ({
  ...store,
  commit: (one: RunChange) => store.commit(change(one)),
})

export const mutants: readonly Mutant[] = [
  {
    name: 'forgets a reply',
    found: /the record has null/,
    plant: changing((one) => (one.expectedSeq < 3 ? one : { ...one, reply: null })),
  },
  {
    name: 'loses an item of the outbox',
    found: /nobody was ever told/,
    plant: changing((one) => ({ ...one, outbox: one.outbox.slice(1) })),
  },
  {
    name: 'forgets that a question was decided',
    found: /is open long after its time is over/,
    plant: changing((one) => ({
      ...one,
      approvals: one.approvals.filter(({ status }) => status !== 'granted'),
    })),
  },
  {
    name: 'keeps a head that is not what the log tells',
    found: /heads .* not what their logs tell/,
    plant: changing((one) => ({ ...one, head: { ...one.head, callsCount: 0 } })),
  },
  {
    name: 'says that it kept what it did not keep',
    found: /was spoken of and is not there/,
    plant: (store) => ({
      ...store,
      commit: async (one) => (one.expectedSeq === 4 ? 'committed' : store.commit(one)),
    }),
  },
  {
    name: 'loses a record of the past',
    found: /the record 3 is missing/,
    plant: (store) => ({
      ...store,
      readEvents: async (runId, query) =>
        (await store.readEvents(runId, query)).filter(({ seq }) => seq !== 3 || query.after > 1),
    }),
  },
  {
    name: 'tells of runs as they were',
    found: /who waits for/,
    plant: (store) => ({
      ...store,
      readSeqs: async (runIds) => {
        const seqs = await store.readSeqs(runIds)
        return new Map([...seqs].map(([runId, seq]) => [runId, Math.min(seq, 5)]))
      },
    }),
  },
  {
    name: 'calls a conflict a success',
    found: /was told|is not there|was said of record|is damaged/,
    plant: (store) => ({
      ...store,
      commit: async (one) => {
        const committed = await store.commit(one)
        return committed === 'conflict' ? 'committed' : committed
      },
    }),
  },
]
