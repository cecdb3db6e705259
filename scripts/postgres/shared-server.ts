/**
 * One server for a whole test run, started when the first test asks for it.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type PostgresServer, startPostgres } from './start.ts'

const portVariable = 'PAWL_TEST_POSTGRES_DOOR'

/** For vitest: waits at a port until a test file wants a server; stops it after the run. */
export async function setup(): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | null = null
  const door = createServer(async (socket: Socket) => {
    server ??= startPostgres()
    try {
      socket.end(JSON.stringify({ url: (await server).url }))
    } catch (error) {
      socket.end(JSON.stringify({ problem: error instanceof Error ? error.message : `${error}` }))
    }
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  process.env[portVariable] = `${address.port}`
  return async () => {
    door.close()
    await (await server?.catch(() => null))?.stop()
  }
}

/** The address of the server that this test run shares. Use a schema of your own in it. */
export async function sharedPostgresUrl(): Promise<string> {
  const port = Number(process.env[portVariable])
  if (!(port > 0)) throw new Error('no test run shares a server here: call `startPostgres`')
  const answer = JSON.parse(await text(connect(port, '127.0.0.1')))
  if (typeof answer.url !== 'string') throw new Error(answer.problem)
  return answer.url
}
