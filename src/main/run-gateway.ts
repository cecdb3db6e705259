/**
 * The gateway of this program: its settings, the client of the daemon, and the standard streams.
 */
import type { Io } from '../doors/cli/io.ts'
import { connectDaemon } from '../doors/cli/remote/connect.ts'
import type { GatewayWish } from '../doors/cli/remote/daemon-door.ts'
import { versionText } from '../doors/cli/version.ts'
import { readGatewayFiles } from '../gateway/gateway-file.ts'
import { serveGateway } from '../gateway/serve-gateway.ts'

type GatewayPlace = {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Serves the client that has started this program until it goes away; gives the exit code. */
export async function gateway(
  { workspace }: GatewayWish,
  { folder, env }: GatewayPlace,
  io: Io,
): Promise<number> {
  const runId = env.PAWL_RUN ?? ''
  await serveGateway({
    connect: () => connectDaemon(io, 'gateway'),
    settings: readGatewayFiles(folder, workspace),
    workspace,
    runId: runId === '' ? null : runId,
    env,
    version: versionText(),
    input: process.stdin,
    // INVARIANT: nothing else writes there: it carries the protocol.
    output: process.stdout,
    log: (what) => io.err(`pawl gateway: ${what.replace(/\s+/g, ' ')}\n`),
  })
  return 0
}
