import { expect, test } from 'vitest'
import { asAgent, openBench, say, startRelease } from './runtime.contract.ts'

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
