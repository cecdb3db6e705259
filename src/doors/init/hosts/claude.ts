/**
 * Claude Code: hooks, an MCP server, a slash command and a status line.
 */
import { claudeHost } from '../../../core/hosts/claude.ts'
import type { HookMeaning } from '../../../core/hosts/host-descriptor.ts'
import type { Json } from '../../../core/json.ts'
import type { HostSetup, SetupContext } from '../desired-files.ts'
import { serverName } from '../is-pawl-entry.ts'
import { ownMark } from '../merge-entries.ts'
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
/** They wake the daemon, which an HTTP hook can't. */
const wakingMeanings: ReadonlySet<HookMeaning> = new Set(['begin', 'prompt', 'config'])
/** What must not happen when Pawl does not answer. */
const guardedMeanings: ReadonlySet<HookMeaning> = new Set(['call', 'permission'])
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
            otherwise: `your status line stays; \`${statusCommand(setting)}\` prints Pawl's`,
          },
        ],
      },
    },
    {
      path: serversFile,
      mode: 'plain',
      content: { kind: 'json', entries: [serverEntry(serversKey, setting)] },
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
      : ['before 2.1.295, Claude Code goes on when a hook is slow or can not start: update it'],
  trust: null,
}

function httpOf({ http, version }: SetupContext): SetupContext['http'] {
  return isAtLeast(version, failureBlocksSince) ? http : null
}

function hookOf(event: InstalledEvent, setting: SetupContext): Json {
  const isGuarded = guardedMeanings.has(event.meaning)
  const failure: { onFailure?: Json } =
    isGuarded && isAtLeast(setting.version, failureBlocksSince) ? { onFailure: 'block' } : {}
  const http = wakingMeanings.has(event.meaning) ? null : httpOf(setting)
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
description: Start a Pawl run, see where it stands, and what is allowed now
argument-hint: "[start NAME | state]"
---
<!-- ${ownMark}; \`pawl uninit\` removes it -->

You work under Pawl. Act through the tools of the \`pawl\` MCP server only; the \`pawl\` program in
a shell is for people.

The wish: $ARGUMENTS

- \`start NAME\`: begin a run of that definition. Without a name, list the definitions and ask.
- \`state\`, or nothing: say where the run stands: its stage, what the stage asks for, which tools
  and commands are allowed now, how many calls are left, and which signals can be sent.
- Anything else: tell whether it is allowed now, without trying it.

Report what the tools answer, and do not guess. When a call was refused, say why and what is allowed
instead; do not look for a way around it. Approvals are given by a person, never by you.
`
