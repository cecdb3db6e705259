/**
 * The data directory that the daemon really uses is kept from the agent it watches, wherever that
 * is: as far as the words of a command and the paths of a tool tell.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOurNode } from '../../src/main/daemon.contract.ts'
import { type Live, openLive, startRun } from './live.ts'
import { verdictOn } from './over-calls.ts'

/** HERE stands for the data directory. */
const attempts = [
  'cat HERE/person.token',
  'cat < HERE/person.token',
  'cp HERE/person.token x',
  'cp -r HERE x',
  'grep -r . HERE',
  'tar cf x.tar HERE',
  'cat HERE/*',
  'sqlite3 HERE/pawl.db .dump',
  'sqlite3 HERE/pawl.db "update approvals set status=\'granted\'"',
  'cd HERE && cat person.token',
  'echo x > HERE/policy.json',
  'rm -r HERE',
  'mv HERE x',
]
const commands = ['cat', 'cp', 'grep', 'tar', 'sqlite3', 'cd', 'echo', 'rm', 'mv']

const defaults = [
  '~/.local/share/pawl',
  '/home/u/.local/share/pawl',
  '"/Users/u/Library/Application Support/pawl"',
  '~/.pawl',
]

describe.runIf(isOurNode)('the data directory', () => {
  let live: Live
  beforeAll(async () => {
    live = await openLive()
  })
  afterAll(() => live.close())

  const deny = async (attempt: string, folder: string): Promise<void> => {
    const runId = await startRun(live, { commands })
    const command = attempt.replace('HERE', folder)
    expect(await verdictOn(live, runId, { command }), command).toBe('deny')
  }

  test.each(attempts)('named by PAWL_HOME is kept from an agent: %s', async (attempt) => {
    await deny(attempt, live.house.folder)
  })

  test.each(defaults.flatMap((folder) => attempts.map((attempt) => [folder, attempt] as const)))(
    '%s is kept from an agent: %s',
    async (folder, attempt) => {
      await deny(attempt, folder)
    },
  )
})
