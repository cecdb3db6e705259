/**
 * Qwen Code without a person: `qwen -p` in yolo mode, so that only hooks can stop a call.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { qwenHost } from '../../core/hosts/qwen.ts'
import type { Driver, HostPlace } from './host.ts'
import { putServers } from './put-servers.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({
    name: 'run_shell_command',
    input: { command, description: 'work', is_background: false },
  }),
  background: (command) => ({
    name: 'run_shell_command',
    input: { command, description: 'work', is_background: true },
  }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'read_file', input: { file_path: path } }),
    turnOf({ name: 'edit', input: { file_path: path, old_string: before, new_string: after } }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'web_fetch', input: { url, prompt: 'read' } }),
  mcp: ({ server, tool, input }) => ({ name: `mcp__${server}__${tool}`, input }),
  agent: (prompt) => ({
    name: 'agent',
    input: { description: 'work', prompt, subagent_type: 'general-purpose' },
  }),
  agentEnd: lastTurn,
  typing: null,
}

export const qwenDriver: Driver = {
  env: () => ({
    OPENAI_API_KEY: 'sk-test',
    OPENAI_MODEL: 'mock-model',
    QWEN_USAGE_STATISTICS_ENABLED: 'false',
    // WHY: it would start itself once more for a larger heap, which takes as long again.
    QWEN_CODE_NO_RELAUNCH: 'true',
  }),
  toolCalls,
  codeMode: (command) => {
    const call = `tools.run_shell_command({ command: ${JSON.stringify(command)} })`
    return { name: 'exec', input: { source: `text((await ${call}).output)` } }
  },
  compactsAt: 170_000,
  unenforceable: {},
  declared: {
    slash:
      'shell commands in a custom command (`!{…}`) are run when it is expanded, and no hook is ' +
      'known to be asked; remove them from the command, or isolate Qwen Code',
  },
  prepare,
  start: ({ home, modelUrl, prompt, mcp, isResumed, isCodeMode }) => {
    putServers(settingsFile(home), mcp)
    return {
      env: {
        [qwenHost.model.baseUrlVariable]: `${modelUrl}/v1`,
        ...(isCodeMode ? { [qwenHost.box.settings.name]: putCodeMode(home) } : {}),
      },
      args: [
        ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
        ...(isResumed ? ['--continue'] : []),
        ...['-p', prompt],
      ],
    }
  },
}

/**
 * Settings of the machine that turn code mode on; gives their file.
 * WHY not in those of the user: other sessions read them at the same moment.
 */
function putCodeMode(home: string): string {
  const file = join(home, 'code-mode.json')
  writeFileSync(file, JSON.stringify({ tools: { codeModeOnly: true } }))
  return file
}

function settingsFile(home: string): string {
  return join(home, qwenHost.folder, 'settings.json')
}

function prepare({ home }: HostPlace): void {
  const file = settingsFile(home)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'openai' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // WHY: agents of its own that go over the session in the background would use up turns.
    memory: {
      enableManagedAutoMemory: false,
      enableManagedAutoDream: false,
      enableAutoSkill: false,
    },
  }
  writeFileSync(file, JSON.stringify(settings))
}
