/**
 * What each real host writes down of its model is paid by the run that its session works on, once
 * for each answer.
 */
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

type Row = { readonly tool: string; readonly count: number; readonly costMicroUsd: number }

test.each(testedHosts)('%s: the run pays for every answer of the model', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  const run = await begin(world, '--stage', 'implementing')
  const look = { tools: [drivers[host].toolCalls.shell('node check.mjs')] }
  const transcript = await drive({
    ...world,
    script: { turns: [look, look, look, { text: 'Done.' }] },
    env: { PAWL_RUN: run },
    timeoutMs: 120_000,
  })
  const answers = transcript.exchanges.filter(({ lane }) => lane === 'main').length
  expect(answers, transcript.output.slice(-500)).toBeGreaterThan(3)
  const paidRows = async (): Promise<readonly Row[]> => {
    const { rows } = JSON.parse(await world.mustPawl('cost', run, '--json')) as { rows: Row[] }
    return rows.filter(({ tool }) => tool.startsWith('model:'))
  }
  // Some hosts write the last answers down after the last hook.
  const count = async (): Promise<number> =>
    (await paidRows()).reduce((sum, row) => sum + row.count, 0)
  await expect.poll(count, { timeout: 30_000, interval: 500 }).toBe(answers)
  const paid = await paidRows()
  expect(paid.every((row) => row.costMicroUsd > 0)).toBe(true)
})
