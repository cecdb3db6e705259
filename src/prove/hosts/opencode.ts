/**
 * opencode without a person: `opencode run`, which permits everything by itself, so that only a
 * plugin can stop a call.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from './host.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'bash', input: { command, description: 'work' } }),
  background: null,
  read: (path) => ({ name: 'read', input: { filePath: path } }),
  write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'read', input: { filePath: path } }),
    turnOf({ name: 'edit', input: { filePath: path, oldString: before, newString: after } }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'webfetch', input: { url, format: 'text' } }),
  mcp: ({ server, tool, input }) => ({ name: `${server}_${tool}`, input }),
  agent: (prompt) => ({
    name: 'task',
    input: { description: 'work', prompt, subagent_type: 'general' },
  }),
  agentEnd: lastTurn,
  typing: null,
}

export const opencodeDriver: Driver = {
  env: ({ home }) => ({
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    // What it still wants from the registry fails at once.
    npm_config_offline: 'true',
    npm_config_registry: 'http://127.0.0.1:9',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 199_000,
  unenforceable: {},
  declared: {
    slash:
      'shell commands in a slash command are run before a plugin is asked; remove them from the ' +
      'command, or isolate opencode',
  },
  prepare: ({ home }) => void mkdirSync(join(home, '.config', 'opencode'), { recursive: true }),
  start: ({ project, home, modelUrl, prompt, mcp, isResumed }) => {
    for (const folder of [join(home, '.config', 'opencode'), join(project, '.opencode')]) {
      if (existsSync(folder)) putTypes(folder)
    }
    return {
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(modelUrl, mcp)) },
      args: [
        ...['run', '--format', 'json', '--model', 'mock/mock-model'],
        ...(isResumed ? ['--continue'] : []),
        prompt,
      ],
    }
  },
}

/**
 * Says that the types for plugins are installed.
 * WHY: opencode would try to fetch them at every start, and the session waits for that.
 */
function putTypes(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  const packages = { '': { dependencies: { '@opencode-ai/plugin': '*' } } }
  const lock = { lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
}

function configOf(
  modelUrl: string,
  mcp: Readonly<Record<string, { command: string; args: readonly string[] }>>,
): object {
  const model = { name: 'mock-model', tool_call: true, limit: { context: 200_000, output: 8_000 } }
  const servers = Object.entries(mcp).map(([name, { command, args }]) => [
    name,
    { type: 'local', command: [command, ...args], enabled: true },
  ])
  return {
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'mock',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'sk-test' },
        models: { 'mock-model': model },
      },
    },
    model: 'mock/mock-model',
    small_model: 'mock/mock-model',
    autoupdate: false,
    share: 'disabled',
    // A look at the whole project by git around every step, which nobody needs here.
    snapshot: false,
    // WHY: what it would ask a person about is refused where there is none, hooks or not.
    permission: { edit: 'allow', bash: 'allow', webfetch: 'allow', external_directory: 'allow' },
    mcp: Object.fromEntries(servers),
  }
}
