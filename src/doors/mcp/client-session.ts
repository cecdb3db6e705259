/**
 * The session of one MCP client: its run, its tools, and a server for each of its connections, in
 * both protocol versions. Does not know the transport.
 */

import { openToolDispatcher } from './dispatch-tool.ts'
import { type OpenedServer, openMcpServer } from './open-server.ts'
import { openPrompts } from './prompts.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'
import { openRunResolver } from './resolve-run.ts'
import { openResources } from './resources.ts'
import { openRoutineTools } from './routine-tools.ts'
import { openRunTools } from './run-tools.ts'
import type { ToolContext } from './tool-context.ts'
import { openToolListWatcher } from './tool-list-watcher.ts'

/** Which tools there are: all of them, or those for unattended routines. */
export type Endpoint = 'runs' | 'process'

/** Where a client works, as its host says. */
export type SessionPlace = {
  readonly endpoint: Endpoint
  readonly workspace: string
  /** What stands in front of the names of tools. */
  readonly prefix: string
  /** The run that it works on; null: not told. */
  readonly runId: string | null
}

/** What a client may want to be told. */
export type ListChange =
  /** The tools are not those any more that it has seen. */
  | { readonly kind: 'tools' }
  /** The run that it works on has moved. */
  | { readonly kind: 'run'; readonly runId: string }

type SeatOptions = SessionPlace & {
  readonly link: ReconnectingClient
  readonly version: string
  readonly onChange: (change: ListChange) => Promise<void>
  /** Hears what a person should know; never the client. */
  readonly onFault: (fault: unknown) => void
}

export type ClientSession = {
  /** A server for one more connection of the client. */
  readonly open: (era: 'legacy' | 'modern') => OpenedServer
  readonly close: () => void
}

export function openClientSession(options: SeatOptions): ClientSession {
  const { endpoint, link, workspace, runId, version, onChange, onFault } = options
  const isRoutine = endpoint === 'process'
  const prefix = isRoutine ? '' : options.prefix
  const places = openRunResolver({ ask: link.ask, workspace, runId, prefix })
  const desk: ToolContext = { link, places, workspace, prefix }
  const box = isRoutine ? openRoutineTools(desk) : openRunTools(desk)
  const follower = openToolListWatcher({
    desk,
    tools: box.list,
    onChange: () => onChange({ kind: 'tools' }),
    onMove: (id) => onChange({ kind: 'run', runId: id }),
  })
  const toolbox = openToolDispatcher({ desk, box, onReading: follower.see, onFault })
  const words = isRoutine ? routineWords : serverWords(prefix)
  const shelf = isRoutine ? null : { resources: openResources(desk), prompts: openPrompts(desk) }
  return {
    open: (era) => openMcpServer({ version, era, ...words, toolbox, follower, shelf, onFault }),
    close: () => {
      follower.close()
      link.close()
    },
  }
}

const routineWords = {
  name: 'pawl-process',
  title: 'Pawl for routines',
  instructions:
    'Pawl for unattended routines: you work through a checklist that people defined. ' +
    '`process_step` returns the current question and takes answers; notes and tasks are kept ' +
    'after this conversation.',
}

function serverWords(prefix: string): typeof routineWords {
  const instructions =
    'Pawl keeps your work inside a process that people defined and checks your tool calls. ' +
    `\`${prefix}load_workflow\` starts a run, \`${prefix}get_state\` returns what to do now and ` +
    `which tools are allowed, \`${prefix}transition\` moves to the next state. A denial says ` +
    'what you can do instead. ' +
    `Only a person can approve; \`${prefix}wait\` waits for them.`
  return { name: 'pawl', title: 'Pawl', instructions }
}
