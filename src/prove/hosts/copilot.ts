/**
 * Copilot CLI without a person: `copilot -p` with everything allowed, so that only hooks can stop a
 * call. Its model is a provider of one's own, so it needs no account.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { copilotHost } from '../../core/hosts/copilot.ts'
import type { Driver, HostPlace } from './host.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'bash', input: { command, description: 'work' } }),
  background: (command) => ({
    name: 'bash',
    input: { command, description: 'work', mode: 'async' },
  }),
  read: (path) => ({ name: 'view', input: { path } }),
  write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'edit', input: { path, old_str: before, new_str: after } }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'web_fetch', input: { url } }),
  mcp: ({ server, tool, input }) => ({ name: `${server}-${tool}`, input }),
  agent: (prompt) => ({
    name: 'task',
    input: {
      ...{ name: 'helper', description: 'work', prompt },
      ...{ agent_type: 'general-purpose', mode: 'sync' },
    },
  }),
  agentEnd: lastTurn,
  typing: null,
}

export const copilotDriver: Driver = {
  env: ({ home }) => ({
    COPILOT_HOME: join(home, '.copilot'),
    COPILOT_CACHE_HOME: cacheFolder(process.env),
    COPILOT_OFFLINE: 'true',
    COPILOT_MODEL: 'mock-model',
    COPILOT_PROVIDER_API_KEY: 'sk-test',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 130_000,
  unenforceable: {},
  declared: {},
  prepare,
  start: ({ modelUrl, prompt, mcp, isResumed }) => ({
    env: { [copilotHost.model.baseUrlVariable]: `${modelUrl}/v1` },
    args: [
      ...['--allow-all', '--no-ask-user', '--output-format', 'json'],
      ...['--additional-mcp-config', JSON.stringify({ mcpServers: serversOf(mcp) })],
      ...(isResumed ? ['--continue'] : []),
      ...['-p', prompt],
    ],
  }),
}

/**
 * Where it unpacks its own program, once for each version.
 * WHY the user's: it holds no settings, and 235 megabytes would be unpacked for every session.
 */
function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const caches = process.platform === 'darwin' ? join('Library', 'Caches') : '.cache'
  const folder = env.XDG_CACHE_HOME || join(homedir(), caches)
  return env.COPILOT_CACHE_HOME || join(folder, 'copilot')
}

function serversOf(mcp: Parameters<Driver['start']>[0]['mcp']): object {
  const servers = Object.entries(mcp).map(([name, one]) => [
    name,
    { type: 'local', ...one, tools: ['*'] },
  ])
  return Object.fromEntries(servers)
}

/** What its user would have answered in a first session: that the folder is to be trusted. */
function prepare({ home, project }: HostPlace): void {
  const file = join(home, '.copilot', 'config.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ trustedFolders: [project] }))
}
