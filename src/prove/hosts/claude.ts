/**
 * Claude Code without a person: `claude -p`, with permissions that ask nobody, so that only hooks
 * can stop a call.
 */
import { join } from 'node:path'
import type { Driver } from './host.ts'

export const claude: Driver = {
  name: 'claude',
  env: ({ home }) => ({
    ANTHROPIC_API_KEY: 'sk-ant-test',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // WHY: all tools are on offer at once, not only those that were searched for.
    ENABLE_TOOL_SEARCH: 'false',
    // WHY: as root the program takes no permissions that ask nobody, except in a sandbox.
    IS_SANDBOX: '1',
  }),
  prepare: () => undefined,
  start: ({ modelUrl, prompt, mcp }) => ({
    env: { ANTHROPIC_BASE_URL: modelUrl },
    args: [
      '-p',
      prompt,
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--model', 'claude-sonnet-4-5'],
      ...['--permission-mode', 'bypassPermissions'],
      ...['--mcp-config', JSON.stringify({ mcpServers: mcp })],
    ],
  }),
}
