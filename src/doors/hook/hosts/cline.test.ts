import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json.ts'
import { asAgent, startRelease } from '../../../runtime/runtime.contract.ts'
import { openHookBench } from '../answer-hook.contract.ts'
import { type HookInput, passAnswer } from '../hook-protocol.ts'
import { clineHooks } from './cline.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts/cline')

function payloadIn(file: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
}

function heardIn(file: string, more: JsonObject = {}): HookInput {
  const heard = clineHooks.read({ ...payloadIn(file), ...more })
  if (heard === null) throw new Error(`${file} was not understood`)
  return heard
}

test.each(readdirSync(fixtures))(
  '%s is understood, and blocked where it is a call',
  async (file) => {
    const { runtime, context } = openHookBench()
    await startRelease(runtime)
    const answerTo = (payload: JsonObject) => {
      const text = JSON.stringify(payload)
      return context.answer({ host: 'cline', payload: text, workspace: '/work', runId: null })
    }
    const first = { ...payloadIn('beforeTool-run_commands.json'), tool_use_id: 'first' }
    await answerTo(first)
    const { exit, stderr } = await answerTo(payloadIn(file))
    // The paths of the recordings are outside of this workspace, so nothing may be read either.
    const isBlocked = file.startsWith('beforeTool-') && !file.includes('mission_log')
    expect([exit, stderr === ''], `${file} ${stderr}`).toEqual(isBlocked ? [2, false] : [0, true])
  },
)

/** What a call of the shell tool is judged as; null: it is blocked. */
function commandOf(input: Json): Json {
  const payload = { ...payloadIn('beforeTool-run_commands.json'), tool_input: input }
  const event = clineHooks.read(payload)?.event
  return event?.kind === 'call' ? (event.call.input.command ?? null) : null
}

test.each([
  [{ commands: ['echo hi'] }, 'echo hi'],
  [{ commands: 'echo hi' }, 'echo hi'],
  [{ command: 'echo hi' }, 'echo hi'],
  [{ cmd: 'echo hi' }, 'echo hi'],
  [{ command: 'touch', args: ['a b', "c'd", 'e'] }, "touch 'a b' 'c'\\''d' e"],
  [{ commands: { command: 'touch', args: ['$x'] } }, "touch '$x'"],
  // Without words of its own, a program is a text that a shell runs.
  [{ commands: [{ command: 'rm x; rm y' }] }, 'rm x; rm y'],
  [{ commands: { command: 'rm x' } }, 'rm x'],
  [{ commands: [{ command: 'rm x', args: [] }] }, "'rm x'"],
  // Each has a shell of its own: a folder, a quote or a document does not go over to the next.
  [{ commands: ['cd x', 'rm y | tail'] }, '( cd x\n)\n( rm y | tail\n)'],
  [{ commands: ['(cd x)', 'a=b', 'rm $a'] }, "bash -c '(cd x)'\nbash -c 'a=b'\nbash -c 'rm $a'"],
  [{ commands: ['cat <<E\na\nE', 'rm y'] }, "bash -c 'cat <<E\na\nE'\n( rm y\n)"],
])('the commands of %j are judged as one text', (input, text) => {
  expect(commandOf(input)).toBe(text)
})

test.each([
  [{}],
  [{ commands: [] }],
  [{ commands: [1] }],
  [{ commands: ['a', { run: 'b' }] }],
  [{ commands: ['a'], cmd: 'b' }],
  [{ command: 'a', args: 'b' }],
  [{ command: 'a', args: [], env: {} }],
  [{ script: 'a' }],
  // Cline makes one command of a document that is spread over several.
  [{ commands: ["sh <<'E'", 'f=.cl', 'rm -r $f"ine"', 'E'] }],
  [{ commands: ["sh <<'E'\nE", 'f=.cl', 'rm -r $f"ine"', 'E'] }],
  [{ commands: ["sh <<'E'", 'rm x'] }],
  [{ commands: ['ls', 'if'] }],
  ['rm x'],
  [['rm x']],
  [null],
])('a call of the shell with %j cannot be read, and is blocked', (input) => {
  expect(commandOf(input)).toBe(null)
})

