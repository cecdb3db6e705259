/**
 * What agents try beside a list of commands, or where a stage only reads: each denial names the
 * form that they should use, and names nothing that is denied as well.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineOf, Walk } from '../../src/core/engine/family-builder.contract.ts'
import { readCall } from '../../src/core/tools/read-call.ts'

type NearMiss = {
  /** Absent: a stage that only reads. */
  readonly list?: readonly string[]
  readonly command: string
  readonly use: string
  readonly why: string
}

const file = join(import.meta.dirname, '..', 'fixtures', 'near-misses.json')
const misses = JSON.parse(readFileSync(file, 'utf8')) as readonly NearMiss[]

function ask(list: readonly string[] | undefined, command: string) {
  const commands = list === undefined ? {} : { allowed_commands: [...list] }
  const stage = { allowed_tools: ['Read', 'Bash'], ...commands, on: { GO: 'b' } }
  const definition = { id: 'w', initial: 'a', states: { a: stage, b: { type: 'final' } } }
  const where = { machine: machineOf(definition), workspace: '/work/shop' }
  return new Walk(definition).call(readCall({ tool: 'Bash', input: { command } }, where))
}

test('there are at least 40 near misses', () => {
  expect(misses.length).toBeGreaterThanOrEqual(40)
})

test.each(misses)('`$command` is told to use `$use` ($why)', ({ list, command, use }) => {
  const reply = ask(list, command)
  expect(reply.verdict).toBe('deny')
  const named = reply.instead.flatMap((one) => (one.kind === 'command' ? [one.entry] : []))
  expect(named[0]).toBe(use)
  expect(reply.hint).toContain(`run \`${use}\``)
  for (const entry of named) expect([entry, ask(list, entry).verdict]).toEqual([entry, 'allow'])
})
