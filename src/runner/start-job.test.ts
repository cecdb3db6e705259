/**
 * Programs that cannot be started: what is told of each says what is wrong with it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IsolationLevel } from '../runtime/jobs/jobs-port.ts'
import { openScratch, type Scratch } from './scratch.contract.ts'

const levels: readonly IsolationLevel[] = ['full', 'contained']
const scratches = new Map<IsolationLevel, Scratch>()

beforeAll(() => {
  for (const level of levels) {
    const scratch = openScratch({ strongest: level })
    scratches.set(level, scratch)
    const file = (name: string, text: string, mode: number): void =>
      writeFileSync(join(scratch.workspace, name), text, { mode })
    file('script', '#! /no/such/interpreter -x\necho hi\n', 0o755)
    file('plain', 'echo hi\n', 0o644)
    mkdirSync(join(scratch.workspace, 'folder'))
  }
})
afterAll(async () => {
  for (const scratch of scratches.values()) await scratch.remove()
})

const wrong = [
  ['./script', 'SpawnFailed', /its interpreter `\/no\/such\/interpreter` is not available/],
  ['./plain', 'SpawnFailed', /no permission to execute/],
  ['./folder', 'SpawnFailed', /is a folder/],
  ['./nothing', 'CommandNotFound', /command `.\/nothing` not found/],
  ['nothing-of-this-name', 'CommandNotFound', /in the PATH of jobs/],
] as const

test.for(levels.flatMap((level) => wrong.map((one) => [level, ...one] as const)))(
  'at %s `%s` is told as %s, and why',
  async ([level, command, error_type, description]) => {
    const work = scratches.get(level)?.run({ command, args: [] })
    await expect(work).rejects.toMatchObject({
      error: { error_type, description: expect.stringMatching(description) },
    })
  },
)
