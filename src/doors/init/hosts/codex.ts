/**
 * Codex: hooks and an MCP server. Codex skips hooks that its user does not trust.
 */
import type { Host, Setting } from '../wanted.ts'
import { commandFor, hookSeconds, hooksFor, serverEnv, serverWords } from './parts.ts'

const events = [
  ...['PreToolUse', 'PostToolUse', 'PermissionRequest', 'UserPromptSubmit', 'SessionStart'],
  ...['SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop'],
]
/** More than this Codex does not wait at the end of a session. */
const endSeconds = 3

/** A server of that name, however TOML lets one write it. */
const rival = new RegExp(
  [
    String.raw`^[ \t]*\[?[ \t]*mcp_servers[ \t]*\.[ \t]*["']?pawl["']?[ \t]*[\].=]`,
    String.raw`^[ \t]*\[[ \t]*mcp_servers[ \t]*\](?:(?!^[ \t]*\[)[\s\S])*?`.concat(
      String.raw`^[ \t]*["']?pawl["']?[ \t]*[.=]`,
    ),
  ].join('|'),
  'm',
)

export const codex: Host = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  folder: '.codex',
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: '.codex/hooks.json',
      mode: 'plain',
      content: {
        kind: 'json',
        entries: hooksFor(events, (event) => ({
          hooks: [
            {
              type: 'command',
              command: commandFor(event, setting),
              timeout: event === 'SessionEnd' ? endSeconds : hookSeconds,
            },
          ],
        })),
      },
    },
    {
      path: '.codex/config.toml',
      mode: 'plain',
      content: { kind: 'block', name: 'codex', lines: serverLines(setting), rival },
    },
  ],
  remarks: () => ['text typed into a running command (`write_stdin`) reaches no hook of Codex'],
}

function serverLines(setting: Setting): readonly string[] {
  const [command = '', ...args] = serverWords(setting)
  return [
    '[mcp_servers.pawl]',
    `command = ${tomlText(command)}`,
    `args = [${args.map(tomlText).join(', ')}]`,
    `env = { ${Object.entries(serverEnv(setting)).map(tomlPair).join(', ')} }`,
  ]
}

function tomlPair([name, value]: readonly [string, string]): string {
  return `${name} = ${tomlText(value)}`
}

/** WHY this is enough: a text of JSON is a text of TOML, but for DEL, which TOML wants escaped. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