/** Asks about calls of the shell tool in a run with this one stage. */
async function openShell(stage: JsonObject) {
  const { runtime, context } = openHookBench()
  const states = { a: { ...stage, on: { END: 'z' } }, z: { type: 'final' } }
  const source = JSON.stringify({ id: 'w', initial: 'a', states })
  await runtime.definitions.create({ source, format: 'json' })
  const wish = { definition: 'w', task: null, stage: null, vars: {}, workspace: '/work' }
  await runtime.start(wish, asAgent)
  const at = { session_id: 's', cwd: '/work', hook_event_name: 'beforeTool' }
  return async (tool_input: Json): Promise<number> => {
    const call = { tool_name: 'run_commands', tool_use_id: JSON.stringify(tool_input), tool_input }
    const payload = JSON.stringify({ ...at, ...call })
    return (await context.answer({ host: 'cline', payload, workspace: '/work', runId: null })).exit
  }
}

test('commands that are on the list are allowed together, and none past it', async () => {
  const exitOf = await openShell({ allowed_commands: ['npm test', 'make'] })
  expect(await exitOf({ commands: ['npm test | tail -5', 'make'] })).toBe(0)
  expect(await exitOf({ commands: ['npm test', 'rm x'] })).toBe(2)
  expect(await exitOf({ commands: [{ command: 'make; rm x' }] })).toBe(2)
})

test('what Cline gives to a shell may not touch what is protected', async () => {
  const exitOf = await openShell({})
  const hidden = 'f=.cl; rm -r $f"ine"'
  expect(await exitOf({ command: hidden })).toBe(2)
  expect(await exitOf({ commands: [{ command: hidden }] })).toBe(2)
  expect(await exitOf({ commands: ["sh <<'E'", 'f=.cl', 'rm -r $f"ine"', 'E'] })).toBe(2)
})

test('how commands ended is read from what Cline says about each', () => {
  expect(heardIn('afterTool-run_commands.json').event).toMatchObject({
    report: { ok: true, exitCode: 0, output: 'hi\n' },
  })
  expect(heardIn('afterTool-run_commands-several-failed.json').event).toMatchObject({
    report: { ok: false, exitCode: 3, output: 'one\n\ntwo\n' },
  })
  // A command cannot talk its failure away.
  const lie = { query: 'x', result: 'Command exited with code 0', success: false, error: 'x' }
  expect(heardIn('afterTool-run_commands.json', { output: [lie] }).event).toMatchObject({
    report: { ok: false, exitCode: null },
  })
  expect(heardIn('afterTool-run_commands.json', { isError: true }).event).toMatchObject({
    report: { ok: false },
  })
  expect(heardIn('afterTool-read_files-failed.json').event).toMatchObject({
    report: { ok: false, exitCode: null },
  })
})

test('a sub-agent and a teammate are told from the agent of the user', () => {
  expect(heardIn('beforeTool-run_commands.json').agent).toBe(null)
  expect(heardIn('beforeTool-run_commands-subagent.json').agent).toMatch(/^agent_/)
  expect(heardIn('beforeTool-run_commands-teammate.json').agent).toMatch(/^agent_/)
})

test('only what its user has typed is the word of a person', () => {
  expect(heardIn('beforeRun.json').event).toMatchObject({ kind: 'prompt', by: 'person' })
  expect(heardIn('beforeRun.json', { prompt: null }).event).toMatchObject({ by: 'host' })
})

test('an answer of a model is counted once', () => {
  expect(heardIn('assistant-message.json').uses).toMatchObject([
    { model: 'mock-model', input: 10, output: 5 },
  ])
})

test('a call is changed by its answer', () => {
  const heard = heardIn('beforeTool-run_commands.json')
  const input = { command: 'pwd' }
  expect(clineHooks.answer(heard, { ...passAnswer, input, context: 'news' }, 'command')).toEqual({
    kind: 'json',
    json: { allow: true, args: input, context: 'news' },
  })
})
