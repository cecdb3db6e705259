/**
 * Claude Code: hooks, an MCP server, a slash command and a status line.
 */
import { claudeHost } from '../../../core/hosts/claude.ts'
import type { HookMeaning } from '../../../core/hosts/host-descriptor.ts'
import type { Json } from '../../../core/json.ts'
import type { HostSetup, SetupContext } from '../desired-files.ts'
import { ownMark } from '../merge-entries.ts'
import { serverName } from '../pawl-entries.ts'
import {
  commandFor,
  hookSeconds,
  hooksFor,
  type InstalledEvent,
  isAtLeast,
  serverEntry,
  shellWord,
} from './shared-entries.ts'

const { hooksFile, serversFile, serversKey } = claudeHost
/** What must not happen when Pawl does not answer. */
const guardedMeanings: ReadonlySet<HookMeaning> = new Set(['call', 'permission'])
/**
 * They start the daemon where there is none, which an HTTP hook can't: what is guarded would fail
 * after a crash until the next prompt.
 */
const startingMeanings: ReadonlySet<HookMeaning> = new Set([
  ...guardedMeanings,
  ...(['begin', 'prompt', 'config'] as const),
])
/** The first version that lets a hook say that its failure blocks. */
const failureBlocksSince = [2, 1, 295]
const httpSeconds = 10

export const claudeSetup: HostSetup = {
  wireOf: (setting) => (httpOf(setting) === null ? 'command' : 'http'),
  wants: (setting) => [
    {
      path: hooksFile,
      mode: 'secret',
      content: {
        kind: 'json',
        entries: [
          ...hooksFor('claude', (event) => ({
            matcher: '*',
            hooks: [hookOf(event, setting)],
          })),
          { kind: 'item', path: ['enabledMcpjsonServers'], value: serverName },
          {
            kind: 'offer',
            path: ['statusLine'],
            value: { type: 'command', command: statusCommand(setting) },
            otherwise: `your status line is kept; \`${statusCommand(setting)}\` prints Pawl's`,
          },
        ],
      },
    },
    {
      path: serversFile,
      mode: 'plain',
      // WHY: it defers the tools of other servers until its model searches for them.
      content: {
        kind: 'json',
        entries: [serverEntry({ host: 'claude', serversKey }, setting, { alwaysLoad: true })],
      },
    },
    {
      path: '.claude/commands/pawl.md',
      mode: 'plain',
      content: { kind: 'whole', text: slashCommand },
    },
  ],
  remarks: (setting) =>
    isAtLeast(setting.version, failureBlocksSince)
      ? []
      : ['before 2.1.295, Claude Code continues if a hook is slow or cannot start: update it'],
  trust: null,
}

function httpOf({ http, version }: SetupContext): SetupContext['http'] {
  return isAtLeast(version, failureBlocksSince) ? http : null
}

function hookOf(event: InstalledEvent, setting: SetupContext): Json {
  const isGuarded = guardedMeanings.has(event.meaning)
  const failure: { onFailure?: Json } =
    isGuarded && isAtLeast(setting.version, failureBlocksSince) ? { onFailure: 'block' } : {}
  const http = startingMeanings.has(event.meaning) ? null : httpOf(setting)
  if (http === null) {
    const command = commandFor(event, setting)
    return { type: 'command', command, timeout: hookSeconds, ...failure }
  }
  return {
    type: 'http',
    url: `${http.url}/v1/hooks/claude`,
    headers: {
      Authorization: `Bearer ${http.token}`,
      'X-Pawl-Workspace': encodeURIComponent(setting.workspace),
      'X-Pawl-Run': '$PAWL_RUN',
    },
    allowedEnvVars: ['PAWL_RUN'],
    timeout: httpSeconds,
    ...failure,
  }
}

function statusCommand({ home, node, program }: SetupContext): string {
  return `PAWL_HOME=${shellWord(home)} ${shellWord(node)} ${shellWord(program)} statusline`
}

const slashCommand = `---
description: Start a Pawl run, or show its current stage and what is allowed now
argument-hint: "[start NAME | state]"
---
<!-- ${ownMark}; \`pawl uninit\` removes it -->

Pawl checks your tool calls. Use only the tools of the \`pawl\` MCP server; the \`pawl\` program in
the shell is for people.

Request: $ARGUMENTS

- \`start NAME\`: start a run of that definition. Without a name, list the definitions and ask.
- \`state\`, or nothing: show the current state of the run: what to do there, which tools and
  commands are allowed, how many calls are left, and which events or answers can be sent.
- Anything else: say whether it is allowed now, without trying it.

Report what the tools return, and do not guess. If a call was refused, say why and what is allowed
instead; do not look for a way around it. Only a person can approve, never you.
`
