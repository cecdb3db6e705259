import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { clinePluginText } from './cline-plugin.ts'

type Tool = { readonly name: string; readonly execute: (input: object) => Promise<unknown> }

const call = { toolName: 'run_commands', toolCallId: 'c' }
const snapshot = { agentId: 'lead', messages: [] }
const before = { snapshot, toolCall: call, input: { commands: ['ls'] } }
const said = (answer: string): string => `cat >> FOLDER/asked; echo >> FOLDER/asked; ${answer}`
const allows = said(`echo '{"allow":true}'`)

/** A server that lists one tool, and answers what it was called with. */
const server = `
  const waitMs = Number(process.env.SLOW_MS || 0)
  const send = (text) => setTimeout(() => console.log(text), waitMs)
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const tools = [{ name: 'say', description: 'says', inputSchema: { type: 'object' } }]
    const text = JSON.stringify(params && params.arguments)
    const called = { content: [{ type: 'text', text }], isError: text === '{"bad":1}' }
    const result = method === 'tools/list' ? { tools } : method === 'tools/call' ? called : {}
    if (id !== undefined) send(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })`

/** The plugin as Cline loads it, with a shell text in place of the client of hooks. */
async function load(hookCommand: string, userFile: string | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-plugin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [file, program] = [join(folder, 'pawl.mjs'), join(folder, 'server.cjs')]
  writeFileSync(program, server)
  const setting = {
    ...{ workspace: folder, userFile, node: process.execPath, program, home: folder },
    hookCommand: hookCommand.replaceAll('FOLDER', folder),
  }
  writeFileSync(file, clinePluginText(setting as never))
  const { default: plugin } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const tools: Tool[] = []
  const api = { registerTool: (tool: Tool) => void tools.push(tool) }
  await plugin.setup(api, { session: { sessionId: 's' } })
  const asked = (): readonly Record<string, unknown>[] =>
    readFileSync(join(folder, 'asked'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { plugin, hooks: plugin.hooks, tools, asked }
}

test('a call that is allowed goes on, and what happened is told', async () => {
  const { hooks, asked } = await load(allows)
  await hooks.beforeRun({ snapshot })
  expect(await hooks.beforeTool(before)).toBe(undefined)
  await hooks.afterTool({ ...before, result: { output: 'hi' } })
  const told = { session_id: 's', tool_name: 'run_commands', tool_use_id: 'c' }
  expect(asked().slice(2)).toMatchObject([
    { hook_event_name: 'beforeTool', ...told, tool_input: { commands: ['ls'] } },
    { hook_event_name: 'afterTool', ...told, output: 'hi', isError: false },
  ])
})

test('a call is changed', async () => {
  const { hooks } = await load(`cat > /dev/null; echo '{"allow":true,"args":{"command":"pwd"}}'`)
  expect(await hooks.beforeTool(before)).toEqual({ input: { command: 'pwd' } })
})

test.each([
  ['is refused', "echo 'not in this stage' >&2; exit 2", 'not in this stage'],
  ['is refused without words', 'exit 2', 'Pawl denied this call'],
  ['cannot be judged', 'exit 1', 'the hook could not run'],
  ['is answered nothing', 'cat > /dev/null', 'JSON'],
  ['is answered with what is no answer', 'cat > /dev/null; echo {}', 'did not allow'],
  ['is not answered in time', 'exec sleep 9', 'took too long'],
])('a call that %s is skipped, and the session goes on', async (_, command, reason) => {
  const { hooks } = await load(command)
  const answer = await hooks.beforeTool(before)
  expect(answer).toEqual({ skip: true, reason: expect.stringContaining(reason) })
})

test('what was not let through is no result of a call', async () => {
  const { hooks, asked } = await load(said('echo no >&2; exit 2'))
  await hooks.beforeTool(before)
  await hooks.afterTool({ ...before, result: { output: { error: 'no' }, isError: true } })
  expect(asked().map((one) => one.hook_event_name)).toEqual(['setup', 'beforeTool'])
})

test('the hook of a user says nothing where nothing is guarded', async () => {
  const { plugin, hooks, tools } = await load('cat > /dev/null', '.cline/plugins/pawl.js')
  expect(await hooks.beforeTool(before)).toBe(undefined)
  expect(tools).toEqual([])
  // Cline keeps one plugin of a name.
  expect(plugin.name).toBe('pawl-user')
})

test('what Pawl says reaches the agent with the next result', async () => {
  const { hooks } = await load(`cat > /dev/null; echo '{"allow":true,"context":"be careful"}'`)
  await hooks.beforeTool(before)
  const after = await hooks.afterTool({ ...before, result: { output: 'x' } })
  expect(after.appendContext).toContain('be careful')
  expect(after.appendContext).not.toContain('undefined')
})

test('a prompt that is blocked ends the turn before it begins', async () => {
  const { hooks } = await load("echo 'paused' >&2; exit 2")
  expect(await hooks.beforeRun({ snapshot })).toEqual({ stop: true, reason: 'paused' })
})

test.each([
  ['typed', '<user_input mode="act">fix\nit</user_input>', 'fix\nit'],
  ['handed on', 'fix it', null],
])('what was %s is told as such', async (_, text, prompt) => {
  const { hooks, asked } = await load(allows)
  const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
  await hooks.beforeRun({ snapshot: { ...snapshot, messages } })
  expect(asked().at(-1)).toMatchObject({ hook_event_name: 'beforeRun', prompt })
})

test('the calls of other agents say whose they are, and their prompts are not told', async () => {
  const { hooks, asked } = await load(allows)
  await hooks.beforeRun({ snapshot })
  for (const other of [{ agentId: 'mate' }, { agentId: 'sub', parentAgentId: 'lead' }]) {
    await hooks.beforeRun({ snapshot: { ...snapshot, ...other } })
    await hooks.beforeTool({ ...before, snapshot: { ...snapshot, ...other } })
  }
  await hooks.beforeTool(before)
  const told = asked().filter((one) => one.hook_event_name !== 'setup')
  expect(told.map((one) => [one.hook_event_name, one.agent_id ?? null])).toEqual([
    ...[
      ['beforeRun', null],
      ['beforeTool', 'mate'],
      ['beforeTool', 'sub'],
      ['beforeTool', null],
    ],
  ])
})

test.each([
  ['a session of its own knows the run that the environment names', '', 'run-1'],
  ['in the hub, the environment is that of another session', '1', ''],
])('%s', async (_, noInteractive, run) => {
  vi.stubEnv('PAWL_RUN', 'run-1')
  vi.stubEnv('CLINE_NO_INTERACTIVE', noInteractive)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { hooks } = await load('cat > /dev/null; echo "{\\"run\\":\\"$PAWL_RUN\\"}" >&2; exit 2')
  const { reason } = await hooks.beforeTool(before)
  expect(JSON.parse(reason)).toEqual({ run })
})

test('the tools of Pawl are offered, and called', async () => {
  const { tools } = await load(allows)
  expect(tools.map(({ name }) => name)).toEqual(['pawl__say'])
  expect(await tools[0]?.execute({ a: 1 })).toBe('{"a":1}')
  await expect(tools[0]?.execute({ bad: 1 })).rejects.toThrow('{"bad":1}')
})

test('a server that is slow is waited for as long as Cline waits for the plugin', async () => {
  vi.stubEnv('SLOW_MS', '1500')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect((await load(allows)).tools).toEqual([])
  vi.stubEnv('CLINE_PLUGIN_IMPORT_TIMEOUT_MS', '60000')
  expect((await load(allows)).tools.map(({ name }) => name)).toEqual(['pawl__say'])
})
