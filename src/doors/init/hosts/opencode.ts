/** opencode: a plugin, because it has no command hooks, and an MCP server. */
import { opencodeHost } from '../../../core/hosts/opencode.ts'
import type { HostSetup } from '../desired-files.ts'
import { serverName } from '../pawl-entries.ts'
import { pluginText } from './opencode-plugin.ts'
import { serverEnv, serverWords } from './shared-entries.ts'

const { hooksFile, serversFile, serversKey } = opencodeHost
/** The other name that opencode reads its settings from. */
const commentedFile = `${serversFile}c`

export const opencodeSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: hooksFile,
      mode: 'plain',
      content: { kind: 'whole', text: pluginText(setting) },
    },
    {
      path: setting.isThere(commentedFile) ? commentedFile : serversFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          // opencode would write it there itself.
          { kind: 'need', path: ['$schema'], value: 'https://opencode.ai/config.json' },
          {
            kind: 'member',
            path: [serversKey, serverName],
            value: {
              type: 'local',
              command: serverWords('opencode', setting),
              environment: serverEnv(setting),
            },
          },
        ],
      },
    },
  ],
  remarks: () => [
    'opencode does not report calls that fail, or calls of unknown tools, to its plugin',
  ],
  trust: null,
}
