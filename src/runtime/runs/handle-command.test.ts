import { expect, test } from 'vitest'
import { PawlError } from '../pawl-error.ts'
import { asAgent, openBench, say, startRelease } from '../runtime.contract.ts'

test('a run that moves while it is read is not remembered as it was before', async () => {
  const { store, again, runtime } = openBench()
  const runId = await startRelease(runtime)
  let answer: () => void = () => undefined
  const isSlow = new Promise<void>((resolve) => {
    answer = resolve
  })
  let loads = 0
  const slow = {
    ...store,
    loadRun: async (id: string) => {
      loads += 1
      const isFirst = loads === 1
      const run = await store.loadRun(id)
      if (isFirst) await isSlow
      return run
    },
  }
  const node = again(slow)
  const reading = node.readRun(runId, null)
  const moving = node.send(runId, say('READY'), asAgent)
  // Everything that does not wait for the slow answer is done.
  await new Promise((resolve) => setImmediate(resolve))
  answer()
  await Promise.all([reading, moving])
  expect((await node.readRun(runId, null)).view.stage).toBe('build')
})

test('whoever cannot be told how far a run is does not go on waiting for it', async () => {
  const { store, again, runtime } = openBench()
  const runId = await startRelease(runtime)
  const readSeqs = async (): Promise<never> => {
    throw new PawlError('STORE_UNAVAILABLE', 'the disk is gone', { hint: 'bring it back' })
  }
  const node = again({ ...store, readSeqs })
  const wish = { runId, after: 2, timeoutMs: 60_000, signal: null }
  await expect(node.waitFor(wish)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(node.usage().waitersCount).toBe(0)
})

test('an id with half a letter in it is kept whole, and known again', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const by = { ...asAgent, commandId: 'half \ud800' }
  const { reply, seq } = await runtime.send(runId, say('READY'), by)
  const records = await runtime.readEvents(runId, { after: 0, limit: 100 })
  expect(records.at(-1)?.commandId).toBe('half \ufffd')
  const again = await runtime.send(runId, say('READY'), by)
  expect(again).toMatchObject({ reply, seq, isRepeated: true })
})
