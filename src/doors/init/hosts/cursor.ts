/**
 * Cursor: hooks and an MCP server, written from its documentation (cursor.com/docs/hooks). Not
 * tested: Cursor cannot be installed in the test environment.
 */
import { cursorHost } from '../../../core/hosts/cursor.ts'
import type { HostSetup } from '../desired-files.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './shared-entries.ts'

const { hooksFile, serversFile, serversKey } = cursorHost

export const cursorSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: hooksFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          { kind: 'need', path: ['version'], value: 1 },
          ...hooksFor('cursor', (event) => ({
            command: commandFor(event, setting),
            timeout: hookSeconds,
            ...(event.meaning === 'call' ? { failClosed: true } : {}),
          })),
        ],
      },
    },
    {
      path: serversFile,
      mode: 'plain',
      content: { kind: 'json', entries: [serverEntry({ host: 'cursor', serversKey }, setting)] },
    },
  ],
  remarks: () => ["written from Cursor's documentation, not tested with Cursor"],
  trust: null,
}
