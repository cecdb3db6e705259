/**
 * Cline without a person: `cline --json`, which asks nobody about a call, so that only a plugin can
 * stop one. Its model is a provider of one's own, so it needs no account.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver, HostPlace } from './host.ts'
import { putServers } from './put-servers.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'run_commands', input: { commands: [command] } }),
  background: null,
  read: (path) => ({ name: 'read_files', input: { files: [{ path }] } }),
  write: (path, text) => ({ name: 'editor', input: { path, new_text: text } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'editor', input: { path, old_text: before, new_text: after } }),
  ],
  // Only models of OpenAI are offered it.
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({
    name: 'fetch_web_content',
    input: { requests: [{ url, prompt: 'What does it say?' }] },
  }),
  mcp: ({ server, tool, input }) => ({ name: `${server}__${tool}`, input }),
  agent: (prompt) => ({
    name: 'spawn_agent',
    input: { systemPrompt: 'You are a helper.', task: prompt },
  }),
  agentEnd: lastTurn,
  typing: null,
}

const dataFolder = (home: string): string => join(home, '.cline', 'data')
const provider = 'openai-compatible'

export const clineDriver: Driver = {
  env: ({ home }) => ({
    CLINE_DIR: join(home, '.cline'),
    CLINE_NO_AUTO_UPDATE: '1',
    // WHY: many sessions start at once, and one whose plugin is late is not guarded.
    CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '60000',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 120_000,
  unenforceable: {},
  declared: {},
  untried: {
    resumed: 'it goes on with a session only in a terminal, where it loads its plugin as well',
  },
  prepare,
  start: ({ home, modelUrl, prompt, mcp }) => {
    const settings = putProvider(home, modelUrl)
    putServers(serversFile(home), mcp)
    return {
      env: { CLINE_PROVIDER_SETTINGS_PATH: settings },
      args: [
        // WHY so many: after six refused calls in a row it ends.
        ...['--json', '-P', provider, '--retries', '1000'],
        // A prompt of one word is taken for a command.
        `Please: ${prompt}`,
      ],
    }
  },
}

/** Settings for this session: sessions that start at the same moment have models of their own. */
function putProvider(home: string, modelUrl: string): string {
  const file = join(dataFolder(home), 'settings', `providers-${new URL(modelUrl).port}.json`)
  const settings = { provider, apiKey: 'sk-test', model: 'mock-model', baseUrl: `${modelUrl}/v1` }
  const one = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
  const all = { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: one } }
  writeFileSync(file, JSON.stringify(all))
  return file
}

function serversFile(home: string): string {
  return join(dataFolder(home), 'settings', 'cline_mcp_settings.json')
}

function prepare({ home }: HostPlace): void {
  mkdirSync(join(dataFolder(home), 'settings'), { recursive: true })
  writeFileSync(serversFile(home), '{}')
  const settings = { telemetryOptOut: true, autoUpdateEnabled: false }
  writeFileSync(
    join(dataFolder(home), 'settings', 'global-settings.json'),
    JSON.stringify(settings),
  )
}
