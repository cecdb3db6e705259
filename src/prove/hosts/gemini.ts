/**
 * Gemini CLI without a person: `gemini -p` in yolo mode, so that only hooks can stop a call.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { geminiHost } from '../../core/hosts/gemini.ts'
import type { Driver, HostPlace } from './host.ts'
import { putServers } from './put-servers.ts'
import { gitPatch, type HostToolCalls, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'work' } }),
  background: (command) => ({
    name: 'run_shell_command',
    input: { command, description: 'work', is_background: true },
  }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({
      name: 'replace',
      input: { file_path: path, instruction: 'work', old_string: before, new_string: after },
    }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'web_fetch', input: { prompt: `read ${url}` } }),
  mcp: ({ server, tool, input }) => ({ name: `mcp_${server}_${tool}`, input }),
  agent: (prompt) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }),
  agentEnd: turnOf({ name: 'complete_task', input: { result: { response: 'done' } } }),
  typing: null,
}

export const geminiDriver: Driver = {
  env: () => ({
    GEMINI_API_KEY: 'sk-test',
    // Without it the program ends with code 55 in a folder that nobody has trusted.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // WHY: it would start itself once more for a larger heap.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 600_000,
  unenforceable: {},
  declared: {
    slash:
      'shell commands in a custom command (`!{…}`) are run when it is expanded, and no hook is ' +
      'known to be asked; remove them from the command, or isolate Gemini CLI',
  },
  prepare,
  start: ({ home, modelUrl, prompt, mcp, isResumed }) => {
    putServers(settingsFile(home), mcp)
    return {
      env: { [geminiHost.model.baseUrlVariable]: modelUrl },
      args: [
        ...['-m', 'gemini-2.5-flash', '--output-format', 'stream-json'],
        ...(isResumed ? ['--resume', 'latest'] : []),
        ...['--approval-mode', 'yolo', '-p', prompt],
      ],
    }
  },
}

function settingsFile(home: string): string {
  return join(home, '.gemini', 'settings.json')
}

function prepare({ home }: HostPlace): void {
  const file = settingsFile(home)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  }
  writeFileSync(file, JSON.stringify(settings))
}
