/** The verbs of the command line against a real daemon: what they do, say, and end with. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type House,
  isOurNode,
  type JsonOutput,
  openHouse,
  release,
  until,
} from './daemon.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  write('release.json', release)
  await house.json('definitions', 'add', 'release.json')
})
afterAll(() => house?.close(), 60_000)

function write(name: string, content: unknown): string {
  const path = join(house.workspace, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** A new run of `release`, moved by these signals. */
async function startRun(...signals: string[]): Promise<string> {
  const { runId } = await house.json('start', 'release')
  for (const name of signals) await house.json('signal', name, '--run', runId)
  return runId
}

async function askedBy(runId: string): Promise<string> {
  const { items } = await house.json('approvals', runId)
  return items[0]?.id ?? ''
}

describe.runIf(isOurNode)('starting and looking', () => {
  test('a run is started by name, told in words, and found again from its folder', async () => {
    const { code, out, err } = await house.cli('start', 'release', '--var', 'ticket=7')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('● running')
    expect(out).toMatch(/send +READY/)
    expect(out).toContain('Plan it.')
    const reading = await house.json('state')
    expect(out).toContain(reading.head.id)
    expect(reading.head).toMatchObject({ stage: 'plan', workspace: house.workspace })
    expect(reading.view.vars).toEqual({ ticket: 7 })
    expect(Object.keys(reading)).toEqual(['head', 'view', 'notice', 'standing', 'evidence'])
  })

  test('a file is stored first; a changed one is a new version, the same one is not', async () => {
    write('other.yaml', 'id: other\ninitial: a\nstates: {a: {on: {GO: b}}, b: {type: final}}\n')
    const first = await house.json('start', './other.yaml', '--data', '{"n": 1}')
    expect(first.view).toMatchObject({ name: 'other', stage: 'a', vars: { n: 1 } })
    await house.json('start', 'other.yaml', '--stage', 'a')
    expect((await house.json('definitions', 'versions', 'other')).items).toHaveLength(1)
    write('other.yaml', 'id: other\ninitial: b\nstates: {a: {on: {GO: b}}, b: {type: final}}\n')
    const third = await house.json('start', 'other.yaml')
    expect(third.view.stage).toBe('b')
    expect((await house.json('definitions', 'versions', 'other')).items).toHaveLength(2)
    expect((await house.json('state', first.runId)).head.stage).toBe('a')
  })

  test('a file with errors is shown with their places, and nothing is kept', async () => {
    write('broken.json', '{\n  "id": "broken",\n  "initial": "gone",\n  "states": {}\n}')
    const { code, err } = await house.cli('start', 'broken.json')
    expect(code).toBe(1)
    expect(err).toContain('broken.json:3:')
    expect(err).toContain('is not stored')
    const said = await house.cli('start', 'broken.json', '--json')
    expect(said.code).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({ code: 'DEFINITION_INVALID', status: 422 })
    expect(await house.cli('definitions', 'show', 'broken')).toMatchObject({ code: 2 })
  })

  test('a run is named by the beginning of its id, as long as that is one only', async () => {
    const runId = await startRun()
    await startRun()
    expect((await house.json('state', runId.slice(0, 15))).head.id).toBe(runId)
    const { code, err } = await house.cli('state', 'r')
    expect(code).toBe(2)
    expect(err).toContain('more than one run')
    expect(await house.cli('state', 'nope')).toMatchObject({ code: 2 })
  })

  test('misspelt runs and definitions are answered with what was probably meant', async () => {
    const runId = await startRun()
    const wrong = `${runId.slice(0, 8)}z${runId.slice(9)}`
    expect((await house.cli('state', wrong)).err).toContain(`did you mean \`${runId}\`?`)
    expect((await house.cli('state', wrong.slice(0, 12))).err).toContain(`mean \`${runId}\`?`)
    expect((await house.cli('state', 'release')).err).toContain('the latest run of `release` is')
    for (const args of [['start'], ['definitions', 'show'], ['definitions', 'remove']]) {
      const { code, err } = await house.cli(...args, 'relaese')
      expect([code, err], args.join(' ')).toEqual([2, expect.stringContaining('`release`?')])
    }
    expect((await house.cli('start', 'nothing-like-it')).err).toContain('`pawl definitions`')
  })

  test('runs are listed, open ones or all, in words or as the API answers', async () => {
    const runId = await startRun()
    await house.json('cancel', runId)
    const open = await house.json('runs')
    const all = await house.json('runs', '--all')
    const ids = (page: JsonOutput) => page.items.map((head) => head.id)
    expect(ids(open)).not.toContain(runId)
    expect(ids(all)).toContain(runId)
    expect(ids(await house.json('runs', '--status', 'cancelled'))).toContain(runId)
    const { out } = await house.cli('runs', '--all', '--limit', '2')
    expect(out.split('\n')[0]).toMatch(/^run +title +definition +status +stage/)
    expect(out).toContain('more: --after ')
    expect(await house.cli('runs', '--status', 'runing')).toMatchObject({ code: 2 })
  })
})

