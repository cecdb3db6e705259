/** What keeps an agent from acting as the person whose daemon it uses. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../client/open-client.ts'
import type { JsonObject } from '../core/json.ts'
import { detectAgent } from '../doors/cli/remote/detect-agent.ts'
import { type House, isOurNode, openHouse, release, shareAgentToken } from './daemon.contract.ts'

test('a host of an agent is known by what it sets', () => {
  expect(detectAgent({ env: { PATH: '/bin', CLAUDECODE: '1' } })).toBe('CLAUDECODE')
  expect(detectAgent({ env: { GEMINI_CLI: '1' } })).toBe('GEMINI_CLI')
  const env = { CLAUDECODE: '', CLAUDE_CONFIG_DIR: '/x', CURSOR_TRACE_ID: 'x' }
  expect(detectAgent({ env })).toBe(null)
})

describe.runIf(isOurNode)('against a daemon', () => {
  let house: House
  let runId: string
  beforeAll(async () => {
    house = shareAgentToken(openHouse())
    const free = { ...release, states: { ...release.states, plan: { on: { READY: 'build' } } } }
    const file = join(house.workspace, 'release.json')
    writeFileSync(file, JSON.stringify(free))
    runId = (await house.json('start', 'release.json')).runId
  })
  afterAll(() => house?.close(), 60_000)

  test('no call reaches its data directory', async () => {
    const token = readFileSync(join(house.folder, 'agent.token'), 'utf8').trim()
    const client = openClient({ socket: join(house.folder, 'daemon.sock'), token })
    onTestFinished(() => client.close())
    const codeOf = async (tool: string, input: JsonObject): Promise<string | null> => {
      const { reply } = await client.call('runs.check', { runId, tool, input })
      return reply.kind === 'verdict' ? reply.code : reply.kind
    }
    const bash = (command: string) => codeOf('Bash', { command })
    expect(await bash(`cat ${house.folder}/config.json`)).toBe('PATH_PROTECTED')
    expect(await bash('cat ../home/config.json')).toBe('PATH_PROTECTED')
    expect(await codeOf('Read', { file_path: '../home/config.json' })).toBe('PATH_PROTECTED')
    symlinkSync('../home/config.json', join(house.workspace, 'notes.json'))
    expect(await codeOf('Read', { file_path: 'notes.json' })).toBe('PATH_PROTECTED')
    expect(await bash('cat ../other/config.json')).toBe(null)
    const judged = await client.call('judge', {
      runId,
      tool: 'Read',
      input: { file_path: '../home/config.json' },
    })
    expect(judged.code).toBe('PATH_PROTECTED')
  })

  test('inside an agent’s host the command line is the agent, and says so', async () => {
    await house.json('signal', 'READY', '--run', runId)
    await house.json('signal', 'SHIP', '--run', runId, '--data', '{"version": "1"}')
    const id = (await house.json('approvals', runId)).items[0]?.id ?? ''
    const inHost = (...args: string[]) => house.start(args, { env: { CLAUDECODE: '1' } }).ended
    const asked = await inHost('approve', id)
    expect(asked.code).toBe(1)
    expect(asked.err).toMatch(/NOT_PERMITTED.*\n.*`CLAUDECODE` is set.*their own terminal/)
    const insisted = await inHost('approve', id, '--as', 'person')
    expect(insisted.code).toBe(2)
    expect(insisted.err).toMatch(/`--as person` is not available to agents.*\n.*their own terminal/)
    expect(await inHost('stop')).toMatchObject({ code: 2 })
    expect(await inHost('state', runId)).toMatchObject({ code: 0 })
    expect((await house.json('approvals', runId)).items).toHaveLength(1)
    expect(await house.start(['approve', id]).ended).toMatchObject({ code: 0 })
  })
})
