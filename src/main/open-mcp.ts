/** The MCP server as part of a daemon: loaded for the first client, closed before the doors. */
import type { Api } from '../doors/api/api.ts'
import type { Caller } from '../doors/api/caller.ts'
import type { Mount } from '../doors/http/mount-route.ts'
import type { Endpoint } from '../doors/mcp/client-session.ts'
import type { HttpMcp } from '../doors/mcp/open-http-mcp.ts'

type McpMounts = { readonly mounts: readonly Mount[]; readonly close: () => Promise<void> }

type McpDependencies = { readonly version: string; readonly onFault: (fault: unknown) => void }

/** What clients of MCP reach over HTTP. */
export function openMcp(api: Api, around: McpDependencies): McpMounts {
  const runs = openEndpoint(api, 'runs', around)
  const process = openEndpoint(api, 'process', around)
  const mounts = [
    { path: '/mcp', answer: runs.answer },
    { path: '/mcp/process', answer: process.answer },
  ]
  const close = async (): Promise<void> => {
    await Promise.all([runs.close(), process.close()])
  }
  return { mounts, close }
}

function openEndpoint(
  api: Api,
  endpoint: Endpoint,
  { version, onFault }: McpDependencies,
): HttpMcp {
  let opened: Promise<HttpMcp> | null = null
  const open = async (): Promise<HttpMcp> => {
    // WHY loaded here: a daemon starts quickly, and most have clients of other doors only.
    const [{ openHttpMcp }, { openInProcessClient }] = await Promise.all([
      import('../doors/mcp/open-http-mcp.ts'),
      import('../doors/mcp/in-process-client.ts'),
    ])
    const link = (caller: Caller) => {
      // A client that shows `agent.token` gets a session of its own here, and needs no credential.
      if (caller.isBare !== true || api.agents === null) return openInProcessClient(api, caller)
      const { session } = api.agents.issue()
      const release = api.agents.hold(session)
      const own = openInProcessClient(api, { role: 'agent', name: 'agent', session })
      return { ...own, close: release }
    }
    return openHttpMcp({ endpoint, link, version, onFault })
  }
  return {
    answer: async (request, caller) => {
      opened ??= open()
      return (await opened).answer(request, caller)
    },
    close: async () => {
      await (await opened)?.close()
    },
  }
}
