import { expect, test } from 'vitest'
import { loadPlugin, notes, sessionsOf } from './opencode-plugin.contract.ts'

const call = { sessionID: 's', callID: 'c', tool: 'bash' }
const lone = sessionsOf({ s: null })

test('a call that is allowed goes on, and what happened is told as it is', async () => {
  const { plugin, asked } = await loadPlugin(notes('{"allow":true,"args":null}'), lone)
  const output = { args: { command: 'ls', text: 'grüße 🎉' } }
  await plugin['tool.execute.before']?.(call, output)
  expect(output.args.command).toBe('ls')
  const told = { hook_event_name: 'tool.execute.before', parentID: null, directory: '/work' }
  expect(asked()).toEqual([{ ...told, ...call, args: output.args }])
})

test('a call is rewritten in place', async () => {
  const { plugin } = await loadPlugin(notes('{"allow":true,"args":{"command":"pwd"}}'), lone)
  const args = { command: 'ls', timeout: 1 }
  await plugin['tool.execute.before']?.(call, { args })
  expect(args).toEqual({ command: 'pwd' })
})

test.each([
  ['is refused', "echo 'not in this stage' >&2; exit 2", 'not in this stage'],
  ['is refused without words', 'exit 2', 'Pawl denied this call'],
  ['gets no answer', 'exit 0', ''],
  ['gets another answer', 'echo \'{"allow":"true"}\'', 'did not allow'],
  ['gets no JSON', 'echo yes', ''],
  ['has a hook that fails', 'exit 1', 'could not run'],
  ['has no hook', '/nowhere/pawl-hook', 'not found'],
  ['has a hook that is killed', 'kill -9 $$', 'could not run'],
])('a call that %s is blocked', async (_, command, words) => {
  const { plugin } = await loadPlugin(command, lone)
  await expect(plugin['tool.execute.before']?.(call, { args: {} })).rejects.toThrow(words)
})

test('a sub-agent is told by the session at the root, however deep it is', async () => {
  const chain = { s: null, a: 's', b: 'a', c: 'b' }
  const { plugin, asked } = await loadPlugin(notes(), sessionsOf(chain))
  for (const sessionID of ['c', 'a', 's']) {
    await plugin['tool.execute.before']?.({ ...call, sessionID }, { args: {} })
  }
  const info = { id: 'd', parentID: 'c' }
  await plugin.event?.({ event: { type: 'session.created', properties: { info } } })
  expect(asked().map(({ sessionID, parentID }) => [sessionID, parentID])).toEqual([
    ...[['c', 's'], ['a', 's'], ['s', null], ['d', 's']], // biome-ignore format: pairs
  ])
})

test('sessions that never come to a root block their calls', async () => {
  const { plugin } = await loadPlugin(notes(), sessionsOf({ a: 'b', b: 'a' }))
  const inLoop = plugin['tool.execute.before']?.({ ...call, sessionID: 'a' }, { args: {} })
  await expect(inLoop).rejects.toThrow('unknown session')
})

test.each([
  ['is not found', async () => ({ error: { name: 'NotFoundError' } })],
  ['cannot be asked for', async () => Promise.reject(new Error('closed'))],
  ['is another one', async () => ({ data: { id: 'x' } })],
])('a call whose session %s is blocked, until it is told', async (_, failing) => {
  let get: () => Promise<object> = failing
  const { plugin } = await loadPlugin(notes(), { session: { get: () => get() } })
  const before = (): Promise<void> | undefined =>
    plugin['tool.execute.before']?.(call, { args: {} })
  await expect(before()).rejects.toThrow('unknown session')
  get = async () => ({ data: { id: 's' } })
  await before()
  get = failing
  await before()
})

test('without a client of opencode every call is blocked', async () => {
  const { plugin } = await loadPlugin(notes(), {})
  await expect(plugin['tool.execute.before']?.(call, { args: {} })).rejects.toThrow(
    'unknown session',
  )
})

