/**
 * Kimi Code without a person: `kimi -p`, which allows every call, so that only hooks can stop one.
 * Its model is named by variables, so that sessions at the same time share its settings.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { kimiHost } from '../../core/hosts/kimi.ts'
import type { Driver, HostPlace } from './host.ts'
import { putServers } from './put-servers.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'Bash', input: { command } }),
  background: (command) => ({
    name: 'Bash',
    input: { command, description: 'work', run_in_background: true },
  }),
  read: (path) => ({ name: 'Read', input: { path } }),
  write: (path, content) => ({ name: 'Write', input: { path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'Read', input: { path } }),
    turnOf({ name: 'Edit', input: { path, old_string: before, new_string: after } }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'FetchURL', input: { url } }),
  // It writes one underscore for several.
  mcp: ({ server, tool, input }) => ({
    name: `mcp__${server}__${tool.replaceAll(/_+/g, '_')}`,
    input,
  }),
  agent: (prompt) => ({
    name: 'Agent',
    input: { description: 'work', prompt, subagent_type: 'coder' },
  }),
  agentEnd: lastTurn,
  typing: null,
}

const contextTokens = 200_000

const homeOf = (home: string): string => join(home, kimiHost.userHooks.folder)
const serversOf = (home: string): string => join(homeOf(home), 'mcp.json')

export const kimiDriver: Driver = {
  env: ({ home }) => ({
    [kimiHost.userHooks.variable.name]: homeOf(home),
    KIMI_MODEL_NAME: 'mock-model',
    KIMI_MODEL_API_KEY: 'sk-test',
    KIMI_MODEL_PROVIDER_TYPE: 'openai',
    KIMI_MODEL_MAX_CONTEXT_SIZE: String(contextTokens),
    KIMI_DISABLE_TELEMETRY: '1',
    KIMI_CODE_NO_AUTO_UPDATE: '1',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: contextTokens - 10_000,
  unenforceable: {},
  declared: {},
  prepare: ({ home }) => {
    mkdirSync(homeOf(home), { recursive: true })
    writeFileSync(join(homeOf(home), 'config.toml'), 'telemetry = false\n')
    writeFileSync(serversOf(home), '{}')
  },
  start: ({ project, home, modelUrl, prompt, mcp, isResumed }) => {
    putServers(serversOf(home), mcp)
    trust({ project, home })
    return {
      env: { [kimiHost.model.baseUrlVariable]: `${modelUrl}/v1` },
      args: [
        ...(isResumed ? ['--continue'] : []),
        ...['--output-format', 'stream-json', '-p', prompt],
      ],
    }
  },
}

/** Does what its user does at its question: it then starts the MCP servers of the folder. */
function trust({ project, home }: HostPlace): void {
  const root = realpathSync(project)
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 12)
  const folder = join(homeOf(home), 'workspace-trust')
  const file = join(folder, `wd_${basename(root)}_${hash}`)
  if (existsSync(file)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify({ root, trustedAt: 1 }))
}
