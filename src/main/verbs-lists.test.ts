/** What lists and logs say in a terminal, against a real daemon with many runs and questions. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, openClient } from '../client/index.ts'
import { type House, isOurNode, openHouse, release, shareAgentToken } from './daemon.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = shareAgentToken(openHouse())
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  await house.json('definitions', 'add', 'release.json')
})
afterAll(() => house?.close(), 60_000)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const steering = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/

/** The daemon as an agent reaches it. */
function openAgent(): Client {
  const token = readFileSync(join(house.folder, 'agent.token'), 'utf8').trim()
  return openClient({ socket: join(house.folder, 'daemon.sock'), token })
}

function lines(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

describe.runIf(isOurNode)('lists and logs', () => {
  test('the log without a name is that of the last run here, also when it has ended', async () => {
    const none = await house.cli('log')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('no run in this folder')])
    const { runId } = await house.json('start', 'release', '--title', 'Ship 1.2')
    await house.json('cancel', runId)
    const { code, out, err } = await house.cli('log')
    expect(code).toBe(0)
    expect(err).toContain(`run ${runId} “Ship 1.2”: release, cancelled`)
    expect(out).toContain('run.cancelled')
    expect((await house.json('log')).items.at(-1)).toMatchObject({ type: 'run.cancelled' })
  })

  test('a run has the given title, else its branch, and neither steers a terminal', async () => {
    mkdirSync(join(house.workspace, '.git'))
    writeFileSync(join(house.workspace, '.git', 'HEAD'), 'ref: refs/heads/fix/login\n')
    await house.json('start', 'release')
    await house.json('start', 'release', '--title', 'a\u001b]0;x\u0007\u202eb')
    const { out } = await house.cli('runs')
    expect(out).toContain('fix/login')
    expect(out).toMatch(/a \]0;x b/)
    expect(out).not.toMatch(steering)
  })

  test('a denial in the log shows its command, its reason and its rule', async () => {
    const { runId } = await house.json('start', 'release')
    const client = openAgent()
    await client.runs.check({ runId, tool: 'Bash', input: { command: 'rm -rf build' } })
    await client.runs.spend({ runId, model: 'm', costMicroUsd: 120_000 })
    client.close()
    const { out } = await house.cli('log', runId)
    expect(out).toContain('rm -rf build')
    expect(out).toMatch(/why +\S/)
    expect(out).toMatch(/rule +\/states\/plan\/allowed_tools/)
    expect(out).not.toContain('money.spent')
    expect(out).toMatch(/· plan: .*1 denied, cost \$0\.12 in 1 report/)
    expect((await house.cli('log', runId, '--all')).out).toContain('money.spent')
  })

  test('twelve questions are fourteen lines, and each is shown in full by its id', async () => {
    for (let count = 0; count < 12; count += 1) {
      const { runId } = await house.json('start', 'release', '--title', `Ship ${count}`)
      await house.json('signal', 'READY', '--run', runId)
      const data = JSON.stringify({ version: `1.${count}`, text: 'word '.repeat(200) })
      await house.json('signal', 'SHIP', '--run', runId, '--data', data)
    }
    const { out } = await house.cli('approvals')
    expect(lines(out)).toHaveLength(14)
    expect(Math.max(...lines(out).map((line) => line.length))).toBeLessThanOrEqual(120)
    const row = lines(out).find((line) => line.includes('Ship 7')) ?? ''
    expect(row).toMatch(/ago +in \d+h +ship it\?$/)
    const [id = ''] = row.split(' ')
    const full = await house.cli('approvals', id)
    expect(full.out).toContain('"version":"1.7"')
    expect(full.out).toContain('Ship 7')
    expect(full.out).toContain('pawl approve')
    expect(full.out).not.toContain('"version":"1.8"')
    expect(await house.cli('approve', id)).toMatchObject({ code: 0 })
    expect(lines((await house.cli('approvals')).out)).toHaveLength(13)
    expect(await house.cli('approvals', 'nope')).toMatchObject({ code: 2 })
  })

  test('the name of a session is printed without what steers a terminal', async () => {
    const { runId } = await house.json('start', 'release')
    const client = openAgent()
    await client.runs.claim({ runId, session: 'claude:\u001b]0;owned\u0007\u009b2J' })
    client.close()
    const { code, out } = await house.cli('release', runId)
    expect(code).toBe(0)
    expect(out).toContain('claude:')
    expect(out).not.toMatch(steering)
  })
})