describe.runIf(isOurNode)('moving and asking', () => {
  test('a signal moves a run; one that is not known is refused with 1', async () => {
    const runId = await startRun()
    const moved = await house.json('signal', 'READY', '--run', runId)
    expect(moved).toMatchObject({ runId, reply: { kind: 'accepted' }, view: { stage: 'build' } })
    const { code, out, err } = await house.cli('signal', 'NOPE', '--run', runId)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('SIGNAL_UNKNOWN')
    const stale = await house.cli('signal', 'SHIP', '--run', runId, '--stage', 'plan', '--json')
    expect(stale.code).toBe(1)
    expect(JSON.parse(stale.out)).toMatchObject({ code: 'STAGE_STALE', status: 409 })
  })

  test('a person sees what waits, changes what may be changed, and agrees once', async () => {
    const runId = await startRun('READY')
    await house.json('signal', 'SHIP', '--run', runId, '--data', '{"version": "1", "by": "x"}')
    const listed = await house.cli('approvals', runId)
    expect(listed.out).toContain('ship it?')
    expect(listed.out).toContain('{"version":"1","by":"x"}')
    const id = await askedBy(runId)
    const agent = await house.cli('approve', id, '--as', 'agent')
    expect(agent.code).toBe(1)
    expect(agent.err).toContain('NOT_PERMITTED')
    const { code, out } = await house.cli('approve', id, '--note', 'go on', '--var', 'version="2"')
    expect(code).toBe(0)
    expect(out).toContain('● completed')
    expect((await house.json('state', runId)).view.vars).toEqual({ version: '2', by: 'x' })
    const again = await house.cli('refuse', id, '--json')
    expect(again.code).toBe(1)
    expect(JSON.parse(again.out).code).toBe('APPROVAL_DECIDED')
  })

  test('the values of a signal are given one by one or as one object', async () => {
    const runId = await startRun('READY')
    const more = ['--run', runId, '--data', '{"version": "1", "by": "x"}', '--var', 'by=me']
    await house.json('signal', 'SHIP', ...more)
    expect((await house.cli('approvals', runId)).out).toContain('{"version":"1","by":"me"}')
  })

  test('a refusal reaches the agent with its note', async () => {
    const runId = await startRun('READY', 'SHIP')
    const { code, out } = await house.cli('refuse', await askedBy(runId), '--note', 'too soon')
    expect(code).toBe(0)
    expect(out).toContain('too soon')
    expect((await house.json('state', runId)).head).toMatchObject({ stage: 'build' })
    expect((await house.json('approvals', runId)).items).toEqual([])
    expect((await house.json('approvals', runId, '--all')).items[0]?.status).toBe('refused')
  })

  test('what a person paused only a person resumes; force and cancel do as they say', async () => {
    const runId = await startRun()
    expect((await house.json('pause', runId)).view.status).toBe('paused')
    expect(await house.cli('resume', runId, '--as', 'agent')).toMatchObject({ code: 1 })
    expect((await house.json('resume', runId)).view.status).toBe('running')
    const forced = await house.json('force', runId, 'build', '--var', 'a=[1]')
    expect(forced.view).toMatchObject({ stage: 'build', vars: { a: [1] } })
    expect(await house.cli('force', runId, 'plan', '--as', 'agent')).toMatchObject({ code: 1 })
    expect((await house.json('cancel', runId, '--reason', 'enough')).view).toMatchObject({
      status: 'cancelled',
      reason: 'enough',
    })
    expect(await house.cli('signal', 'SHIP', '--run', runId)).toMatchObject({ code: 1 })
  })
})

