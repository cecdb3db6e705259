import { expect, test } from 'vitest'
import { filesOfFamily } from '../../core/engine/stage-files.ts'
import { PawlError } from '../pawl-error.ts'
import type { Store } from '../ports.ts'
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

type Commit = Store['commit']

/** A node whose boxes have their files open in a mode. */
async function openBoxed(commit?: (inner: Commit) => Commit) {
  const { store, again, runtime } = openBench()
  const runId = await startRelease(runtime)
  const modes: string[] = []
  const follow = async (_: string, family: Parameters<typeof filesOfFamily>[0]) =>
    void modes.push(filesOfFamily(family).mode)
  const node = again(commit === undefined ? store : { ...store, commit: commit(store.commit) }, {
    files: { follow, undo: follow },
  })
  const send = (name: string, commandId: string) =>
    node.send(runId, say(name), { ...asAgent, commandId })
  return { send, modes, node, runId }
}

test('a command that is sent again opens no files of a box', async () => {
  const { send, modes } = await openBoxed()
  await send('READY', 'x1')
  await send('BACK', 'x2')
  expect(modes).toEqual(['write', 'read'])
  expect(await send('READY', 'x1')).toMatchObject({ isRepeated: true })
  expect(modes).toEqual(['write', 'read'])
})

test('after a move that was not kept, the files of a box are as the stored run says', async () => {
  const { send, modes } = await openBoxed((commit) => {
    let count = 0
    return async (change) => {
      count += 1
      if (count === 1) throw new PawlError('STORE_UNAVAILABLE', 'the disk is gone', { hint: '' })
      const done = await commit(change)
      if (count === 3) throw new PawlError('STORE_UNAVAILABLE', 'no answer', { hint: '' })
      return done
    }
  })
  await expect(send('READY', 'x1')).rejects.toThrow()
  expect(modes.at(-1), 'it has not moved').toBe('read')
  await send('READY', 'x2')
  expect(modes.at(-1)).toBe('write')
  await expect(send('BACK', 'x3')).rejects.toThrow()
  expect(modes.at(-1), 'it has moved, and only the answer was lost').toBe('read')
})
