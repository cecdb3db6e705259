import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { startRelease } from '../../../runtime/runtime.contract.ts'
import { openHookBench } from '../answer-hook.contract.ts'
import { type HookInput, passAnswer } from '../hook-protocol.ts'
import { piHooks } from './pi.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/pi')
const recorded = readdirSync(fixtures)

function payloadIn(file: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
}

function heardIn(file: string, more: JsonObject = {}): HookInput {
  const heard = piHooks.read({ ...payloadIn(file), ...more })
  if (heard === null) throw new Error(`${file} was not understood`)
  return heard
}

test.each(recorded)('%s is understood, and blocked where it is a call', async (file) => {
  const { runtime, context } = openHookBench()
  await startRelease(runtime)
  const answerTo = (payload: JsonObject) => {
    const text = JSON.stringify(payload)
    return context.answer({ host: 'pi', payload: text, workspace: '/work', runId: null })
  }
  const payload = payloadIn(file)
  // An agent that has not worked may stop.
  const session_id = payload.session_id ?? null
  const first = { session_id, cwd: '/work', tool_use_id: 'first' }
  await answerTo({ ...payloadIn('tool_call-read.json'), ...first })
  const { exit, stderr } = await answerTo(payload)
  // The paths of the recordings are outside of this workspace, so nothing may be read either.
  const isBlocked = /^(?:tool_call|agent_before_settle)/.test(file)
  expect([exit, stderr === ''], stderr).toEqual(isBlocked ? [2, false] : [0, true])
})

test('how a command ended is read from what Pi says about it', () => {
  const reportOf = (more: JsonObject) => heardIn('tool_result-bash-failed.json', more).event
  expect(reportOf({})).toMatchObject({ report: { ok: false, exitCode: 3 } })
  const timedOut = { output: 'Command exited with code 0\n\nCommand timed out after 1 seconds' }
  expect(reportOf(timedOut)).toMatchObject({ report: { ok: false, exitCode: null } })
  // A command cannot talk its failure away.
  const lie = { output: 'Command exited with code 0\nCommand exited with code 7' }
  expect(reportOf(lie)).toMatchObject({ report: { ok: false, exitCode: 7 } })
  expect(heardIn('tool_result-bash.json').event).toMatchObject({
    report: { ok: true, exitCode: 0 },
  })
  expect(heardIn('tool_result-read.json').event).toMatchObject({ report: { exitCode: null } })
  expect(heardIn('tool_result-bash.json', { isError: 'no' }).event).toMatchObject({
    report: { ok: false },
  })
})

test('what another extension says is not the word of a person', () => {
  expect(heardIn('input.json').event).toMatchObject({ kind: 'prompt', by: 'person' })
  expect(heardIn('input.json', { source: 'extension' }).event).toMatchObject({ by: 'host' })
})

test('an answer of a model is told with its tokens', () => {
  const { uses } = heardIn('message_end.json')
  expect(uses).toMatchObject([{ model: 'mock-model', input: 10, output: 5 }])
})

test('a call is changed in place, and what cannot be read is not understood', () => {
  const heard = heardIn('tool_call-bash.json')
  const input = { command: 'ls' }
  expect(piHooks.answer(heard, { ...passAnswer, input, context: 'news' }, 'command')).toEqual({
    kind: 'json',
    json: { allow: true, args: input, context: 'news' },
  })
  const payload = payloadIn('tool_call-bash.json')
  for (const more of [{ tool_input: 'x' }, { session_id: '' }, { hook_event_name: 'user_bash' }]) {
    expect(piHooks.read({ ...payload, ...more })).toBe(null)
  }
})
