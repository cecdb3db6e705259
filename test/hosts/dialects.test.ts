/**
 * An agent in each real host finishes a workflow, a checklist and a form through `pawl mcp`. Beside
 * the tool that is always there it is offered the form's own, where its host reads the list again
 * within a turn; in Claude Code it looks for it and uses it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { checklist, form } from '../../src/main/mcp.contract.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import type { ScriptedCall, Turn } from '../../src/prove/model/script.ts'
import { putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { testedHosts, worldFor } from './hosts.ts'

const workflow = {
  id: 'ship',
  initial: 'plan',
  states: { plan: { on: { READY: 'done' } }, done: { type: 'final' } },
}

function callsFor({ host }: SandboxEnv): readonly ScriptedCall[] {
  const call = (tool: string, input: JsonObject = {}): ScriptedCall =>
    drivers[host].toolCalls.mcp({ server: 'pawl', tool, input })
  // Hosts read a changed list late, or once in a turn; this tool is always there.
  const submit = (fields: JsonObject): ScriptedCall => call('pawl_submit', { fields })
  return [
    call('pawl_load_workflow', { name: 'ship' }),
    call('pawl_transition', { event: 'READY' }),
    call('pawl_load_workflow', { name: 'backup' }),
    call('process_step', { answer: 'yes', state: 'made' }),
    call('process_step', { answer: 'yes' }),
    call('pawl_load_workflow', { name: 'trip' }),
    submit({ city: 'Oslo', mail: 'a@b.cd' }),
    ...(host === 'claude'
      ? [searchForTrip, call('book_trip', { sure: true })]
      : [submit({ sure: true })]),
  ]
}

/** Claude Code holds back what a server lists later, and says how its model gets it. */
const searchForTrip: ScriptedCall = {
  name: 'ToolSearch',
  input: { query: 'select:mcp__pawl__book_trip', max_results: 5 },
}

/** Codex reads the list once in a turn; Claude Code and Qwen Code offer what is new by a search. */
function offersNewTools(host: ProvableHostId): boolean {
  return host === 'gemini' || host === 'opencode'
}

/** WHY until: some hosts begin before the tools of a server are there. */
function turnsFor([first, ...rest]: readonly ScriptedCall[]): readonly Turn[] {
  const begun = first === undefined ? [] : [{ tools: [first], until: 'READY' }]
  return [...begun, ...rest.map(turnFor)]
}

/** Claude Code hears of a changed list a moment later. */
function turnFor(call: ScriptedCall): Turn {
  return call === searchForTrip ? { tools: [call], until: 'book_trip' } : { tools: [call] }
}

/**
 * How a person tells each host of the daemon's own server, as docs/reference/mcp.md shows it; null:
 * it has no MCP servers.
 */
const overHttp: Readonly<
  Record<ProvableHostId, ((url: string) => Readonly<Record<string, string>>) | null>
> = {
  claude: (url) => ({
    '.mcp.json': JSON.stringify({
      mcpServers: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in
        pawl: { type: 'http', url, headers: { Authorization: 'Bearer ${PAWL_TOKEN}' } },
      },
    }),
    '.claude/settings.local.json': JSON.stringify({ enabledMcpjsonServers: ['pawl'] }),
  }),
  codex: (url) => ({
    '.codex/config.toml': [
      '[mcp_servers.pawl]',
      `url = ${JSON.stringify(url)}`,
      'bearer_token_env_var = "PAWL_TOKEN"',
      '',
    ].join('\n'),
  }),
  gemini: (url) => ({
    '.gemini/settings.json': JSON.stringify({
      mcpServers: { pawl: { httpUrl: url, headers: { Authorization: 'Bearer $PAWL_TOKEN' } } },
    }),
  }),
  qwen: (url) => ({
    '.qwen/settings.json': JSON.stringify({
      mcpServers: { pawl: { httpUrl: url, headers: { Authorization: 'Bearer $PAWL_TOKEN' } } },
    }),
  }),
  copilot: (url) => ({
    '.mcp.json': JSON.stringify({
      mcpServers: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in
        pawl: { type: 'http', url, headers: { Authorization: 'Bearer ${PAWL_TOKEN}' } },
      },
    }),
  }),
  pi: null,
  cline: null,
  kimi: (url) => ({
    '.kimi-code/mcp.json': JSON.stringify({
      mcpServers: { pawl: { url, bearerTokenEnvVar: 'PAWL_TOKEN' } },
    }),
  }),
  opencode: (url) => ({
    'opencode.json': JSON.stringify({
      mcp: {
        pawl: { type: 'remote', url, headers: { Authorization: 'Bearer {env:PAWL_TOKEN}' } },
      },
    }),
  }),
}