test('when opencode ends, the end of each session is told after all else', async () => {
  const slowly = 'read -r line; case "$line" in *idle*) sleep 0.3;; esac'
  const { plugin, asked } = await loadPlugin(
    `${slowly}; printf '%s\\n' "$line" >> FOLDER/asked`,
    sessionsOf({ s: null, t: null, sub: 't' }),
  )
  const idle = (sessionID: string): object => ({
    event: { type: 'session.idle', properties: { sessionID } },
  })
  const telling = [plugin.event?.(idle('s')), plugin.event?.(idle('sub'))]
  await plugin.dispose?.()
  await Promise.all(telling)
  await plugin.event?.(idle('s'))
  const told = asked().map(({ hook_event_name, sessionID }) => `${hook_event_name} ${sessionID}`)
  expect(told.slice(0, 2).sort()).toEqual(['session.idle s', 'session.idle sub'])
  expect(told.slice(2).sort()).toEqual(['session.deleted s', 'session.deleted t'])
})

test('a Pawl that hangs does not keep opencode from ending', async () => {
  const { plugin } = await loadPlugin('exec sleep 20', lone)
  plugin['tool.execute.before']?.(call, { args: {} }).catch(() => undefined)
  const begun = performance.now()
  await plugin.dispose?.()
  expect(performance.now() - begun).toBeLessThan(4_000)
})

test('a session that is deleted is told, and its sub-agents are not its end', async () => {
  const { plugin, asked } = await loadPlugin(notes(), sessionsOf({}))
  const deleted = (info: object): object => ({
    event: { type: 'session.deleted', properties: { info } },
  })
  await plugin.event?.(deleted({ id: 'sub', parentID: 's' }))
  await plugin.event?.(deleted({ id: 's' }))
  expect(asked()).toMatchObject([{ hook_event_name: 'session.deleted', sessionID: 's' }])
  await plugin.dispose?.()
  expect(asked()).toHaveLength(1)
})

test('what Pawl has to say is added to what the agent sees', async () => {
  const { plugin } = await loadPlugin(notes('{"allow":true,"context":"mind the stage"}'), lone)
  const output = { output: 'done', title: '', metadata: {} }
  await plugin['tool.execute.after']?.({ ...call, args: {} }, output)
  expect(output.output).toBe('done\n\nmind the stage')
  const parts = [{ type: 'text', text: 'go' }]
  await plugin['chat.message']?.({ sessionID: 's' }, { parts })
  expect(parts).toEqual([{ type: 'text', text: 'go\n\nmind the stage' }])
})

test('after a compaction the agent is told where it stands, with its next result', async () => {
  const answers = `case "$line" in *compacted*) echo '{"allow":true,"context":"stage plan"}';; esac`
  const { plugin } = await loadPlugin(`read -r line; ${answers}`, lone)
  const compacted = { type: 'session.compacted', properties: { sessionID: 's' } }
  await plugin.event?.({ event: compacted })
  const results = []
  for (const callID of ['c', 'd']) {
    const output = { output: 'done' }
    await plugin['tool.execute.after']?.({ ...call, callID, args: {} }, output)
    results.push(output.output)
  }
  expect(results).toEqual(['done\n\nstage plan', 'done'])
})

test('an unfinished run asks the agent to go on; a silent Pawl disturbs nobody', async () => {
  const prompts: object[] = []
  const promptAsync = async (prompt: object): Promise<void> => {
    prompts.push(prompt)
  }
  const get = async (): Promise<object> => ({ data: { id: 's' } })
  const client = { session: { promptAsync, get } }
  const event = { type: 'session.idle', properties: { sessionID: 's' } }
  const { plugin } = await loadPlugin("echo 'go on' >&2; exit 2", client)
  await plugin.event?.({ event })
  expect(prompts).toEqual([
    { path: { id: 's' }, body: { parts: [{ type: 'text', text: 'go on' }] } },
  ])
  const { plugin: silent } = await loadPlugin('exit 1', client)
  await silent.event?.({ event })
  await silent['tool.execute.after']?.({ ...call, args: {} }, { output: 'x' })
  await silent['chat.message']?.({ sessionID: 's' }, { parts: [] })
  expect(prompts).toHaveLength(1)
})
