import { expect, test } from 'vitest'
import type { EventRecord } from '../ports.ts'
import { chained, chainStart, openChainCheck } from './hash-chain.ts'

function logOf(count: number): EventRecord[] {
  const records: EventRecord[] = []
  for (let seq = 1; seq <= count; seq += 1) {
    const record = { seq, member: 'r1', type: 'text.said', data: `{"n":${seq}}`, at: seq }
    const by = {
      actor: 'agent:a',
      commandId: `c${seq}`,
      binds: seq % 2 ? null : `{"reply":"${seq}"}`,
    }
    records.push(chained('r1', records.at(-1)?.hash ?? chainStart, { ...record, ...by }))
  }
  return records
}

function verify(records: readonly EventRecord[], anchor: EventRecord | null = null) {
  const kept = anchor === null ? null : { runId: 'r1', seq: anchor.seq, hash: anchor.hash }
  const check = openChainCheck('r1', kept)
  return check.add(records) ?? check.end(null)
}

test('a log that nobody touched verifies', () => {
  expect(verify(logOf(20))).toMatchObject({ ok: true, count: 20 })
  expect(verify([])).toMatchObject({ ok: true, count: 0 })
})

const fields = ['member', 'type', 'data', 'actor', 'commandId', 'hash'] as const

test.each(fields)('a changed `%s` is found at its record', (field) => {
  const log = logOf(20)
  const changed = log.map((one) => (one.seq === 7 ? { ...one, [field]: `${one[field]}x` } : one))
  expect(verify(changed)).toMatchObject({ ok: false, seq: 7 })
})

test('a changed time is found, and so is a record made anew without those after it', () => {
  const log = logOf(20)
  expect(verify(log.with(6, { ...(log[6] as EventRecord), at: 0 }))).toMatchObject({ seq: 7 })
  const forged = chained('r1', log[5]?.hash ?? '', { ...(log[6] as EventRecord), data: '{}' })
  expect(verify(log.with(6, forged))).toMatchObject({ ok: false, seq: 8 })
})

test('a record that is gone, doubled or put in between is found', () => {
  const log = logOf(20)
  expect(verify(log.toSpliced(9, 1))).toMatchObject({ ok: false, seq: 10 })
  expect(verify(log.toSpliced(9, 0, log[8] as EventRecord))).toMatchObject({ ok: false, seq: 9 })
  expect(verify(log.slice(1))).toMatchObject({ ok: false, seq: 1 })
})

test('only the head or an anchor tells that the end is gone', () => {
  const log = logOf(20)
  const cut = log.slice(0, 15)
  expect(verify(cut)).toMatchObject({ ok: true, count: 15 })
  expect(verify(cut, log[19] ?? null)).toMatchObject({ ok: false, seq: 16 })
  const check = openChainCheck('r1')
  const { seq, hash } = log[19] as EventRecord
  expect(check.add(cut) ?? check.end({ runId: 'r1', seq, hash })).toMatchObject({ ok: false })
})

test('a log made anew from a record on verifies, but not against its anchor', () => {
  const log = logOf(20)
  const anchor = log[12] as EventRecord
  let before = log[8]?.hash ?? ''
  const forged = log.slice(9).map((one) => {
    const next = chained('r1', before, { ...one, actor: 'person:ada' })
    before = next.hash
    return next
  })
  const all = [...log.slice(0, 9), ...forged]
  expect(verify(all)).toMatchObject({ ok: true })
  expect(verify(all, anchor)).toMatchObject({ ok: false, seq: 13 })
})

test('a record of another run does not fit, however alike it is', () => {
  const check = openChainCheck('r2')
  expect(check.add(logOf(1))).toMatchObject({ ok: false, seq: 1 })
})
