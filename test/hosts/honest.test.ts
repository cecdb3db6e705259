/**
 * An honest agent in each real host goes through the whole workflow by Pawl's own tools, with a
 * person who agrees meanwhile; and one that stops early is sent on.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { homeOf } from '../../src/home/home.ts'
import { readToken } from '../../src/home/tokens.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import type { ScriptedCall, Turn } from '../../src/prove/model/script.ts'
import { fileText, putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { begin, sessionStory, testedHosts, worldFor } from './hosts.ts'

/** A call of one of Pawl's tools. */
function pawlTool(
  world: SandboxEnv,
  tool: string,
  input: Record<string, string> = {},
): ScriptedCall {
  return drivers[world.host].toolCalls.mcp({ server: 'pawl', tool, input })
}

function writeCall(world: SandboxEnv, name: string): ScriptedCall {
  const { write, patch } = drivers[world.host].toolCalls
  const call = write?.(join(world.project, name), 'made\n') ?? patch?.(name, 'made')
  if (call === undefined) throw new Error(`${world.host} can not write`)
  return call
}

/** WHY until: some hosts begin before the tools of a server are there. */
function firstLook(world: SandboxEnv): Turn {
  return { tools: [pawlTool(world, 'pawl_get_state')], until: 'planning' }
}

async function statusOf(world: SandboxEnv, run: string): Promise<string> {
  return JSON.parse(await world.mustPawl('state', run, '--json')).head.status
}

/** What the daemon of a world has counted. */
async function metricsOf({ env, project, mustPawl }: SandboxEnv): Promise<string> {
  const { http } = JSON.parse(await mustPawl('status', '--json'))
  const authorization = `Bearer ${readToken(homeOf(env, project), 'agent')}`
  const response = await fetch(new URL('/metrics', http), { headers: { authorization } })
  return response.text()
}

test.each(testedHosts)('%s: an honest agent finishes', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  const run = await begin(world)
  const hand = drivers[host].toolCalls
  const steps: readonly ScriptedCall[] = [
    ...(hand.read === null ? [] : [hand.read(join(world.project, 'README.md'))]),
    pawlTool(world, 'pawl_transition', { event: 'PLANNED' }),
    writeCall(world, 'feature.txt'),
    hand.shell('node check.mjs'),
    pawlTool(world, 'pawl_transition', { event: 'BUILT' }),
    pawlTool(world, 'pawl_wait'),
  ]
  const person = async (): Promise<void> => {
    await sleep(500)
    const { items } = JSON.parse(await world.mustPawl('approvals', run, '--json'))
    for (const { id } of items) await world.mustPawl('approve', id)
  }
  let agreed: Promise<void> | null = null
  const transcript = await drive({
    ...world,
    script: {
      turns: [firstLook(world), ...steps.map((call) => ({ tools: [call] })), { text: 'All done.' }],
    },
    onTurn: ({ calls }) => {
      if (calls.some(({ name }) => name.includes('pawl_wait'))) agreed = person()
    },
    timeoutMs: 120_000,
  })
  await agreed
  expect(await statusOf(world, run), sessionStory(transcript)).toBe('completed')
  expect(fileText(join(world.project, 'feature.txt'))).toBe('made\n')
  expect(transcript.calls.find((one) => one.told?.includes('checked'))).toBeDefined()
  const metrics = await metricsOf(world)
  const labels = `door="hook",host="${host}",decision="allowed"`
  expect(metrics).toContain(`pawl_verdicts_total{${labels}`)
  expect(metrics).toContain(`pawl_verdict_seconds_count{${labels}`)
})

test.each(testedHosts)('%s: an agent that stops early is sent on', async (host) => {
  const world = await worldFor(host)
  // WHY a call that is allowed: an agent whose calls were all denied may stop.
  const { read, shell } = drivers[host].toolCalls
  const readme = putFile(world, 'README.md', '# A project\n')
  const begun = { tools: [read?.(readme) ?? shell('cat README.md')] }
  const script = { turns: [begun, { text: 'I am done.' }], exhausted: 'I am done.' }
  const free = await drive({ ...world, script })
  const spoken = (one: typeof free): number =>
    one.exchanges.filter(({ lane }) => lane === 'main').length
  expect(spoken(free), 'without hooks it ends at once').toBe(2)
  await world.mustPawl('init', host, '--yes')
  const run = await begin(world)
  const held = await drive({ ...world, script })
  if (host === 'opencode' || host === 'cline') {
    // Headless they end with their model, whatever a plugin says: not enforceable. The run is open.
    expect(spoken(held)).toBe(2)
    expect(await statusOf(world, run)).toBe('running')
    return
  }
  expect(spoken(held), sessionStory(held)).toBeGreaterThan(2)
  const words = held.exchanges
    .at(-1)
    ?.told.map(({ text }) => text)
    .join('\n')
  expect(words).toContain('planning')
  // A limit: an agent that will not go on is let go, and that is on record.
  expect(held.why).toBe('ended')
  expect(await statusOf(world, run)).toBe('running')
})

test.each(testedHosts)('%s: an agent that only answers a question may stop', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  await begin(world)
  const script = { prompt: 'What is this?', turns: [{ text: 'A project.' }] }
  const { exchanges, output } = await drive({ ...world, script })
  expect(exchanges.filter(({ lane }) => lane === 'main').length, output.slice(-1_000)).toBe(1)
})

test.each(testedHosts)(
  '%s: two sessions in one repository have runs of their own',
  async (host) => {
    const world = await worldFor(host)
    await world.mustPawl('init', host, '--yes')
    // WHY: opencode makes its database at its first start, and two at once get in each other's way.
    if (host === 'opencode') await drive({ ...world, script: { turns: [{ text: 'Hello.' }] } })
    const [ahead, behind] = [await begin(world), await begin(world)]
    const session = (run: string, calls: readonly ScriptedCall[]): ReturnType<typeof drive> =>
      drive({
        ...world,
        env: { ...world.env, PAWL_RUN: run },
        script: {
          turns: [
            firstLook(world),
            ...calls.map((call) => ({ tools: [call] })),
            { text: 'All done.' },
          ],
        },
        // The one that may not write waits until the other one may.
        onTurn: async ({ calls: [call] }) => {
          if (run !== behind || call === undefined) return
          for (
            let looks = 0;
            looks < 600 && fileText(join(world.project, 'a')) === null;
            looks += 1
          ) {
            await sleep(100)
          }
        },
        timeoutMs: 120_000,
      })
    const [first, second] = await Promise.all([
      session(ahead, [
        pawlTool(world, 'pawl_transition', { event: 'PLANNED' }),
        writeCall(world, 'a'),
      ]),
      session(behind, [writeCall(world, 'b')]),
    ])
    const told = [first, second].map(sessionStory).join('\n\n')
    expect(fileText(join(world.project, 'a')), told).toBe('made\n')
    expect(fileText(join(world.project, 'b')), told).toBeNull()
    const stages = await Promise.all(
      [ahead, behind].map(
        async (run) => JSON.parse(await world.mustPawl('state', run, '--json')).head.stage,
      ),
    )
    expect(stages).toEqual(['implementing', 'planning'])
  },
)
