/**
 * Cursor: hooks and an MCP server, by its documents (cursor.com/docs/hooks). Not tried: Cursor
 * could not be installed where Pawl is tested.
 */
import type { Host } from '../wanted.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './parts.ts'

/**
 * The judge. WHY no `beforeShellExecution`, `beforeMCPExecution`, `beforeReadFile`: they fire for
 * the same call once more, which would count twice, and can not change its input.
 */
const guardEvent = 'preToolUse'
const otherEvents = `postToolUse postToolUseFailure beforeSubmitPrompt
  sessionStart sessionEnd subagentStart subagentStop stop`.split(/\s+/)

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
          ...hooksFor([guardEvent, ...otherEvents], (event) => ({
            command: commandFor(event, setting),
            timeout: hookSeconds,
            ...(event === guardEvent ? { failClosed: true } : {}),
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
