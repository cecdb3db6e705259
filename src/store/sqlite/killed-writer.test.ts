import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inFolder } from './scratch.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const writer = fileURLToPath(new URL('./killed-writer.contract.ts', import.meta.url))
const cyclesCount = 10

/** Lets a writer work until it has acknowledged so much, kills it, and returns what it printed. */
async function writeAndKill(path: string, linesMin: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let complaints = ''
  let linesCount = 0
  child.stderr.on('data', (chunk) => (complaints += chunk))
  child.stdout.on('data', (chunk) => {
    said += chunk
    linesCount += chunk.toString().split('\n').length - 1
    if (linesCount > linesMin) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect([signal, complaints]).toEqual(['SIGKILL', ''])
  const acknowledged = new Map<string, number>()
  // The last line may be cut off: it was not said.
  for (const line of said.split('\n').slice(0, -1)) {
    const [runId = '', seq] = line.split(' ')
    acknowledged.set(runId, Number(seq))
  }
  return acknowledged
}

test('a writer that is killed at any moment has lost nothing that it acknowledged', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    for (let cycle = 0; cycle < cyclesCount; cycle += 1) {
      const acknowledged = await writeAndKill(path, 20 + cycle * 77)
      expect(acknowledged.size).toBeGreaterThan(0)
      const store = openSqliteStore({ path })
      for (const [runId, seq] of acknowledged) {
        const run = await store.loadRun(runId)
        expect(run?.head.seq, `${runId} in cycle ${cycle}`).toBeGreaterThanOrEqual(seq)
        const numbers = run?.tail.map((event) => event.seq)
        expect(numbers).toEqual(Array.from({ length: run?.head.seq ?? 0 }, (_, n) => n + 1))
        expect(await store.findReply(runId, `c_${seq - 2}`)).toBe(`{"after":${seq - 2}}`)
        // Whole or not at all: a reply is there exactly when its records are.
        expect(await store.findReply(runId, `c_${run?.head.seq}`)).toBeNull()
      }
      await store.close()
    }
  }))
