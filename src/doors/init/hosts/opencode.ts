/**
 * opencode: a plugin, since it has no hooks that are commands, and an MCP server.
 */
import { serverName } from '../own.ts'
import type { Host } from '../wanted.ts'
import { pluginText } from './opencode-plugin.ts'
import { serverEnv, serverWords } from './parts.ts'

export const opencode: Host = {
  name: 'opencode',
  title: 'opencode',
  program: 'opencode',
  folder: '.opencode',
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: '.opencode/plugins/pawl.js',
      mode: 'plain',
      content: { kind: 'whole', text: pluginText(setting) },
    },
    {
      path: setting.isThere('opencode.jsonc') ? 'opencode.jsonc' : 'opencode.json',
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          // opencode would write it there itself.
          { kind: 'need', path: ['$schema'], value: 'https://opencode.ai/config.json' },
          {
            kind: 'member',
            path: ['mcp', serverName],
            value: {
              type: 'local',
              command: serverWords(setting),
              environment: serverEnv(setting),
            },
          },
        ],
      },
    },
  ],
  remarks: () => [
    'opencode tells its plugin nothing of calls that fail, or that it has no tool for',
  ],
}
