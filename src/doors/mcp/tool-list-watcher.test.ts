/** When a client is told of other tools, and how long an answer waits for it to read them. */
import { expect, test } from 'vitest'
import type { RunReadings } from './resolve-run.ts'
import { listTools } from './run-tools.ts'
import type { ToolContext } from './tool-context.ts'
import { openToolListWatcher } from './tool-list-watcher.ts'

function readingOf(stage: string): RunReadings {
  const head = { id: 'r1', status: 'running', seq: 1 }
  const view = { dialect: 'workflow', stage, signals: ['GO'], hasDebug: false }
  return { head, view, notice: '' } as unknown as RunReadings
}

async function* neverEnding(): AsyncGenerator<never, void, void> {
  await new Promise(() => undefined)
}

/** A follower of a run that never moves by itself. */
function openBench() {
  const told: string[] = []
  const context = {
    prefix: 'pawl_',
    link: { ask: async () => readingOf('now'), stream: neverEnding },
    places: { find: async () => ({ runId: 'r1', branch: null }) },
  } as unknown as ToolContext
  const follower = openToolListWatcher({
    onMove: async () => undefined,
    tools: (reading) => listTools(reading, 'pawl_'),
    context,
    onChange: async () => void told.push('changed'),
  })
  return { told, follower }
}

test('whoever never asked for its tools is not told that they changed', async () => {
  const { told, follower } = openBench()
  await follower.see(readingOf('a'))
  await follower.see(readingOf('b'))
  expect(told).toEqual([])
})

test('an answer waits until the client has read its new tools', async () => {
  const { told, follower } = openBench()
  await follower.list()
  await follower.see(readingOf('now'))
  expect(told).toEqual([])
  const order: string[] = []
  const seeing = follower.see(readingOf('b')).then(() => order.push('answered'))
  await expect.poll(() => told).toEqual(['changed'])
  await follower.list().then(() => order.push('listed'))
  await seeing
  expect(order).toEqual(['listed', 'answered'])
})

test('a client that does not read them is waited for once only', async () => {
  const { told, follower } = openBench()
  await follower.list()
  await follower.see(readingOf('a'))
  const begun = performance.now()
  await follower.see(readingOf('b'))
  expect(performance.now() - begun).toBeLessThan(200)
  expect(told).toEqual(['changed', 'changed'])
})
