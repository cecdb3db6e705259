import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { type HookAnswer, type HookInput, passAnswer } from '../hook-protocol.ts'
import { copilotHooks } from './copilot.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/copilot-cli')
const refused = { kind: 'refuse', reason: 'not now' } as const

function payloadIn(file: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
}

function heardIn(file: string): HookInput {
  const heard = copilotHooks.read(payloadIn(file))
  if (heard === null) throw new Error(`${file} was not understood`)
  return heard
}

function answerTo(file: string, word: HookAnswer) {
  return copilotHooks.answer(heardIn(file), word, 'command')
}

test('a refusal is JSON, because an exit code hides its reason and lets a prompt pass', () => {
  expect(answerTo('PreToolUse-Bash.json', refused)).toEqual({
    kind: 'json',
    json: { permissionDecision: 'deny', permissionDecisionReason: 'not now' },
  })
  for (const file of ['UserPromptSubmit.json', 'Stop.json', 'SubagentStop.json']) {
    const json = { decision: 'block', reason: 'not now' }
    expect(answerTo(file, refused), file).toEqual({ kind: 'json', json })
  }
})

test('a call is made with the input that it should have', () => {
  const input = { command: 'ls', description: 'look' }
  expect(answerTo('PreToolUse-Bash.json', { ...passAnswer, input, context: 'news' })).toEqual({
    kind: 'json',
    json: { modifiedArgs: input, additionalContext: 'news' },
  })
  expect(answerTo('PreToolUse-Bash.json', passAnswer)).toEqual({ kind: 'json', json: {} })
})

test('a patch is a call of its own tool, and blocked if it would have to be changed', () => {
  const { event } = heardIn('PreToolUse-apply_patch.json')
  expect(event).toMatchObject({ kind: 'call', call: { tool: 'apply_patch' } })
  const word = { ...passAnswer, input: { patch: 'x' } }
  expect(answerTo('PreToolUse-apply_patch.json', word).kind).toBe('block')
})

test('a text that is no patch of its own tool is not understood', () => {
  const payload = payloadIn('PreToolUse-apply_patch.json')
  for (const more of [{ tool_input: 'rm -rf .' }, { tool_name: 'Bash' }]) {
    expect(copilotHooks.read({ ...payload, ...more })).toBe(null)
  }
})

test('a sub-agent belongs to the session that has started it', () => {
  const { session } = heardIn('SubagentStart.json')
  for (const file of ['SubagentStart', 'UserPromptSubmit-subagent', 'PreToolUse-Bash-subagent']) {
    const heard = heardIn(`${file}.json`)
    expect(heard.session, file).toBe(session)
    expect(heard.agent, file).not.toBe(null)
  }
  expect(heardIn('SubagentStart.json').event).toEqual({ kind: 'agent-begin' })
  expect(heardIn('SubagentStop.json').event).toEqual({ kind: 'agent-stop' })
  expect(heardIn('Stop-subagent.json').event).toEqual({ kind: 'nothing' })
})

test.each([
  ['go', 'person'],
  ['Pawl: the run is not finished', 'host'],
  ['<system_notification>\nShell command "x" has completed.\n</system_notification>', 'host'],
])('a prompt %j is from a %s', (prompt, by) => {
  const heard = copilotHooks.read({ ...payloadIn('UserPromptSubmit.json'), prompt })
  expect(heard?.event).toMatchObject({ kind: 'prompt', by, text: prompt })
})

test('a question about a permission is left to its user', () => {
  const fields = { hookName: 'permissionRequest', sessionId: 's', toolName: 'bash' }
  const heard = copilotHooks.read({ ...fields, timestamp: 1, toolInput: { command: 'ls' } })
  expect(heard?.event).toEqual({ kind: 'nothing' })
  expect(copilotHooks.read({ hookName: 'permissionRequest' })).toBe(null)
})

test('what a sub-agent is told is from no person', () => {
  expect(heardIn('UserPromptSubmit-subagent.json').event).toMatchObject({ by: 'host' })
})

const ended = (code: number) => `hi\n<shellId: 0 completed with exit code ${code}>`

test.each([
  [ended(0), { ok: true, exitCode: 0 }],
  [ended(3), { ok: false, exitCode: 3 }],
  [`${ended(0)}\nand more`, { ok: true, exitCode: null }],
])('the result %j tells how a command ended', (text, report) => {
  const result = { result_type: 'success', text_result_for_llm: text }
  const payload = { ...payloadIn('PostToolUse-Bash-subagent.json'), tool_result: result }
  expect(copilotHooks.read(payload)?.event).toMatchObject({ kind: 'report', report })
})

test.each([
  ['PostToolUse-Bash-background.json', { ok: true, exitCode: null }],
  ['PostToolUseFailure-Read.json', { ok: false, exitCode: null }],
  ['PostToolUse-Read.json', { ok: true, exitCode: null, output: 'alpha\n' }],
])('%s tells how the call ended', (file, report) => {
  expect(heardIn(file).event).toMatchObject({ kind: 'report', report })
})
