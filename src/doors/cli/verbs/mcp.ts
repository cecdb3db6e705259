/**
 * `pawl mcp`: serves Pawl's tools over MCP to the agent host that started it.
 */

import { agentHostIds, listInProse } from '../../../core/hosts/registry.ts'
import { isToolPrefix } from '../../../core/tools/pawl-tool-names.ts'
import { workspaceOf } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'

const help: VerbHelp = {
  usage: ['mcp [OPTIONS]'],
  about: `\
An agent host starts it on stdio (docs/reference/mcp.md) and stops it by closing
its input. It talks to the daemon as an agent, and starts a daemon if none is running.
PAWL_RUN in the environment names the run, if no hook does.`,
  options: [
    ['--workspace DIR', 'the folder of the agent; default: the current folder'],
    ['--host HOST', `the host that starts it, for full tool names: ${listInProse(agentHostIds)}`],
    [
      '--tool-prefix TEXT',
      'the prefix of tool names; default: `pawl_`. Letters and digits, then `_`; ' +
        'use `statewright_` for instructions written for Statewright',
    ],
    [
      '--process',
      'serve only the tools for unattended routines that the process allows: notes, tasks ' +
        'and `process_step`',
    ],
  ],
  examples: ['mcp', 'mcp --process --workspace .'],
  exits: { 0: 'the host closed the connection', 2: 'usage error, or it could not start' },
}

const prefixDefault = 'pawl_'

export const mcpVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = {
      workspace: 'text',
      'tool-prefix': 'text',
      host: 'text',
      process: 'flag',
    } as const
    const { files, values } = readOptions('mcp', args, kinds)
    refuseMore('mcp', files, 0)
    const prefix = values['tool-prefix'] ?? prefixDefault
    if (!isToolPrefix(prefix)) {
      throw usage('mcp', `\`${prefix}\` is not a valid prefix: letters and digits, then \`_\``)
    }
    const host = agentHostIds.find((id) => id === values.host) ?? null
    if (values.host !== null && host === null) {
      throw usage('mcp', `there is no host \`${values.host}\`: use ${listInProse(agentHostIds)}`)
    }
    const workspace = workspaceOf(values.workspace, io.cwd)
    const endpoint = values.process ? 'process' : 'runs'
    return daemonOf(io).mcp({ workspace, prefix, host, endpoint }, io)
  },
}
