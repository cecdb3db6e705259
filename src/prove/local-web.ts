/**
 * A web server on loopback that notes what it was asked for, so that a fetch can be seen.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LocalWeb = {
  readonly url: string
  /** Whether somebody has asked for a path. */
  readonly wasAsked: (path: string) => boolean
  readonly close: () => Promise<void>
}

const pathsMax = 1_000

/** Starts one on a port that is free; whoever opens it closes it. */
export async function openLocalWeb(): Promise<LocalWeb> {
  const asked = new Set<string>()
  const server = createServer((request, response) => {
    if (asked.size < pathsMax) asked.add((request.url ?? '/').split('?')[0] ?? '')
    response.end('a page\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    wasAsked: (path) => asked.has(path),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