const httpHosts = testedHosts.filter((host) => overHttp[host] !== null)

test.each(httpHosts)('%s: the server of the daemon is reached over HTTP', async (host) => {
  const world = await worldFor(host)
  putFile(world, '.pawl/definitions/ship.json', JSON.stringify(workflow))
  await world.mustPawl('runs')
  const { http } = JSON.parse(readFileSync(join(world.pawlHome, 'daemon.json'), 'utf8'))
  const url = new URL('/mcp', http)
  url.searchParams.set('workspace', world.project)
  for (const [name, text] of Object.entries(overHttp[host]?.(url.href) ?? {}))
    putFile(world, name, text)
  const token = readFileSync(join(world.pawlHome, 'agent.token'), 'utf8').trim()
  const calls = callsFor(world).slice(0, 2)
  const transcript = await drive({
    ...world,
    env: { ...world.env, PAWL_TOKEN: token },
    script: {
      turns: [...turnsFor(calls), { text: 'Done.' }],
    },
    timeoutMs: 120_000,
  })
  const told = transcript.calls.map((one) => `${one.name}: ${one.told}`).join('\n')
  const { items } = JSON.parse(await world.mustPawl('runs', '--all', '--json'))
  expect(items, told + transcript.output.slice(-1_000)).toMatchObject([
    { definition: 'ship', status: 'completed' },
  ])
})

test.each(testedHosts)('%s: a workflow, a checklist and a form are finished', async (host) => {
  const world = await worldFor(host)
  for (const one of [checklist.definition, form.definition, workflow]) {
    const name = 'id' in one ? one.id : one.name
    putFile(world, `.pawl/definitions/${name}.json`, JSON.stringify(one))
  }
  await world.mustPawl('init', host, '--yes')
  // WHY slowly: some hosts read a changed list again a few seconds after the last time.
  const pause = offersNewTools(host) ? { delayMs: 5_000 } : {}
  const turns = turnsFor(callsFor(world)).map((turn) =>
    turn.tools?.some(({ name }) => name.endsWith('pawl_submit')) ? { ...turn, ...pause } : turn,
  )
  const transcript = await drive({
    ...world,
    script: { turns: [...turns, { text: 'All done.', ...pause }] },
    timeoutMs: 180_000,
  })
  const told = transcript.calls.map((one) => `${one.name}: ${one.told}`).join('\n')
  const { items } = JSON.parse(await world.mustPawl('runs', '--all', '--json'))
  const ended = items.map((one: { definition: string; status: string }) => [
    one.definition,
    one.status,
  ])
  expect(ended.toSorted(), told).toEqual([
    ['backup', 'completed'],
    ['ship', 'completed'],
    ['trip', 'completed'],
  ])
  const offered = (name: string) =>
    transcript.exchanges.map((one) => one.offered.some((tool) => tool.endsWith(name)))
  const seen = offered('book_trip')
  // Not before the form was loaded, and then without asking: `list_changed` was honoured.
  if (offersNewTools(host)) expect([seen.at(0), seen.includes(true)]).toEqual([false, true])
  // WHY any of them: it may search before it has read the changed list again.
  const found = transcript.calls.filter(({ name }) => name === 'ToolSearch')
  if (host === 'claude') expect(found.map((one) => one.told).join(), told).toContain('book_trip')
})
