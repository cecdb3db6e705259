import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { extensionText } from './pi-extension.ts'

type Handler = (event: object, ctx: object) => Promise<unknown>
type Tool = {
  readonly name: string
  readonly execute: (id: string, input: object) => Promise<object>
}

const ctx = { cwd: '/work', hasUI: false, sessionManager: { getSessionId: () => 's' } }
const call = { toolName: 'bash', toolCallId: 'c' }
const notes = (answer = '{"allow":true}'): string =>
  `cat >> FOLDER/asked; echo >> FOLDER/asked; echo '${answer}'`

/** A server that lists one tool, and answers what it was called with. */
const server = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const tools = [{ name: 'say', description: 'says', inputSchema: { type: 'object' } }]
    const text = JSON.stringify(params && params.arguments)
    const called = { content: [{ type: 'text', text }], isError: text === '{"bad":1}' }
    const result = method === 'tools/list' ? { tools } : method === 'tools/call' ? called : {}
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })`

/** The extension as Pi loads it, with a shell text in place of the client of hooks. */
async function load(hookCommand: string, userFile: string | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-extension-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [file, program] = [join(folder, 'pawl.mjs'), join(folder, 'server.cjs')]
  writeFileSync(program, server)
  const setting = {
    ...{ workspace: folder, userFile, node: process.execPath, program, home: folder },
    hookCommand: hookCommand.replaceAll('FOLDER', folder),
  }
  writeFileSync(file, extensionText(setting as never))
  const { default: extension } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const handlers = new Map<string, Handler>()
  const tools: Tool[] = []
  extension({
    on: (name: string, handler: Handler) => void handlers.set(name, handler),
    registerTool: (tool: Tool) => void tools.push(tool),
  })
  const emit = async (name: string, event: object = {}): Promise<unknown> =>
    handlers.get(name)?.(event, ctx)
  const asked = (): readonly object[] =>
    readFileSync(join(folder, 'asked'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  onTestFinished(async () => void (await emit('session_shutdown', { reason: 'reload' })))
  return { emit, asked, tools }
}

test('a call that is allowed goes on, and what happened is told as it is', async () => {
  const { emit, asked } = await load(notes())
  const input = { command: 'ls', text: 'grüße 🎉' }
  expect(await emit('tool_call', { ...call, input })).toBe(undefined)
  const told = { hook_event_name: 'tool_call', session_id: 's', cwd: '/work' }
  expect(asked()).toEqual([{ ...told, tool_name: 'bash', tool_use_id: 'c', tool_input: input }])
})

test('a call is rewritten in place', async () => {
  const { emit } = await load(notes('{"allow":true,"args":{"command":"pwd"}}'))
  const input = { command: 'ls', timeout: 1 }
  await emit('tool_call', { ...call, input })
  expect(input).toEqual({ command: 'pwd' })
})

test.each([
  ['is refused', "echo 'not in this stage' >&2; exit 2", 'not in this stage'],
  ['is refused without words', 'exit 2', 'Pawl denied this call'],
])('a call that %s is blocked with the reason', async (_, command, reason) => {
  const { emit } = await load(command)
  expect(await emit('tool_call', { ...call, input: {} })).toEqual({ block: true, reason })
})

test.each([
  ['gets no answer', 'exit 0', ''],
  ['gets another answer', 'echo \'{"allow":"true"}\'', 'did not allow'],
  ['gets no JSON', 'echo yes', ''],
  ['has a hook that fails', 'exit 1', 'could not run'],
  ['has no hook', '/nowhere/pawl-hook', 'not found'],
  ['has a hook that is killed', 'kill -9 $$', 'could not run'],
])('a call that %s is blocked', async (_, command, words) => {
  const { emit } = await load(command)
  // Pi blocks a call whose handler throws.
  await expect(emit('tool_call', { ...call, input: {} })).rejects.toThrow(words)
})

test('the extension of a user is silent where nothing is guarded, without tools', async () => {
  const { emit, tools } = await load('exit 0', 'extensions/pawl.js')
  await emit('session_start')
  expect(await emit('tool_call', { ...call, input: {} })).toBe(undefined)
  expect(tools).toEqual([])
})

test('what Pawl says reaches the model once, with the next prompt or result', async () => {
  const { emit } = await load(notes('{"allow":true,"context":"NEWS"}'))
  expect(await emit('input', { text: 'go', source: 'rpc' })).toEqual({ action: 'continue' })
  expect(await emit('before_agent_start')).toEqual({
    message: { customType: 'pawl', content: 'NEWS', display: false },
  })
  expect(await emit('before_agent_start')).toBe(undefined)
  const content = [{ type: 'text', text: 'hi' }]
  const result = await emit('tool_result', { ...call, input: {}, content, isError: false })
  expect(result).toEqual({ content: [...content, { type: 'text', text: 'NEWS' }] })
})

test('a prompt that is refused is not sent, and an agent that may not stop goes on', async () => {
  const { emit } = await load("echo 'not yet' >&2; exit 2")
  expect(await emit('input', { text: 'go', source: 'rpc' })).toEqual({ action: 'handled' })
  const settling = { outcome: 'completed', entries: [] }
  expect(await emit('agent_before_settle', settling)).toEqual({
    entries: [{ type: 'custom_message', customType: 'pawl', content: 'not yet', display: true }],
    continue: true,
  })
  expect(await emit('agent_before_settle', { ...settling, outcome: 'aborted' })).toBe(undefined)
})

test('an agent is not kept from stopping by a Pawl that cannot be asked', async () => {
  const { emit } = await load('exit 1')
  const settling = { outcome: 'completed', entries: [] }
  expect(await emit('agent_before_settle', settling)).toBe(undefined)
})

test('the tools of Pawl are offered when a session begins, by their own names', async () => {
  const { emit, tools } = await load(notes())
  await emit('session_start')
  expect(tools.map(({ name }) => name)).toEqual(['mcp__pawl__say'])
  const input = { a: 1, _pawl: { session: 's' } }
  expect(await tools[0]?.execute('c', input)).toMatchObject({
    content: [{ type: 'text', text: JSON.stringify(input) }],
  })
  await expect(tools[0]?.execute('c', { bad: 1 })).rejects.toThrow('{"bad":1}')
  await emit('session_shutdown', { reason: 'quit' })
  await expect(tools[0]?.execute('c', {})).rejects.toThrow('has ended')
})

test('the end of a session is told, and a reload is none', async () => {
  const { emit, asked } = await load(notes())
  await emit('session_shutdown', { reason: 'reload' })
  await emit('session_shutdown', { reason: 'quit' })
  expect(asked()).toMatchObject([{ hook_event_name: 'session_shutdown' }])
})
