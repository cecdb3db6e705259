/**
 * Cursor: hooks and an MCP server, by its documents (cursor.com/docs/hooks). Not tried: Cursor
 * could not be installed where Pawl is tested.
 */
import type { Host } from '../wanted.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './parts.ts'

/** What Cursor waits for before it acts. */
const guardedEvents = [
  ...['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'preToolUse'],
]
const otherEvents = ['afterFileEdit', 'postToolUse', 'beforeSubmitPrompt', 'stop']

export const cursor: Host = {
  name: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  folder: '.cursor',
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: '.cursor/hooks.json',
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          { kind: 'need', path: ['version'], value: 1 },
          ...hooksFor([...guardedEvents, ...otherEvents], (event) => ({
            command: commandFor(event, setting),
            timeout: hookSeconds,
            ...(guardedEvents.includes(event) ? { failClosed: true } : {}),
          })),
        ],
      },
    },
    {
      path: '.cursor/mcp.json',
      mode: 'plain',
      content: { kind: 'json', entries: [serverEntry(setting)] },
    },
  ],
  remarks: () => ['written by the documents of Cursor and not tried with it'],
}
