/**
 * The records of the attack corpus that need a daemon, against one that really serves: a process of
 * its own, asked over raw HTTP with the tokens of its files.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOurNode } from '../../src/main/daemon.contract.ts'
import { type Live, openLive, together } from './live.ts'
import { tryFullDisk, tryTamper, tryText } from './on-disk.ts'
import { tryCall, tryPause, tryResult } from './over-calls.ts'
import { tryApproval, tryLocal } from './over-http.ts'
import {
  type AttackOutcome,
  type AttackRecord,
  faultOf,
  type Result,
  recordsOf,
  reportOf,
} from './records.ts'

const areas = ['approval.forgery', 'http.local', 'eventlog.integrity'] as const

// WHY so long: a machine may be busy with other tests. By itself it takes some seconds.
describe.runIf(isOurNode)('the attacks on a daemon', () => {
  let live: Live
  beforeAll(async () => {
    live = await openLive()
  })
  afterAll(() => live.close())

  const results: Result[] = []

  test.each(areas)('every attack of %s that must be held is held', async (area) => {
    const own: Result[] = []
    for (const record of recordsOf(area)) own.push({ record, found: await tryRecord(record) })
    results.push(...own)
    expect(own.length).toBeGreaterThan(5)
    const wrong = own
      .filter(({ record }) => record.level === 'must')
      .flatMap((r) => faultOf(r) ?? [])
    expect(wrong).toEqual([])
  })

  test('the score is told', () => {
    const lines = reportOf(results)
    console.log(lines.join('\n'))
    expect(lines.length).toBeGreaterThanOrEqual(areas.length * 2)
  })

  async function tryRecord(record: AttackRecord): Promise<AttackOutcome> {
    const { attempt } = record
    if (record.area === 'http.local') {
      return together([
        await tryLocal(live, record, 'agent'),
        await tryLocal(live, record, 'person'),
      ])
    }
    if ('http' in attempt) return tryApproval(live, record)
    if ('tool' in attempt) return tryCall(live, record)
    if ('tool_result' in attempt) return tryResult(live, record)
    if ('mcp' in attempt) return tryPause(live, record)
    if ('field' in attempt) return tryText(live, record)
    if ('disk' in attempt) return tryFullDisk()
    if ('tamper' in attempt) return tampered(record)
    throw new Error(`nothing tries ${record.id}`)
  }

  /** On a daemon of its own: it has to be stopped. */
  async function tampered(record: AttackRecord): Promise<AttackOutcome> {
    const own = await openLive()
    try {
      return await tryTamper(own, record)
    } finally {
      await own.close()
    }
  }
})
