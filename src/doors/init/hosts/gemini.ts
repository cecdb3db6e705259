/**
 * Gemini CLI: hooks and an MCP server. Its timeouts are in milliseconds.
 */
import { geminiHost } from '../../../core/hosts/gemini.ts'
import type { HostSetup } from '../desired-files.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './shared-entries.ts'

const { hooksFile: settingsFile, serversKey } = geminiHost

export const geminiSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: settingsFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          ...hooksFor('gemini', (event) => ({
            hooks: [
              {
                name: 'pawl',
                type: 'command',
                command: commandFor(event, setting),
                timeout: hookSeconds * 1000,
              },
            ],
          })),
          serverEntry({ host: 'gemini', serversKey }, setting),
        ],
      },
    },
  ],
  remarks: () => [
    'Gemini CLI runs the hooks of a folder only if you trust it: say yes when it asks, or set ' +
      '`GEMINI_CLI_TRUST_WORKSPACE=true`; with `--skip-trust` it runs none',
  ],
  trust: null,
}
