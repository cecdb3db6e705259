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
import { fullName, type ToolSpeech } from './tool-names.ts'

/** Which tools there are: all of them, or those for unattended routines. */
export type Endpoint = 'runs' | 'process'

/** Where a client works, as its host says. */
export type SessionPlace = {
  readonly endpoint: Endpoint
  readonly workspace: string
  /** The run that it works on; null: not told. */
  readonly runId: string | null
} & ToolSpeech

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
  const { endpoint, link, workspace, runId, version, host, onChange, onFault } = options
  const isRoutine = endpoint === 'process'
  const prefix = isRoutine ? '' : options.prefix
  const speech = { prefix, host }
  const places = openRunResolver({ ask: link.ask, workspace, runId, speech })
  const context: ToolContext = { link, places, workspace, ...speech }
  const box = isRoutine ? openRoutineTools(context) : openRunTools(context)
  const follower = openToolListWatcher({
    context,
    tools: box.list,
    onChange: () => onChange({ kind: 'tools' }),
    onMove: (id) => onChange({ kind: 'run', runId: id }),
  })
  const toolbox = openToolDispatcher({ context, box, onReading: follower.see, onFault })
  const words = isRoutine ? routineWords : serverWords(speech)
  const shelf = isRoutine
    ? null
    : { resources: openResources(context), prompts: openPrompts(context) }
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

/** WHY so short: it is part of every request, beside what hooks tell of the run. */
function serverWords(speech: ToolSpeech): typeof routineWords {
  const instructions =
    'Pawl keeps your work inside a process that people defined. ' +
    `\`${fullName('get_state', speech)}\` says what to do now, ` +
    `\`${fullName('transition', speech)}\` moves to the next stage, ` +
    `\`${fullName('load_workflow', speech)}\` starts a run. Only a person can approve; ` +
    `\`${fullName('wait', speech)}\` waits for them.`
  return { name: 'pawl', title: 'Pawl', instructions }
}
