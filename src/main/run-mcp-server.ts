/** The MCP server of this program: the client of the daemon, and the standard streams. */
import type { Io } from '../doors/cli/io.ts'
import { connectDaemon } from '../doors/cli/remote/connect.ts'
import type { McpWish } from '../doors/cli/remote/daemon-door.ts'
import { versionText } from '../doors/cli/version.ts'
import { serveMcp } from '../doors/mcp/serve-mcp.ts'

/** Serves the client that has started this program until it goes away; gives the exit code. */
export async function mcp(wish: McpWish, runId: string, io: Io): Promise<number> {
  await serveMcp({
    connect: () => connectDaemon(io, 'agent'),
    ...wish,
    runId: runId === '' ? null : runId,
    version: versionText(),
    input: process.stdin,
    // INVARIANT: nothing else writes there: it carries the protocol.
    output: process.stdout,
    onFault: (fault) => {
      const text = fault instanceof Error ? fault.message : String(fault)
      io.err(`pawl mcp: ${text.replace(/\s+/g, ' ')}\n`)
    },
  })
  return 0
}