describe.runIf(isOurNode)('waiting and watching', () => {
  test('waiting ends when the run has moved, asks, or has ended, or the time is over', async () => {
    const runId = await startRun()
    expect(await house.cli('wait', runId, '--timeout', '0.05')).toMatchObject({ code: 1 })
    const moved = house.json('wait', runId, '--until', 'moved')
    await house.json('signal', 'READY', '--run', runId)
    expect((await moved).head.stage).toBe('build')
    const asks = house.json('wait', runId, '--until', 'approval', '--timeout', '60')
    await house.json('signal', 'SHIP', '--run', runId)
    const { view } = await asks
    const ended = house.cli('wait', runId)
    await house.json('approve', view.approval?.id ?? '')
    expect((await ended).code).toBe(0)
    const cancelled = await startRun()
    await house.json('cancel', cancelled)
    expect(await house.cli('wait', cancelled)).toMatchObject({ code: 1 })
  })

  test('a run is watched from its beginning to its end', async () => {
    const runId = await startRun()
    const watching = house.cli('watch', runId)
    const following = house.cli('log', runId, '--follow', '--after', '2', '--json')
    await house.json('signal', 'READY', '--run', runId)
    await house.json('cancel', runId, '--reason', 'enough\u001b[31m')
    const { code, out } = await watching
    expect(code).toBe(0)
    expect(out).toMatch(/ 1 {2}run\.started +in plan/)
    expect(out).toContain('stage.entered')
    expect(out).not.toContain('\u001b')
    const records = (await following).out.trimEnd().split('\n')
    expect(records.map((line) => JSON.parse(line).seq)).toEqual([3, 4, 5])
  })

  test('all runs are watched until somebody ends it', async () => {
    const watch = house.start(['watch'])
    await until(() => watch.said().includes('watching'), 'the watch')
    const before = await startRun()
    await until(() => watch.said().includes(`${before} release`), watch.said())
    await house.json('signal', 'READY', '--run', before)
    await until(() => watch.said().includes('build (signal)'), watch.said())
    watch.child.kill('SIGTERM')
    const { out } = await watch.ended
    const numbers = out.match(/(?<=release +)\d+(?= )/g)?.map(Number)
    expect(numbers).toEqual(numbers?.map((_, index) => index + 1))
  })
})

describe.runIf(isOurNode)('logs and definitions', () => {
  test('a log is told, verified, anchored, and held against its anchor', async () => {
    const runId = await startRun('READY')
    const { out } = await house.cli('log', runId)
    expect(out.split('\n')).toHaveLength(5)
    expect(out).toContain('READY by /states/plan/on/READY')
    const told = await house.json('log', runId, '--after', '2')
    expect(told.items.map((one) => one.seq)).toEqual([3, 4])
    expect(told.next).toBe(4)
    expect(await house.json('log', runId, '--verify')).toMatchObject({ ok: true, count: 4 })
    await house.cli('log', runId, '--anchor', '--out', 'anchor.json')
    const anchor = JSON.parse(readFileSync(join(house.workspace, 'anchor.json'), 'utf8'))
    expect(anchor).toMatchObject({ runId, seq: 4 })
    await house.json('signal', 'BACK', '--run', runId)
    const good = await house.cli('log', '--against', 'anchor.json')
    expect(good).toMatchObject({ code: 0 })
    write('anchor.json', { ...anchor, hash: anchor.hash.replaceAll(/./g, '0') })
    const bad = await house.cli('log', runId, '--against', 'anchor.json')
    expect(bad.code).toBe(1)
    expect(bad.out).toContain('record 4 does not match')
    write('anchor.json', { ...anchor, seq: 99 })
    expect(await house.cli('log', '--against', 'anchor.json')).toMatchObject({ code: 1 })
    expect(await house.cli('log', runId, '--verify', '--follow')).toMatchObject({ code: 2 })
  })

  test('a run goes to another data directory and is the same there', async () => {
    const runId = await startRun('READY')
    await house.cli('export', runId, '--out', 'run.json')
    expect(await house.cli('import', 'run.json')).toMatchObject({ code: 1 })
    const copy = readFileSync(join(house.workspace, 'run.json'), 'utf8')
    const other = openHouse()
    try {
      const path = join(other.workspace, 'run.json')
      const forged = JSON.parse(copy)
      forged.events[2].data = forged.events[2].data.replace('READY', 'NEVER')
      writeFileSync(path, JSON.stringify(forged))
      const refused = await other.cli('import', path)
      expect(refused.code).toBe(1)
      expect(refused.err).toContain('damaged at record 3')
      writeFileSync(path, copy)
      expect(await other.json('import', path)).toMatchObject({ runId, seq: 4 })
      expect((await other.json('signal', 'BACK', '--run', runId)).view.stage).toBe('plan')
      expect(await house.cli('export', runId, '--as', 'agent')).toMatchObject({ code: 1 })
    } finally {
      await other.close()
    }
  })

  test('definitions are listed, shown as they were written, and removed', async () => {
    const text = 'id: kept  # a note\ninitial: a\nstates: {a: {type: final}}\n'
    write('kept.yaml', text)
    const added = await house.json('definitions', 'add', 'kept.yaml')
    expect(added.definition).toMatchObject({ name: 'kept', version: 1, dialect: 'workflow' })
    expect((await house.cli('definitions')).out).toMatch(/kept +workflow +1 /)
    expect((await house.cli('definitions', 'show', 'kept')).out).toBe(text)
    expect((await house.json('definitions', 'show', 'kept', '--version', '1')).source).toBe(text)
    expect(await house.cli('definitions', 'show', 'kept', '--version', '2')).toMatchObject({
      code: 2,
    })
    const agent = await house.cli('definitions', 'remove', 'kept', '--as', 'agent')
    expect(agent.code).toBe(1)
    expect(await house.json('definitions', 'remove', 'kept')).toEqual({ deleted: true })
    expect(await house.cli('definitions', 'show', 'kept')).toMatchObject({ code: 2 })
    const { err } = await house.cli('definitions', 'lst')
    expect(err).toContain('did you mean `list`?')
  })
})

