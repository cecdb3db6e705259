/**
 * `pawl mcp`: is an MCP server for the agent's host that has started it.
 */
import { isToolPrefix } from '../../../core/tools/own-tools.ts'
import { workspaceOf } from '../inputs.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'

const help = `\
pawl mcp: offer Pawl's tools to an agent over MCP, on the standard streams

Usage: pawl mcp [OPTIONS]

An agent's host starts it (docs/reference/mcp.md shows how) and ends it by closing its input. It
asks the daemon, as an agent, and starts one where there is none.

Options:
  --workspace DIR      where the agent works; else the current folder
  --tool-prefix TEXT   in front of the names of tools instead of \`pawl_\`: letters and digits,
                       then \`_\`; \`statewright_\` fits instructions that were written for it
  --process            only the tools for unattended routines: notes, tasks and \`process_step\`,
                       as far as the process allows them

PAWL_RUN in the environment names the run that is meant, where no hook tells.

Exit codes: 0 the host has closed it, 2 it could not start
`

const prefixDefault = 'pawl_'

export const mcpVerb: Verb = {
  name: 'mcp',
  summary: "offer Pawl's tools to an agent over MCP",
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { workspace: 'text', 'tool-prefix': 'text', process: 'flag' } as const
    const { files, values } = readOptions('mcp', args, kinds)
    if (files.length > 0) throw usage('mcp', `\`${files[0]}\` is one too many`)
    const prefix = values['tool-prefix'] ?? prefixDefault
    if (!isToolPrefix(prefix)) {
      throw usage('mcp', `\`${prefix}\` is no prefix: letters and digits, then \`_\``)
    }
    const workspace = workspaceOf(values.workspace, io.cwd)
    const endpoint = values.process ? 'process' : 'runs'
    return daemonOf(io).mcp({ workspace, prefix, endpoint }, io)
  },
}
