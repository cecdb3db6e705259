/**
 * An agent in each real host reaches the reference server for files through `pawl gateway`: what
 * the stage allows answers, what is protected is refused, and what a person has to agree to waits
 * for them and is made once.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import type { McpServer } from '../../src/prove/hosts/host.ts'
import type { ScriptedCall, Turn } from '../../src/prove/model/script.ts'
import { fileText, putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { filesystemServer, plainHosts, testedHosts, worldFor } from './hosts.ts'

const definition = {
  id: 'files',
  initial: 'work',
  policy: { ask: [{ capability: 'mcp:files:write_file' }], allow: [{ capability: '*' }] },
  states: {
    work: {
      allowed_tools: ['mcp__files__read_text_file', 'mcp__files__write_file'],
      on: { DONE: 'end' },
    },
    end: { type: 'final' },
  },
}

const waitSeconds = 40

/** The person's own file of servers, and the entry that a host has instead of them. */
function putGateway(world: SandboxEnv): Readonly<Record<string, McpServer>> {
  const { pawlHome, project, env } = world
  mkdirSync(pawlHome, { recursive: true, mode: 0o700 })
  const file = { askWaitSeconds: waitSeconds, mcpServers: { files: filesystemServer(world) } }
  writeFileSync(join(pawlHome, 'gateway.json'), JSON.stringify(file))
  // WHY by `env`: Codex gives servers next to nothing of its own environment.
  const named = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const args = [...named, 'pawl', 'gateway', '--workspace', project]
  return { 'pawl-gateway': { command: 'env', args } }
}

function throughGateway({ host }: SandboxEnv, tool: string, input: JsonObject): ScriptedCall {
  return drivers[host].toolCalls.mcp({ server: 'pawl-gateway', tool: `files__${tool}`, input })
}

/** WHY until: some hosts begin before the tools of a server are there. */
function turnsOf([first, ...rest]: readonly ScriptedCall[]): readonly Turn[] {
  const begun = first === undefined ? [] : [{ tools: [first], until: 'what was noted' }]
  return [...begun, ...rest.map((call) => ({ tools: [call] }))]
}

/** Agrees to the first question that comes up; gives how many there were. */
async function agree(world: SandboxEnv, run: string): Promise<number> {
  for (let looks = 0; looks < 4 * waitSeconds; looks += 1) {
    const { items } = JSON.parse(await world.mustPawl('approvals', run, '--json'))
    for (const { id } of items) await world.mustPawl('approve', id)
    if (items.length > 0) return items.length
    await sleep(250)
  }
  return 0
}

test.each(testedHosts.filter((host) => !plainHosts.has(host)))(
  '%s: calls through the gateway are judged, asked, made once',
  async (host) => {
    const world = await worldFor(host)
    const { project } = world
    putFile(world, 'notes.txt', 'what was noted\n')
    const file = putFile(world, 'files.json', JSON.stringify(definition))
    const mcp = putGateway(world)
    await world.mustPawl('init', host, '--yes')
    const { runId: run } = JSON.parse(await world.mustPawl('start', file, '--json'))
    const [made, kept] = [join(project, 'made.txt'), join(project, '.pawl', 'policy.json')]
    const calls = [
      throughGateway(world, 'read_text_file', { path: join(project, 'notes.txt') }),
      throughGateway(world, 'write_file', { path: kept, content: '{}' }),
      throughGateway(world, 'write_file', { path: made, content: 'made' }),
    ]
    let agreed: Promise<number> | null = null
    const transcript = await drive({
      ...{ ...world, mcp },
      script: { turns: [...turnsOf(calls), { text: 'Done.' }] },
      onTurn: ({ calls: [call] }) => {
        const isAsked = JSON.stringify(call?.input ?? '').includes('made.txt')
        if (isAsked) agreed ??= agree(world, run).catch(() => 0)
      },
      timeoutMs: 180_000,
    })
    const told = transcript.calls.slice(-calls.length).map((one) => one.told ?? '')
    const all = [
      ...transcript.calls.map((one) => `${one.name}: ${one.told}`),
      transcript.output.slice(-1_000),
    ].join('\n')
    expect(told[0], all).toContain('what was noted')
    expect(told[1], all).toContain('PATH_PROTECTED')
    expect(fileText(kept)).toBeNull()
    expect(await agreed, all).toBe(1)
    expect(fileText(made), all).toBe('made')
    const { items } = JSON.parse(await world.mustPawl('log', run, '--json'))
    const counted = (type: string): number =>
      items.filter((one: JsonObject) => one.type === type && JSON.stringify(one).includes('files'))
        .length
    expect([counted('call.allowed'), counted('call.asked')], JSON.stringify(items)).toEqual([2, 1])
    const offered = transcript.exchanges.flatMap((one) => one.offered)
    expect(offered.some((tool) => /files__?edit_file$/.test(tool))).toBe(false)
  },
)