describe.runIf(isOurNode)('the database', () => {
  test('it is looked after only while no daemon serves it', async () => {
    const runId = await startRun('READY')
    const busy = await house.cli('db', 'check')
    expect(busy.code).toBe(2)
    expect(busy.err).toContain(`pid ${house.note()?.pid}`)
    await house.cli('stop')
    const { code, out } = await house.cli('db', 'check')
    expect([code, out.includes('0 problems')]).toEqual([0, true])
    expect(await house.json('db', 'rebuild')).toMatchObject({ rebuiltCount: 0, problems: [] })
    const status = await house.json('db', 'status')
    expect(status).toMatchObject({ store: 'sqlite', problems: [] })
    expect(status.runsCount).toBeGreaterThan(0)
    expect((await house.json('state', runId)).head.stage).toBe('build')
  })

  test('a head that was changed is rebuilt from its log', async () => {
    const runId = await startRun('READY')
    await changeDatabase(`UPDATE runs SET stage = 'done' WHERE id = '${runId}'`)
    expect(await house.json('db', 'rebuild')).toMatchObject({ rebuiltCount: 1, problems: [] })
    expect(await house.json('db', 'rebuild')).toMatchObject({ rebuiltCount: 0 })
    const { items } = await house.json('runs', '--all')
    expect(items.find((head) => head.id === runId)?.stage).toBe('build')
  })

  test('a record that was changed is named, and nothing more is decided on its run', async () => {
    const runId = await startRun('READY')
    const change = `SET data = replace(data, 'READY', 'STEADY') WHERE run_id = '${runId}'`
    await changeDatabase(`UPDATE events ${change} AND seq = 3`)
    const checked = await house.cli('db', 'check')
    expect(checked.code).toBe(1)
    expect(checked.out).toContain(`${runId}: record 3: `)
    expect((await house.cli('db', 'rebuild')).code).toBe(1)
    const { code, out } = await house.cli('log', runId, '--verify')
    expect(code).toBe(1)
    expect(out).toContain('record 3 does not match')
    expect(await house.cli('signal', 'BACK', '--run', runId)).toMatchObject({ code: 1 })
    expect((await house.cli('log', runId, '--anchor')).code).toBe(1)
  })
})

/** What an intruder would do. */
async function changeDatabase(sql: string): Promise<void> {
  await house.cli('stop')
  const db = new DatabaseSync(join(house.folder, 'pawl.db'))
  const { changes } = db.prepare(sql).run()
  db.close()
  expect(changes).toBe(1)
}
