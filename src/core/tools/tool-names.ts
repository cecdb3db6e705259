/**
 * What a tool is, by its name and the host that uses it, and when a name that an author wrote means
 * a call. Names are compared exactly: no folding of case, whitespace or characters.
 * Knows tool names. Must not know inputs, stages or policies.
 */
import type { Call, ToolAction } from '../engine/types.ts'
import { type CommonTool, commonToolNames, commonTools } from '../hosts/common-tools.ts'
import type { ToolVocabulary } from '../hosts/host-descriptor.ts'
import { type HostId, hostIds, listIn, toolVocabularies } from '../hosts/registry.ts'
import type { JsonObject } from '../json.ts'
import { powerOf, powers } from '../machine/tool-power.ts'
import { type McpName, mcpNameOf, spelledMcpName } from './mcp-name.ts'

export type KnownTool = {
  readonly act: ToolAction
  /** The name that means this tool on every host; null: only its own name does. */
  readonly commonName: string | null
  readonly capability: string
  /** The tool its input is shaped like, by its name on plain servers; null: nobody knows. */
  readonly shape: string | null
  readonly server: McpName | null
  /** Its name says a server, but not which. */
  readonly isOdd: boolean
}

/** The tools of Pawl's own runner, which every host may have. */
const processTools = commonToolNames
  .filter((name) => name.startsWith('process.'))
  .flatMap((name) => ['.', '_', '__'].map((dot) => [name.replace('.', dot), name] as const))

function tableOf({ tools }: ToolVocabulary): ReadonlyMap<string, CommonTool> {
  const pairs = commonToolNames.flatMap((common) =>
    (tools.common[common] ?? []).map((name) => [name, common] as const),
  )
  return new Map([...pairs, ...processTools])
}

const tables: ReadonlyMap<HostId, ReadonlyMap<string, CommonTool>> = new Map(
  hostIds.map((host) => [host, tableOf(toolVocabularies[host])]),
)

/** What a name means on any host. INVARIANT (tested): no name means two tools. */
const everywhere: ReadonlyMap<string, CommonTool> = new Map([
  ...commonToolNames.map((name) => [name, name] as const),
  ...hostIds.flatMap((host) => [...(tables.get(host) ?? [])]),
])

/** Tools that change files by a patch: both `Edit` and `Write` mean them. */
const patchTools: ReadonlySet<string> = new Set(
  hostIds.flatMap((host) => listIn(toolVocabularies[host].tools.patches)),
)
const patchNames: ReadonlySet<CommonTool> = new Set(['Edit', 'Write', 'MultiEdit'])

const viewerTools: ReadonlySet<string> = new Set(
  hostIds.flatMap((host) => listIn(toolVocabularies[host].tools.viewers)),
)

/** Whether a tool for editing only reads when its `command` is `view`. */
export function canView(shape: string | null): boolean {
  return shape !== null && viewerTools.has(shape)
}

/** Whether a tool takes a patch. */
export function takesPatch(shape: string | null): boolean {
  return shape !== null && patchTools.has(shape)
}

/** Whether a tool that takes a patch is meant by this one. */
export function isPatchName(common: CommonTool): boolean {
  return patchNames.has(common)
}

/** The common tool of a plain name, on whatever host; null: nobody calls a tool so. */
export function commonToolOf(name: string): CommonTool | null {
  return everywhere.get(name) ?? null
}

/** What a tool is on a host. `server` is what the host itself says about its origin. */
export function toolOf(name: string, host: HostId, server: McpName | null = null): KnownTool {
  const common = server === null ? tables.get(host)?.get(name) : undefined
  if (common !== undefined) {
    const { act, capability } = commonTools[common]
    return { act, commonName: common, capability, shape: name, server: null, isOdd: false }
  }
  const mcp = server ?? mcpNameOf(name, host)
  if (mcp === 'odd') {
    return { ...unknownTool(name, 'mcp'), isOdd: true }
  }
  if (mcp !== null) return serverTool(mcp)
  // WHY: a name that another host uses is unknown here and no entry but its own means it. What it
  // would do is still judged as if it were that tool: the guard must not go blind.
  const likely = everywhere.get(name)
  const act = likely === undefined ? 'other' : commonTools[likely].act
  return unknownTool(name, act)
}

function unknownTool(name: string, act: ToolAction): KnownTool {
  const shape = everywhere.has(name) ? name : null
  return { act, commonName: null, capability: name, shape, server: null, isOdd: false }
}

/** Pawl's own runner speaks in capabilities of its own; every other server is a stranger. */
function serverTool(mcp: McpName): KnownTool {
  const likely = everywhere.get(mcp.tool)
  if (mcp.server === 'pawl' && likely?.startsWith('process.')) {
    const { act, capability } = commonTools[likely]
    const shape = mcp.tool
    return { act, commonName: likely, capability, shape, server: mcp, isOdd: false }
  }
  const capability = `mcp:${mcp.server}:${mcp.tool}`
  const shape = likely === undefined ? null : mcp.tool
  return { act: 'mcp', commonName: capability, capability, shape, server: mcp, isOdd: false }
}

/**
 * Whether a name that an author wrote means this call: the tool exactly as the host spells it, or
 * any host's name of the same tool.
 */
export function namesMatch(written: string, call: Call): boolean {
  if (written === call.tool) return true
  if (call.commonName === null) return false
  if (written === call.commonName) return true
  const common = everywhere.get(written)
  if (common === undefined) {
    const mcp = spelledMcpName(written)
    return mcp !== null && `mcp:${mcp.server}:${mcp.tool}` === call.commonName
  }
  if (common === call.commonName) return true
  return patchTools.has(call.tool) && call.commonName === 'Edit' && patchNames.has(common)
}

/** Whether the call is to start a job of Pawl's own runner. */
export function startsJob({ commonName }: Pick<Call, 'commonName'>): boolean {
  return commonName === 'process.run'
}

/** Whether the call is of a tool that reaches files by their paths. */
export function isFileTool(call: Pick<Call, 'act' | 'commonName'>): boolean {
  if (call.act !== 'mcp') return fileActs.has(call.act)
  const inner = call.commonName?.split(':').slice(2).join(':') ?? ''
  const common = everywhere.get(inner)
  return common !== undefined && fileActs.has(commonTools[common].act)
}

const fileActs: ReadonlySet<ToolAction> = new Set(['read', 'edit', 'write', 'search'])

/** The act of a plain tool name, on whatever host. */
export function actOfShape(shape: string): ToolAction {
  const common = everywhere.get(shape)
  return common === undefined ? 'other' : commonTools[common].act
}

/** Every plain name that a host has for a tool, those that definitions use first. */
export const knownToolNames: ReadonlySet<string> = new Set([
  ...everywhere.keys(),
  ...hostIds.flatMap((host) => freeNames(toolVocabularies[host])),
])

function freeNames({ tools: { free } }: ToolVocabulary): readonly string[] {
  if ('none' in free) return []
  return [free.notes, free.search, free.started, free.resources].flatMap((group) => listIn(group))
}

/** In one case: a name in another one is a slip, because names are compared exactly. */
const foldedNames: ReadonlySet<string> = new Set(
  [...knownToolNames].map((name) => name.toLowerCase()),
)

/** Whether some host or harness could have a tool of this name; a server may have any. */
export function isKnownToolName(written: string): boolean {
  if (knownToolNames.has(written) || /[*:(]|__/.test(written)) return true
  return powerOf(written) < powers.external && !foldedNames.has(written.toLowerCase())
}

/** An input that is really an object: a door may be handed anything. */
export function objectInput(input: unknown): JsonObject | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as JsonObject)
    : null
}
