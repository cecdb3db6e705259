/**
 * Cline without a person: `cline --json`, which asks nobody about a call, so that only a plugin can
 * stop one. Its model is a provider of one's own, so it needs no account.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver, HostPlace, Start } from './host.ts'
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

/** Providers that speak the chat protocol and can be reached elsewhere; enough for all at once. */
const chatProviders = ['openai-compatible', 'deepseek', 'groq', 'together', 'fireworks', 'nebius']
const envelope = { version: 1, modes: {}, providers: {} }
/** Little room: in it a session is compacted as soon as its model says that it has grown. */
const contextWindow = 24_000

const dataFolder = (home: string): string => join(home, '.cline', 'data')

export const clineDriver: Driver = {
  env: ({ home }) => ({
    CLINE_DIR: join(home, '.cline'),
    CLINE_NO_AUTO_UPDATE: '1',
    // WHY: many sessions start at once, and one whose plugin is late is not guarded.
    CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '60000',
  }),
  toolCalls,
  codeMode: null,
  // It believes a model no more than four times its own count.
  compactsAt: 120_000,
  compactsNew: true,
  unenforceable: {},
  declared: {},
  prepare,
  start: ({ project, home, modelUrl, prompt, mcp, isResumed, hasLittleRoom }) => {
    const provider = putProvider(home, modelUrl, hasLittleRoom ? { contextWindow } : {})
    putServers(serversFile(home), mcp)
    // A prompt of one word is taken for a command.
    const text = `Please: ${prompt}`
    if (isResumed) return resumed({ project, home, provider, text })
    // WHY so many: after six refused calls in a row it ends.
    return { env: {}, args: ['--json', '-P', provider, '--retries', '1000', text] }
  },
}

/**
 * Puts a provider for this session into the settings, and says which. WHY one of its own, in the
 * same file: sessions after the first run in a hub, which reads the file that the first one read.
 */
function putProvider(home: string, modelUrl: string, more: object): string {
  const file = join(dataFolder(home), 'settings', 'providers.json')
  const { providers } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : envelope
  const provider = chatProviders.find((id) => !(id in providers)) ?? Object.keys(providers)[0] ?? ''
  const { [provider]: _, ...others } = providers
  const baseUrl = `${modelUrl}/v1`
  const settings = { provider, apiKey: 'sk-test', model: 'mock-model', baseUrl, ...more }
  const one = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
  writeFileSync(file, JSON.stringify({ ...envelope, providers: { ...others, [provider]: one } }))
  return provider
}

type Resumed = {
  readonly project: string
  readonly home: string
  readonly provider: string
  readonly text: string
}

/** It goes on with a session only in a terminal, or as the agent of an editor (ACP). */
function resumed({ project, home, provider, text }: Resumed): Start {
  const sessionId = lastSession(home, project)
  const place = { sessionId, cwd: project, mcpServers: [] }
  return {
    env: { CLINE_PROVIDER: provider, CLINE_MODEL: 'mock-model', CLINE_API_KEY: 'sk-test' },
    args: ['--acp', '--auto-approve', 'true'],
    requests: [
      { method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } },
      { method: 'session/load', params: place },
      { method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text }] } },
    ],
  }
}

/** The id of the last session of a folder; ids begin with the time. */
function lastSession(home: string, project: string): string {
  const folder = join(dataFolder(home), 'sessions')
  const ids = readdirSync(folder).toSorted().toReversed()
  const ofProject = (id: string): boolean =>
    JSON.parse(readFileSync(join(folder, id, `${id}.json`), 'utf8')).cwd === project
  return ids.find(ofProject) ?? ''
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
