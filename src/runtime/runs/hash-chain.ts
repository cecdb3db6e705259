/**
 * The hash chain of a log: each record's hash covers the one before it, so that no record can be
 * changed, removed or inserted without breaking every later hash.
 * What it cannot prove: a writer who can change the store can recompute the whole chain, or cut
 * off its end. A copy of the last hash kept elsewhere proves that.
 */
import { hash } from 'node:crypto'
import type { EventRecord } from '../ports.ts'
import type { Anchor, Verified } from '../runtime.ts'

/** What the first record follows. */
export const chainStart = ''

type Unhashed = Omit<EventRecord, 'hash'>

/** A record with its place in the chain. */
export function chained(runId: string, before: string, record: Unhashed): EventRecord {
  return { ...record, hash: hashOf(runId, before, record) }
}

function hashOf(runId: string, before: string, record: Unhashed): string {
  const { seq, member, type, at, actor, commandId, binds, data } = record
  // WHY a list as JSON: two records never become the same text, whatever their fields hold.
  // WHY two lengths: records of older versions bind nothing, and keep the hash they were given.
  const fields =
    binds === null
      ? JSON.stringify([before, runId, seq, member, type, at, actor, commandId])
      : JSON.stringify([before, runId, seq, member, type, at, actor, commandId, binds])
  return hash('sha256', `${fields}\n${data}`, 'hex')
}

/** Verifies a log piece by piece. */
type ChainCheck = {
  /** The first record that does not fit; null: all do so far. */
  readonly add: (records: readonly EventRecord[]) => Verified | null
  /** What the whole is, once all of it was added. */
  readonly end: (head: Anchor | null) => Verified
}

export function openChainCheck(runId: string, anchor: Anchor | null = null): ChainCheck {
  let count = 0
  let before = chainStart
  const bad = (seq: number, problem: string): Verified => ({ ok: false, runId, seq, problem })
  const check = (record: EventRecord): Verified | null => {
    const { seq } = record
    if (seq !== count + 1) {
      const what = seq > count + 1 ? `${count + 1} is missing` : `${seq} appears twice`
      return bad(seq > count + 1 ? count + 1 : seq, `the record ${what}`)
    }
    if (record.hash !== hashOf(runId, before, record)) {
      return bad(seq, 'its content does not match its hash, or the record before it was changed')
    }
    if (anchor?.seq === seq && anchor.hash !== record.hash) {
      return bad(seq, 'the log had a different record here when it was anchored')
    }
    count = seq
    before = record.hash
    return null
  }
  return {
    add: (records) => {
      for (const record of records) {
        const problem = check(record)
        if (problem !== null) return problem
      }
      return null
    },
    end: (head) => {
      if (anchor !== null && anchor.seq > count) {
        return bad(count + 1, `the log had ${anchor.seq} records when it was anchored`)
      }
      if (head !== null && (head.seq !== count || head.hash !== before)) {
        return bad(
          count + 1,
          `the head of the run names record ${head.seq}, but the log ends at ${count}`,
        )
      }
      return { ok: true, runId, count, hash: before }
    },
  }
}
