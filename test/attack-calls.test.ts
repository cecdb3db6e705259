/** Calls that once had a forbidden effect, each with the stage that has to deny it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineOf, Walk } from '../src/core/engine/family-builder.contract.ts'
import type { HostId } from '../src/core/hosts/registry.ts'
import type { JsonObject } from '../src/core/json.ts'
import { judge } from '../src/core/judge/judge.ts'
import { nothingAround } from '../src/core/judge/rule-input.ts'
import { readCall } from '../src/core/tools/read-call.ts'

type AttackCall = {
  readonly id: string
  readonly host: HostId
  readonly stage: JsonObject
  readonly tool: string
  readonly input: JsonObject
  readonly expect: 'allow' | 'deny'
}

function callsIn(file: string): readonly AttackCall[] {
  const text = readFileSync(join(import.meta.dirname, '..', 'attacks', 'second', file), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AttackCall]))
}

const found = callsIn('calls.jsonl')
const similar = callsIn('similar-calls.jsonl')

test('there are calls to try', () => {
  expect(found.length).toBe(15)
  expect(similar.length).toBeGreaterThan(60)
})

test.each([...found, ...similar])(
  '$expect $id: $tool',
  ({ host, stage, tool, input, ...wanted }) => {
    const states = { a: { on: { GO: 'b' }, ...stage }, b: { type: 'final' } }
    const definition = { id: 'w', initial: 'a', states }
    const machine = machineOf(definition)
    const call = readCall({ tool, input }, { machine, workspace: '/work/shop', host })
    const state = new Walk(definition).state()
    const { decision } = judge(call, { machine, state, at: 1, around: nothingAround })
    expect(decision).toBe(wanted.expect)
  },
)
