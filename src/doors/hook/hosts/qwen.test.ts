import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { type HookAnswer, type HookInput, passAnswer } from '../hook-protocol.ts'
import { qwenHooks } from './qwen.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/qwen-code')

function heardIn(file: string): HookInput {
  const heard = qwenHooks.read(JSON.parse(readFileSync(join(fixtures, file), 'utf8')))
  if (heard === null) throw new Error(`${file} was not understood`)
  return heard
}

function answerTo(file: string, word: Partial<Extract<HookAnswer, { kind: 'pass' }>>) {
  return qwenHooks.answer(heardIn(file), { ...passAnswer, ...word }, 'command')
}

test('the result of a tool is no prompt, and only what was typed is from a person', () => {
  const prompts = { person: 'UserPromptSubmit.json', host: 'UserPromptSubmit-stop.json' }
  const [person, host] = [heardIn(prompts.person).event, heardIn(prompts.host).event]
  expect(person).toEqual({ kind: 'prompt', by: 'person', text: 'go on' })
  expect(host).toEqual({ kind: 'prompt', by: 'host', text: 'Pawl: go on please' })
  expect(heardIn('UserPromptSubmit-tool_result.json').event).toEqual({ kind: 'nothing' })
})

test('a call that would have to be changed is blocked, because the change would be ignored', () => {
  const input = { file_path: '/home/dev/project/b.txt', content: 'x' }
  for (const isOwn of [true, false]) {
    expect(answerTo('PreToolUse-write_file.json', { input, isOwn }).kind).toBe('block')
  }
})

test('a call that would only be marked passes as it is', () => {
  const { event } = heardIn('PreToolUse-mcp__fs__write_file.json')
  if (event.kind !== 'call') throw new Error('it is a call')
  const input: JsonObject = { ...event.call.input, _pawl: { session: 's' } }
  const word = { input, isOwn: false, context: 'news' }
  expect(answerTo('PreToolUse-mcp__fs__write_file.json', word)).toEqual({ kind: 'json', json: {} })
})

test.each([
  ['PostToolUse-run_shell_command.json', { ok: true, exitCode: 0, output: 'hi' }],
  ['PostToolUse-run_shell_command-background.json', { ok: true, exitCode: null }],
  ['PostToolUseFailure-run_shell_command.json', { ok: false, exitCode: 3 }],
  ['PostToolUseFailure-web_fetch.json', { ok: false, exitCode: null }],
  ['PostToolUse-read_file.json', { ok: true, exitCode: null, output: 'one\ntwo\n' }],
])('%s tells how the call ended', (file, report) => {
  expect(heardIn(file).event).toMatchObject({ kind: 'report', report })
})

test('a sub-agent has a transcript of its own, whichever file the host names', () => {
  const folder = '/home/user/.qwen/projects/-home-dev-project'
  const session = '00000000-0000-4000-8000-000000000001'
  expect(heardIn('Stop.json').transcripts).toEqual([`${folder}/chats/${session}.jsonl`])
  const file = `${folder}/subagents/${session}/agent-general-purpose-call_15_1.jsonl`
  for (const event of ['SubagentStop.json', 'PreToolUse-run_shell_command-subagent.json']) {
    expect(heardIn(event).transcripts).toEqual([file])
  }
  const odd = { ...JSON.parse(readFileSync(join(fixtures, 'SubagentStop.json'), 'utf8')) }
  expect(qwenHooks.read({ ...odd, agent_id: '../../x' })?.transcripts).toEqual([])
})
