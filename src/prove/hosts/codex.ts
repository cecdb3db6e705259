/**
 * Codex without a person: `codex exec`, without its sandbox and its approvals, so that only hooks
 * can stop a call.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ScriptedCall } from '../model/script.ts'
import type { Driver, HostPlace, McpServer } from './host.ts'
import { type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  background: (cmd) => ({
    name: 'exec_command',
    input: { cmd: `sleep 1; ${cmd}`, yield_time_ms: 250 },
  }),
  read: null,
  write: null,
  edit: ({ path, before, after }) => [
    turnOf(codexPatch([`*** Update File: ${path}`, '@@', `-${before}`, `+${after}`])),
  ],
  patch: (name, line) => codexPatch([`*** Add File: ${name}`, `+${line}`]),
  heredoc: (name, line) =>
    toolCalls.shell(`apply_patch <<'END'\n${patchText([`*** Add File: ${name}`, `+${line}`])}END`),
  fetch: null,
  // Codex knows servers by names without dashes.
  mcp: ({ server, tool, input }) => {
    return { name: tool, namespace: `mcp__${server.replaceAll('-', '_')}`, input }
  },
  agent: (message) => ({ name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message } }),
  agentEnd: lastTurn,
  typing: (typed) => [
    turnOf({ name: 'exec_command', input: { cmd: 'sh', tty: true, yield_time_ms: 500 } }),
    turnOf({
      name: 'write_stdin',
      input: {
        session_id: { $last: 'session ID (\\d+)', as: 'number' },
        chars: `${typed}\nexit\n`,
        yield_time_ms: 1_000,
      },
    }),
  ],
}

export const codexDriver: Driver = {
  env: ({ home }) => ({
    CODEX_HOME: join(home, '.codex'),
    MOCK_KEY: 'sk-test',
    RUST_LOG: 'error',
  }),
  toolCalls,
  codeMode: (command) => ({
    name: 'exec',
    kind: 'custom',
    input: `text(JSON.stringify(await tools.exec_command({ cmd: ${quote(command)} })))`,
  }),
  compactsAt: 250_000,
  unenforceable: {
    typed:
      'Codex calls no hook for `write_stdin`; opening the terminal is judged, so allow no shell ' +
      'or interpreter by name; only isolation protects against what is typed',
  },
  declared: {
    web:
      '`web_search` runs at the provider, and no hook is asked; `web_search = "disabled"` in ' +
      'config.toml turns it off',
  },
  prepare,
  start: ({ project, modelUrl, prompt, mcp, hookTrust, isResumed, isCodeMode }) => ({
    env: {},
    args: [
      ...['exec', '--json', '--skip-git-repo-check', '-C', project, '-s', 'danger-full-access'],
      // WHY here and not in the file: the port is another one each time, and the file holds trust.
      ...['-c', `model_providers.mock.base_url=${quote(`${modelUrl}/v1`)}`],
      ...Object.entries(mcp).flatMap(([name, server]) => mcpArgs(name, server)),
      // A model that sends programs instead of calls.
      ...(isCodeMode ? ['-c', 'model="gpt-6.1-sol"'] : []),
      ...(hookTrust === 'skipped' ? ['--dangerously-bypass-hook-trust'] : []),
      ...(isResumed ? ['resume', '--last'] : []),
      prompt,
    ],
  }),
}

function mcpArgs(name: string, { command, args }: McpServer): readonly string[] {
  const list = `[${args.map(quote).join(', ')}]`
  return ['-c', `mcp_servers.${name}={ command = ${quote(command)}, args = ${list} }`]
}

/** A text of JSON is one of TOML as well. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function prepare({ home, project }: HostPlace): void {
  const file = join(home, '.codex', 'config.toml')
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const lines = [
    // An unknown model would get no `apply_patch`.
    'model = "gpt-5.5"',
    'model_provider = "mock"',
    'approval_policy = "never"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    // WHY: it would ask GitHub and its maker for plugins at every start.
    '[features]',
    ...['plugins', 'remote_plugin', 'plugin_discovery_prefetch', 'apps'].map(
      (name) => `${name} = false`,
    ),
    '[model_providers.mock]',
    'name = "mock"',
    'base_url = "http://127.0.0.1:9/v1"',
    'wire_api = "responses"',
    'env_key = "MOCK_KEY"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    'supports_websockets = false',
    `[projects.${quote(project)}]`,
    'trust_level = "trusted"',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

function patchText(lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}

function codexPatch(lines: readonly string[]): ScriptedCall {
  return { name: 'apply_patch', kind: 'custom', input: patchText(lines) }
}
