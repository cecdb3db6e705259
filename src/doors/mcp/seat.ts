/**
 * What one client of the server works at: the run it works on, the tools for it, and a server for
 * each of its connections, in both eras of the protocol. Must not know over which wire.
 */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../core/json.ts'
import type { Desk } from './desk.ts'
import { type Follower, openFollower } from './follow.ts'
import type { Link } from './link.ts'
import { openPlaces } from './places.ts'
import { openProcessBox } from './process-box.ts'
import { openRunBox } from './run-box.ts'
import { openToolbox, type Toolbox } from './toolbox.ts'

/** Which tools there are: all of them, or those for unattended routines. */
export type Endpoint = 'runs' | 'process'

/** Where a client works, as its host says. */
export type Where = {
  readonly endpoint: Endpoint
  readonly workspace: string
  /** What stands in front of the names of tools. */
  readonly prefix: string
  /** The run that it works on; null: not told. */
  readonly runId: string | null
}

export type SeatOptions = Where & {
  readonly link: Link
  readonly version: string
  /** The tools are not those any more that the client has seen. */
  readonly onChange: () => Promise<void>
  /** Hears what a person should know; never the client. */
  readonly onFault: (fault: unknown) => void
}

export type Seat = {
  /** A server for one more connection of the client. */
  readonly open: () => Server
  readonly close: () => void
}

export function openSeat(options: SeatOptions): Seat {
  const { endpoint, link, workspace, runId, version, onChange, onFault } = options
  const prefix = endpoint === 'process' ? '' : options.prefix
  const places = openPlaces({ ask: link.ask, workspace, runId, prefix })
  const desk: Desk = { link, places, workspace, prefix }
  const box = endpoint === 'process' ? openProcessBox(desk) : openRunBox(desk)
  const follower = openFollower({ desk, tools: box.list, onChange })
  const toolbox = openToolbox({ desk, box, onReading: follower.see, onFault })
  return {
    open: () => openServer({ version, words: wordsOf(endpoint, prefix), toolbox, follower }),
    close: () => {
      follower.close()
      link.close()
    },
  }
}

type Setting = {
  readonly version: string
  readonly words: Words
  readonly toolbox: Toolbox
  readonly follower: Follower
}

function openServer({ version, words, toolbox, follower }: Setting): Server {
  const { name, title, instructions } = words
  const server = new Server(
    { name, title, version },
    { capabilities: { tools: { listChanged: true } }, instructions },
  )
  server.setRequestHandler('tools/list', async () => ({
    tools: toolbox.list(await follower.list()),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken
    let beats = 0
    const result = await toolbox.call({
      name: params.name,
      // WHY the cast: the wire has read it as JSON.
      args: (params.arguments ?? {}) as JsonObject,
      signal: mcpReq.signal,
      progress: (message) => {
        if (token === undefined) return
        beats += 1
        const told = { progressToken: token, progress: beats, message }
        // A client that does not listen misses nothing that the answer would not say.
        mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => undefined)
      },
    })
    if (result !== null) return result
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
  })
  return server
}

/** What a server says of itself. */
type Words = { readonly name: string; readonly title: string; readonly instructions: string }

function wordsOf(endpoint: Endpoint, prefix: string): Words {
  if (endpoint === 'process') {
    const instructions =
      'You work through a checklist that people defined, unattended. `process_step` says where ' +
      'it stands and takes answers; notes and tasks are kept beyond this conversation.'
    return { name: 'pawl-process', title: 'Pawl for routines', instructions }
  }
  const instructions =
    'Pawl keeps your work inside a process that people defined. ' +
    `\`${prefix}load_workflow\` begins one, \`${prefix}get_state\` says what to do now and which ` +
    'tools may be used. What is refused comes with what is possible instead. A person decides ' +
    `approvals; \`${prefix}wait\` waits for them.`
  return { name: 'pawl', title: 'Pawl', instructions }
}
