import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { loadPlugin, notes, sessionsOf } from '../../init/hosts/opencode-plugin.contract.ts'
import { opencodeHooks } from './opencode.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/opencode')

/** What the protocol reads of what the plugin tells about a recorded result. */
async function reportOn(file: string, metadata: object = {}) {
  const { _output, tool_input, ...input } = JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
  const { plugin, asked } = await loadPlugin(notes(), sessionsOf({ [input.sessionID]: null }))
  const output = { ..._output, metadata: { ..._output.metadata, ...metadata } }
  await plugin['tool.execute.after']?.(input, output)
  const event = opencodeHooks.read(asked()[0] as JsonObject)?.event
  return event?.kind === 'report' ? event.report : null
}

test('how a command ended is told and read, with what it printed', async () => {
  const file = 'tool.execute.after-bash.json'
  expect(await reportOn(file)).toMatchObject({ ok: true, exitCode: 0, output: 'hi\n', bytes: 3 })
  expect(await reportOn(file, { exit: 3 })).toMatchObject({ ok: false, exitCode: 3 })
  // What took too long has no code.
  expect(await reportOn(file, { exit: null })).toMatchObject({ ok: false, exitCode: null })
})

test('what is no command has no exit code', async () => {
  const report = await reportOn('tool.execute.after-read.json')
  expect(report).toMatchObject({ ok: true, exitCode: null })
})

test('the end of a sub-agent is not the end of its session', () => {
  const deleted = { hook_event_name: 'session.deleted', sessionID: 's', directory: '/work' }
  expect(opencodeHooks.read(deleted)).toMatchObject({ session: 's', event: { kind: 'end' } })
  const ofSub = { ...deleted, sessionID: 'sub', parentID: 's' }
  expect(opencodeHooks.read(ofSub)).toMatchObject({ session: 's', event: { kind: 'nothing' } })
})
