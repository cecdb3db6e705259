/**
 * The names of the tools that Pawl's own MCP server offers for every run, without their prefix.
 * Knows names. Must not know what the tools do.
 */
import { type HostId, toolVocabularies } from '../hosts/registry.ts'
import { gatewayServer } from './mcp-name.ts'

/** Offered by the server itself; beside them are the tools that a definition names. */
const controlTools = [
  'list_workflows',
  'load_workflow',
  'get_state',
  'get_status',
  'transition',
  'submit',
  'wait',
  'pause',
  'deactivate',
  'log',
  'create_workflow',
  'force_state',
] as const
export type ControlTool = (typeof controlTools)[number]

// WHY not `process_`: the tools for jobs of the operating system are named so, and are judged.
const prefix = '(?!process_)[A-Za-z][A-Za-z0-9]{0,30}_'
const prefixAlone = new RegExp(`^${prefix}$`)
const prefixed = new RegExp(`^${prefix}(?:${controlTools.join('|')})$`)

/** Whether a text may stand in front of them: `pawl_`, or what instructions were written for. */
export function isToolPrefix(text: string): boolean {
  return prefixAlone.test(text)
}

/** Whether a host means the gateway by a server's name. */
export function isGateway(server: string, host: HostId): boolean {
  if (server === gatewayServer) return true
  return toolVocabularies[host].tools.dashes === 'underscores' && server === withoutDashes
}

const withoutDashes = gatewayServer.replaceAll('-', '_')

/** The tools for jobs, which are judged like any other. */
export const jobToolNames = [
  'process_run',
  'process_monitor',
  'process_kill',
  'process_list',
  'process_logs',
] as const
export type JobTool = (typeof jobToolNames)[number]

/** The tool by which an agent answers a checklist. */
export const answerTool = 'process_step'

/**
 * Whether a tool of Pawl's own server is one that it has for every run, whatever its prefix. The
 * whole name has to be known: `pawl_x__y` is the tool of a server that is called `pawl__pawl_x`.
 */
export function isControlTool(name: string): boolean {
  return name === answerTool || prefixed.test(name)
}

/** Whether a name is kept for Pawl's own tools, also for those that do not exist yet. */
export function isReservedToolName(name: string): boolean {
  return name.startsWith('pawl_') || isControlTool(name)
}

const signalTools = /_(?:transition|submit)$/

/** Whether a tool of Pawl's own server sends a signal; what an author names there does so too. */
export function isSignalTool(name: string): boolean {
  return name === answerTool || !isControlTool(name) || signalTools.test(name)
}
