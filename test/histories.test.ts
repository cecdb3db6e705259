/**
 * Every log that a released Pawl wrote must still fold to the state it had then.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evolve, unborn } from '../src/core/engine/evolve.ts'
import type { Event, RunState } from '../src/core/engine/types.ts'

type Line =
  | { readonly case: string }
  | { readonly runId: string; readonly event: Event }
  | { readonly runId: string; readonly state: RunState }

const folder = join(import.meta.dirname, '..', 'histories')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()

test('there are histories to fold', () => {
  expect(files.length).toBeGreaterThan(0)
})

test.each(files)('%s folds to the states it had', (file) => {
  const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
  let runs = new Map<string, RunState>()
  let name = ''
  for (const line of lines.map((text) => JSON.parse(text) as Line)) {
    if ('case' in line) {
      name = line.case
      runs = new Map()
    } else if ('event' in line) {
      runs.set(line.runId, evolve(runs.get(line.runId) ?? unborn, line.event))
    } else {
      const folded = JSON.parse(JSON.stringify(runs.get(line.runId) ?? null))
      expect(folded, `${name}, run ${line.runId}`).toEqual(line.state)
    }
  }
})
