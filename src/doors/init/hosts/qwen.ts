/**
 * Qwen Code: hooks and an MCP server. It reads a timeout of a thousand or more as milliseconds.
 */
import { qwenHost } from '../../../core/hosts/qwen.ts'
import type { HostSetup, SettingsEntry } from '../desired-files.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './shared-entries.ts'

const { hooksFile: settingsFile, serversKey } = qwenHost

/**
 * WHY only in a new file: Qwen Code writes a file anew that does not name a version, but converts
 * the old settings of its user in it first.
 */
const settingsVersion: SettingsEntry = { kind: 'need', path: ['$version'], value: 4 }

export const qwenSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: settingsFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          ...(setting.isThere(settingsFile) ? [] : [settingsVersion]),
          ...hooksFor('qwen', (event) => ({
            hooks: [
              {
                name: 'pawl',
                type: 'command',
                // WHY: each result of a tool is a prompt too, and a session whose prompt is blocked
                // ends; the calls that follow are blocked in any case.
                command:
                  event.meaning === 'prompt' ? setting.stopCommand : commandFor(event, setting),
                timeout: hookSeconds,
              },
            ],
          })),
          serverEntry({ host: 'qwen', serversKey }, setting),
        ],
      },
    },
  ],
  remarks: () => [
    'with `security.folderTrust`, Qwen Code runs the hooks of a workspace only if you trust it',
  ],
  trust: null,
}
