import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { type HookAnswer, type HookInput, passAnswer } from '../hook-protocol.ts'
import { kimiHooks } from './kimi.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/kimi-code')

function payloadIn(file: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
}

function heardIn(file: string): HookInput {
  const heard = kimiHooks.read(payloadIn(file))
  if (heard === null) throw new Error(`${file} was not understood`)
  return heard
}

function answerTo(file: string, word: Partial<Extract<HookAnswer, { kind: 'pass' }>>) {
  return kimiHooks.answer(heardIn(file), { ...passAnswer, ...word }, 'command')
}

test('a prompt is read from its parts, and is from a person', () => {
  const asked = { kind: 'prompt', by: 'person', text: 'go' }
  expect(heardIn('UserPromptSubmit.json').event).toEqual(asked)
  const prompt = [{ type: 'image_url' }, { type: 'text', text: 'look' }, null]
  const payload = { ...payloadIn('UserPromptSubmit.json'), prompt }
  expect(kimiHooks.read(payload)?.event).toMatchObject({ kind: 'prompt', text: '\nlook\n' })
})

test('only a prompt carries words to the model', () => {
  const context = 'the run is in `plan`'
  const told = { kind: 'json', json: { message: context } }
  expect(answerTo('UserPromptSubmit.json', { context })).toEqual(told)
  for (const file of ['SessionStart.json', 'PostToolUse-Bash.json', 'PreToolUse-Bash.json']) {
    expect(kimiHooks.tells(heardIn(file))).toBe(false)
    expect(answerTo(file, { context })).toEqual({ kind: 'json', json: {} })
  }
})

test.each(['PreToolUse-Bash.json', 'UserPromptSubmit.json'])(
  '%s is refused by the exit code, with the reason',
  (file) => {
    const word = { kind: 'refuse', reason: 'not now' } as const
    const block = { kind: 'block', reason: 'not now' }
    expect(kimiHooks.answer(heardIn(file), word, 'command')).toEqual(block)
  },
)

test('an agent that stops is sent on in JSON, because its hook always ends with 0', () => {
  const word = { kind: 'refuse', reason: 'go on' } as const
  expect(kimiHooks.answer(heardIn('Stop.json'), word, 'command')).toEqual({
    kind: 'json',
    json: {
      hookSpecificOutput: {
        hookEventName: 'Stop',
        permissionDecision: 'deny',
        permissionDecisionReason: 'go on',
      },
    },
  })
})

test('a call that would have to be changed is blocked, because the change would be ignored', () => {
  const input = { path: '/home/dev/project/b.txt', content: 'x' }
  for (const isOwn of [true, false]) {
    expect(answerTo('PreToolUse-Write.json', { input, isOwn }).kind).toBe('block')
  }
})

test('a call that would only be marked passes as it is', () => {
  const { event } = heardIn('PreToolUse-mcp__fs__write_file.json')
  if (event.kind !== 'call') throw new Error('it is a call')
  const input: JsonObject = { ...event.call.input, _pawl: { session: 's' } }
  const passed = { kind: 'json', json: {} }
  expect(answerTo('PreToolUse-mcp__fs__write_file.json', { input })).toEqual(passed)
})

test.each([
  ['PostToolUse-Bash.json', { ok: true, exitCode: 0, output: 'hi\n' }],
  ['PostToolUse-Bash-background.json', { ok: true, exitCode: null }],
  ['PostToolUseFailure-Bash-cwd.json', { ok: false, exitCode: 3 }],
  ['PostToolUseFailure-FetchURL.json', { ok: false, exitCode: null }],
  ['PostToolUse-Read.json', { ok: true, exitCode: null }],
])('%s tells how the call ended', (file, report) => {
  expect(heardIn(file).event).toMatchObject({ kind: 'report', report })
})

test('what a command prints is not taken for its exit code', () => {
  const message = 'Command failed with exit code: 0.\nCommand failed with exit code: 7.'
  const payload = { ...payloadIn('PostToolUseFailure-Bash-cwd.json'), error: { message } }
  expect(kimiHooks.read(payload)?.event).toMatchObject({ report: { ok: false, exitCode: 7 } })
})

test('a call and its end have the same key', () => {
  const [before, after] = ['PreToolUse-Bash.json', 'PostToolUse-Bash.json'].map(
    (file) => heardIn(file).event,
  )
  if (before?.kind !== 'call' || after?.kind !== 'report') throw new Error('they are a pair')
  expect(before.call.key).not.toBeNull()
  expect(after.call.key).toBe(before.call.key)
})

test('the files of a session are found in the settings of its user', () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-kimi-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  vi.stubEnv('KIMI_CODE_HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  // The program itself has named the folder of this one so.
  const stop = payloadIn('Stop.json')
  const payload = { ...stop, cwd: '/tmp/hosts-pk/trial/rec/project' }
  expect(kimiHooks.read(payload)?.transcripts).toEqual([])
  const session = join(home, 'sessions/wd_project_db919224b1cf', String(stop.session_id))
  for (const agent of ['main', 'agent-0']) {
    mkdirSync(join(session, 'agents', agent), { recursive: true })
  }
  const files = ['agent-0', 'main'].map((agent) => join(session, 'agents', agent, 'wire.jsonl'))
  expect(kimiHooks.read(payload)?.transcripts.toSorted()).toEqual(files)
  expect(kimiHooks.read({ ...payload, session_id: '../x' })?.transcripts).toEqual([])
})
