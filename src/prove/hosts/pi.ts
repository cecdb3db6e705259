/**
 * Pi without a person: `pi -p`, which asks nobody about a call, so that only an extension can stop
 * one. Its model is a provider of one's own, so it needs no account.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Driver, HostPlace } from './host.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'bash', input: { command } }),
  background: null,
  read: (path) => ({ name: 'read', input: { path } }),
  write: (path, content) => ({ name: 'write', input: { path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'edit', input: { path, edits: [{ oldText: before, newText: after }] } }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: null,
  // Only Pawl's own server, which its extension offers; Pi starts no others.
  mcp: ({ server, tool, input }) => ({ name: `mcp__${server}__${tool}`, input }),
  // The name that its example of an extension for sub-agents uses; there is none by itself.
  agent: (prompt) => ({ name: 'subagent', input: { agent: 'worker', task: prompt } }),
  agentEnd: lastTurn,
  typing: null,
}

const agentFolder = (home: string): string => join(home, '.pi', 'agent')

export const piDriver: Driver = {
  env: ({ home }) => ({
    PI_CODING_AGENT_DIR: agentFolder(home),
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
    PI_SKIP_VERSION_CHECK: '1',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 190_000,
  unenforceable: {},
  declared: {},
  prepare,
  start: ({ home, modelUrl, prompt, isResumed }) => {
    const provider = putProvider(home, modelUrl)
    const args = ['--mode', 'json', '--provider', provider, '--model', 'mock-model']
    return { env: {}, args: [...args, ...(isResumed ? ['--continue'] : []), '-p', prompt] }
  },
}

/**
 * A provider for this session; gives its name.
 * WHY beside the others, and not in place: sessions that start at the same moment read one file.
 */
function putProvider(home: string, modelUrl: string): string {
  const file = join(agentFolder(home), 'models.json')
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).providers : {}
  const name = `mock${new URL(modelUrl).port}`
  const model = { id: 'mock-model', contextWindow: 200_000, maxTokens: 8_000 }
  const api = { baseUrl: `${modelUrl}/v1`, api: 'openai-completions', apiKey: 'sk-test' }
  const providers = { ...before, [name]: { ...api, models: [model] } }
  writeFileSync(`${file}.new`, JSON.stringify({ providers }))
  renameSync(`${file}.new`, file)
  return name
}

/** What its user would have answered in a first session: that the folder is to be trusted. */
function prepare({ home, project }: HostPlace): void {
  const folder = agentFolder(home)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'trust.json'), JSON.stringify({ [realpathSync(project)]: true }))
  // WHY so few: it keeps what is recent, and a proof has no more than that to leave out.
  const settings = { compaction: { keepRecentTokens: 1 }, enableInstallTelemetry: false }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
}
