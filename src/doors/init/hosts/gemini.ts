/**
 * Gemini CLI: hooks and an MCP server. Its timeouts are in milliseconds.
 */
import type { Host } from '../wanted.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './parts.ts'

const events = [
  ...['BeforeTool', 'AfterTool', 'BeforeAgent', 'AfterAgent', 'SessionStart', 'SessionEnd'],
]

export const gemini: Host = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  folder: '.gemini',
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: '.gemini/settings.json',
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          ...hooksFor(events, (event) => ({
            hooks: [
              {
                name: 'pawl',
                type: 'command',
                command: commandFor(event, setting),
                timeout: hookSeconds * 1000,
              },
            ],
          })),
          serverEntry(setting),
        ],
      },
    },
  ],
  remarks: () => ['Gemini CLI runs hooks of a workspace only where its user trusts the folder'],
}
