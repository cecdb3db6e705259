/**
 * A log that somebody has changed behind the daemon's back: the proof names the record, and nothing
 * more is decided on it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../src/client/open-client.ts'
import { isOurNode } from '../../src/main/daemon.contract.ts'
import { type Live, openLive } from './live.ts'
import { behindItsBack, startLogged } from './on-disk.ts'

const changes = [
  { what: 'the first record says something else', record: 1, set: `data = data || ' '` },
  { what: 'the first record was somebody else', record: 1, set: `actor = 'person:alice'` },
  { what: 'a record says something else', record: 5, set: `data = data || ' '` },
  { what: 'a record happened at another time', record: 6, set: 'at = at - 1' },
  { what: 'a record belongs to another command', record: 7, set: `command_id = 'x'` },
  { what: 'a record is of another kind', record: 8, set: `type = 'call.denied'` },
  { what: 'a record is about another run', record: 9, set: `member = 'x'` },
  { what: 'a record has another hash', record: 10, set: `hash = hash || '0'` },
  { what: 'a record has moved away', record: 11, set: 'seq = 99' },
  { what: 'the last record says something else', record: 14, set: `data = data || ' '` },
]

describe.runIf(isOurNode)('a log that was changed', () => {
  let live: Live
  const runs: string[] = []
  beforeAll(async () => {
    live = await openLive()
    for (const _ of changes) runs.push(await startLogged(live))
    await behindItsBack(live, (db) => {
      for (const [at, { record, set }] of changes.entries()) {
        const change = db.prepare(`UPDATE events SET ${set} WHERE run_id = ? AND seq = ?`)
        change.run(runs[at] ?? '', record)
      }
    })
    await live.house.json('runs')
  })
  afterAll(() => live.close())

  test.each(changes.map((change, at) => ({ ...change, at })))(
    '$what: it is told, and nothing more is decided',
    async ({ record, at }) => {
      const { house, tokens } = live
      const runId = runs[at] ?? ''
      const { code, out } = await house.cli('log', runId, '--verify')
      expect(code).toBe(1)
      expect(out).toMatch(new RegExp(`^record ${record} does not match: `))
      const agent = openClient({ socket: house.note()?.socket ?? '', token: tokens.agent })
      const input = { command: 'ls' }
      const { reply } = await agent.runs.check({ runId, tool: 'Bash', input })
      const signal = agent.runs.signal({ runId, name: 'STAY' })
      await expect(signal).rejects.toMatchObject({ code: 'LOG_BROKEN' })
      agent.close()
      expect(reply.verdict).toBe('deny')
    },
  )
})
