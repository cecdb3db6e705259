import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { pluginText } from './opencode-plugin.ts'

type Hook = (input: object, output?: object) => Promise<void>
type Plugin = { readonly [name: string]: Hook }

/** The plugin, loaded as opencode does, with a shell text in place of the client of hooks. */
async function load(hookCommand: string, client: object = {}): Promise<Plugin & { folder: never }> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-plugin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'pawl.mjs')
  const setting = { workspace: folder, hookCommand: hookCommand.replaceAll('FOLDER', folder) }
  writeFileSync(file, pluginText(setting as never))
  const { Pawl } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return { ...(await Pawl({ client, directory: folder })), folder }
}

const call = { sessionID: 's', callID: 'c', tool: 'bash' }

test('a call that is allowed goes on, and what happened is told as it is', async () => {
  const plugin = await load(`cat >> FOLDER/asked; echo '{"allow":true,"args":null}'`)
  const output = { args: { command: 'ls', text: 'grüße 🎉' } }
  await plugin['tool.execute.before']?.(call, output)
  expect(output.args.command).toBe('ls')
  const asked = JSON.parse(readFileSync(join(plugin.folder, 'asked'), 'utf8'))
  expect(asked).toEqual({
    hook_event_name: 'tool.execute.before',
    parentID: null,
    directory: plugin.folder,
    ...call,
    args: output.args,
  })
})

test('a call is rewritten in place', async () => {
  const plugin = await load(`echo '{"allow":true,"args":{"command":"pwd"}}'`)
  const args = { command: 'ls', timeout: 1 }
  await plugin['tool.execute.before']?.(call, { args })
  expect(args).toEqual({ command: 'pwd' })
})

test.each([
  ['is refused', "echo 'not in this stage' >&2; exit 2", 'not in this stage'],
  ['is refused without words', 'exit 2', 'Pawl refused this call'],
  ['gets no answer', 'exit 0', ''],
  ['gets another answer', 'echo \'{"allow":"true"}\'', 'did not allow'],
  ['gets no JSON', 'echo yes', ''],
  ['has a hook that fails', 'exit 1', 'could not run'],
  ['has no hook', '/nowhere/pawl-hook', 'not found'],
  ['has a hook that is killed', 'kill -9 $$', 'could not run'],
])('a call that %s is blocked', async (_, command, words) => {
  const plugin = await load(command)
  await expect(plugin['tool.execute.before']?.(call, { args: {} })).rejects.toThrow(words)
})

test('a sub-agent is told by its parent, from its beginning or by asking', async () => {
  const client = { session: { get: async () => ({ data: { parentID: 'asked' } }) } }
  const plugin = await load(
    `cat >> FOLDER/asked; echo >> FOLDER/asked; echo '{"allow":true}'`,
    client,
  )
  const event = { type: 'session.created', properties: { info: { id: 's', parentID: 'told' } } }
  await plugin.event?.({ event })
  await plugin['tool.execute.before']?.(call, { args: {} })
  await plugin['tool.execute.before']?.({ ...call, sessionID: 'other' }, { args: {} })
  const lines = readFileSync(join(plugin.folder, 'asked'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).parentID)).toEqual(['told', 'told', 'asked'])
})

test('what Pawl has to say is added to what the agent sees', async () => {
  const plugin = await load(`echo '{"allow":true,"context":"mind the stage"}'`)
  const output = { output: 'done', title: '', metadata: {} }
  await plugin['tool.execute.after']?.({ ...call, args: {} }, output)
  expect(output.output).toBe('done\n\nmind the stage')
  const parts = [{ type: 'text', text: 'go' }]
  await plugin['chat.message']?.({ sessionID: 's' }, { parts })
  expect(parts).toEqual([{ type: 'text', text: 'go\n\nmind the stage' }])
})

test('an unfinished run asks the agent to go on; a silent Pawl disturbs nobody', async () => {
  const prompts: object[] = []
  const promptAsync = async (prompt: object): Promise<void> => {
    prompts.push(prompt)
  }
  const event = { type: 'session.idle', properties: { sessionID: 's' } }
  const plugin = await load("echo 'go on' >&2; exit 2", { session: { promptAsync } })
  await plugin.event?.({ event })
  expect(prompts).toEqual([
    { path: { id: 's' }, body: { parts: [{ type: 'text', text: 'go on' }] } },
  ])
  const silent = await load('exit 1', { session: { promptAsync } })
  await silent.event?.({ event })
  await silent['tool.execute.after']?.({ ...call, args: {} }, { output: 'x' })
  await silent['chat.message']?.({ sessionID: 's' }, { parts: [] })
  expect(prompts).toHaveLength(1)
})
