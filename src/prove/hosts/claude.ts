/**
 * Claude Code without a person: `claude -p`, with permissions that ask nobody, so that only hooks
 * can stop a call.
 */
import { join } from 'node:path'
import { claudeHost } from '../../core/hosts/claude.ts'
import type { Driver } from './host.ts'
import { gitPatch, type HostToolCalls, lastTurn, turnOf } from './tool-calls.ts'

const toolCalls: HostToolCalls = {
  shell: (command) => ({ name: 'Bash', input: { command, description: 'work' } }),
  background: (command) => ({
    name: 'Bash',
    input: { command, description: 'work', run_in_background: true },
  }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  edit: ({ path, before, after }) => [
    turnOf({ name: 'Read', input: { file_path: path } }),
    turnOf({
      name: 'Edit',
      input: { file_path: path, old_string: before, new_string: after },
    }),
  ],
  patch: null,
  heredoc: (name, line) => toolCalls.shell(gitPatch(name, line)),
  fetch: (url) => ({ name: 'WebFetch', input: { url, prompt: 'read' } }),
  mcp: ({ server, tool, input }) => ({ name: `mcp__${server}__${tool}`, input }),
  agent: (prompt) => ({
    name: 'Agent',
    input: {
      description: 'work',
      prompt,
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  }),
  agentEnd: lastTurn,
  typing: null,
}

const expanded =
  'shell commands in a skill or slash command are run when it is expanded, and no hook is ' +
  'asked; `disableSkillShellExecution` in the settings of Claude Code stops them'

export const claudeDriver: Driver = {
  env: ({ home }) => ({
    ANTHROPIC_API_KEY: 'sk-ant-test',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // Otherwise it waits for the model to say that its context is full.
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000',
    // WHY: as root the program takes no permissions that ask nobody, except in a sandbox.
    IS_SANDBOX: '1',
  }),
  toolCalls,
  codeMode: null,
  compactsAt: 190_000,
  unenforceable: {},
  declared: {
    skill: expanded,
    slash: expanded,
  },
  prepare: () => undefined,
  start: ({ modelUrl, prompt, mcp, isResumed }) => ({
    env: { [claudeHost.model.baseUrlVariable]: modelUrl },
    args: [
      '-p',
      prompt,
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--model', 'claude-sonnet-4-5'],
      ...['--permission-mode', 'bypassPermissions'],
      ...(isResumed ? ['--continue'] : []),
      ...['--mcp-config', JSON.stringify({ mcpServers: mcp })],
    ],
  }),
}
