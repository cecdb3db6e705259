/**
 * A tool call as its host spells it, read once into what every rule needs to know of it: the act,
 * its names, the command, the files, the size of the edit, and whether the tool is Pawl's own.
 * Knows hosts and inputs. Must not know stages or policies: nothing is judged here.
 */
import type { Bookkeeping, Call, CallPath, ToolAction } from '../engine/types.ts'
import { type HostId, ownHostId } from '../hosts/registry.ts'
import type { JsonObject } from '../json.ts'
import { own } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { readShell } from '../shell/read-shell.ts'
import { bookkeepingOf, resourceCapability } from './bookkeeping.ts'
import { sizeOfEdit } from './edit-size.ts'
import { directoryIn, type NamedPath, pathsIn, patternsIn } from './input-paths.ts'
import { withTyping } from './interactive-input.ts'
import type { McpName } from './mcp-name.ts'
import { readDiff, readPatch } from './patch.ts'
import { absoluteOf, type From, insideOf, pathProblem } from './paths.ts'
import { isControlTool } from './pawl-tool-names.ts'
import { readCommandsIn } from './read-only-commands.ts'
import { serverToolKind } from './server-tool-kind.ts'
import { changeByShell } from './shell-change.ts'
import { shellIn, startsShell } from './shell-input.ts'
import {
  actOfShape,
  canView,
  commonToolOf,
  type KnownTool,
  objectInput,
  takesPatch,
  toolOf,
} from './tool-names.ts'

/** Where a call happens, and what its host and the disk say about it. */
export type CallLocation = {
  readonly machine: Machine
  readonly workspace: string
  /** Where the agent's shell stands, as an absolute path; absent: in the workspace itself. */
  readonly cwd?: string
  /** Absent: no host, as in a case. */
  readonly host?: HostId
  /** The server and tool, where the host tells them apart from the name (Gemini does). */
  readonly server?: McpName
  /** Where links on the disk lead: a path as the call writes it → the path behind it. */
  readonly links?: ReadonlyMap<string, string>
  /** Folders of Pawl itself, as absolute paths. */
  readonly guarded?: readonly string[]
}

type ToolInput = { readonly tool: string; readonly input: JsonObject }

/** Characters of a tool's name. */
export const toolNameCharsMax = 256

/** What is found out about the input; whatever is absent does not apply. */
type Facts = {
  readonly shell?: Call['shell']
  readonly looks?: Call['looks']
  readonly capability?: string
  readonly reads?: readonly CallPath[]
  readonly writes?: readonly CallPath[]
  /** Beside those of `writes`. */
  readonly edits?: readonly string[]
  readonly editLines?: number | null
  readonly problem?: string | null
}

/** The call, as the rules need it. Never throws, whatever the input is. */
export function readCall(spoken: ToolInput, where: CallLocation): Call {
  const tool = toolOf(spoken.tool, where.host ?? ownHostId, where.server ?? null)
  const isOwn = isOwnTool(tool, where.machine)
  const input = objectInput(spoken.input)
  const bookkeeping = isOwn || input === null ? undefined : bookkeepingIn(spoken, tool, where)
  const facts = isOwn
    ? {}
    : input === null
      ? noObject
      : bookkeeping?.kind === 'servers'
        ? resourceFacts(input, where)
        : factsOf(tool, input, where)
  const writes = facts.writes ?? []
  const inside = writes.map((path) => path.inside).filter((path) => path !== null)
  return {
    tool: spoken.tool,
    input: input ?? {},
    act: isOwn ? 'own' : tool.act,
    commonName: tool.commonName,
    capability: facts.capability ?? tool.capability,
    shell: facts.shell ?? null,
    reads: facts.reads ?? [],
    writes,
    edits: [...new Set([...inside, ...(facts.edits ?? [])])],
    editLines: facts.editLines ?? null,
    workspace: where.workspace,
    isOwn,
    ...(bookkeeping === undefined ? {} : { bookkeeping }),
    ...(facts.looks === undefined ? {} : { looks: facts.looks }),
    ...(where.server?.changes === undefined ? {} : { declaresChange: where.server.changes }),
    ...(where.guarded === undefined ? {} : { guarded: where.guarded }),
    problem: isOwn ? null : (nameProblem(spoken.tool, tool) ?? facts.problem ?? null),
  }
}

const noObject: Facts = { problem: 'the input is not an object' }

function nameProblem(name: string, tool: KnownTool): string | null {
  if (name.length > toolNameCharsMax)
    return `a tool name has more than ${toolNameCharsMax} characters`
  return tool.isOdd ? 'the tool name does not include its server' : null
}

/** Pawl's server is known by the host's prefix; a name alone proves nothing. */
function isOwnTool({ server }: KnownTool, machine: Machine): boolean {
  if (server === null || server.server !== 'pawl') return false
  return isControlTool(server.tool) || machine.ownTools.includes(server.tool)
}

function bookkeepingIn(
  { tool: name, input }: ToolInput,
  tool: KnownTool,
  { host = ownHostId, server }: CallLocation,
): Bookkeeping | undefined {
  return bookkeepingOf({ name, host, tool, isServers: server !== undefined }, input)
}

/** The file that an address means, as it is written and as servers decode it; null: unreadable. */
function filesInUri(uri: string): readonly string[] | null {
  const file = /file:.*$/is.exec(uri)?.[0] ?? (/^[a-z][\w+.-]*:/i.test(uri) ? null : uri)
  if (file === null) return []
  try {
    const path = decodeURIComponent(file.replace(/^file:(?:\/\/(?:localhost)?(?=\/|%2f))?/i, ''))
    return [file, path]
  } catch {
    return null
  }
}

/** A resource that is a file is read like one; every other address is the server's own business. */
function resourceFacts(input: JsonObject, where: CallLocation): Facts {
  const uri = own(input, 'uri')
  const capability = resourceCapability(input, where.host ?? ownHostId)
  if (uri === undefined || uri === null) return { capability }
  if (typeof uri !== 'string') return { capability, problem: '`uri` is not a string' }
  const files = filesInUri(uri)
  if (files === null) return { capability, problem: '`uri` cannot be decoded' }
  const problem = files.map(pathProblem).find((one) => one !== null) ?? null
  return { capability, reads: locate(files, fromOf(where), where), problem }
}

function factsOf(tool: KnownTool, input: JsonObject, where: CallLocation): Facts {
  const act = actOf(tool, input)
  switch (act) {
    case 'shell':
      return shellFacts(tool, input, where)
    case 'read':
    case 'search':
      return readFacts(tool, input, where)
    case 'edit':
    case 'write':
      return editFacts(tool, input, where)
    case 'mcp':
    case 'web':
    case 'agent':
    case 'own':
    case 'other':
      return {}
  }
}

/** What the tool really does: a stranger's tool is judged by the known tool it is named after. */
function actOf(tool: KnownTool, input: JsonObject): ToolAction {
  if (canView(tool.shape) && own(input, 'command') === 'view') return 'read'
  if (tool.act !== 'mcp') return tool.act
  if (tool.shape !== null) return actOfShape(tool.shape)
  return serverToolKind(tool.server?.tool ?? '', input) === 'shell' ? 'shell' : 'mcp'
}

/** Whether the host is known to have this tool, so that its input must be as the host makes it. */
function isKnown(tool: KnownTool): boolean {
  return tool.commonName !== null && tool.act !== 'mcp'
}

function shellFacts(tool: KnownTool, input: JsonObject, where: CallLocation): Facts {
  const directory = directoryIn(input)
  const asked = shellIn(input, startOf(directory.path, where))
  if (asked === null) return isKnown(tool) ? { shell: readShell('') } : {}
  if (!asked.ok) return { problem: asked.problem }
  // A shell text is `bash` to policies, whoever runs it; a program is not, unless it is a shell.
  const isText =
    tool.commonName === 'process.run' && (!asked.hasArguments || startsShell(asked.reading))
  const from: From = { workspace: where.workspace }
  const reading =
    tool.commonName === 'PowerShell'
      ? ({
          ok: false,
          reason: 'only bash can be analyzed, not PowerShell',
          token: 'PowerShell',
        } as const)
      : withTyping(asked.reading, input)
  const change = changeByShell(reading, where.workspace, (path) => locate([path], from, where))
  const named = directory.path === null ? [] : locate([directory.path], fromOf(where), where)
  const spelled = {
    name: tool.shape ?? '',
    host: where.host ?? ownHostId,
    workspace: where.workspace,
  }
  const looks =
    tool.commonName === 'Bash'
      ? readCommandsIn(spelled, { input, shell: reading }, (path) => locate([path], from, where))
      : undefined
  return {
    shell: reading,
    ...(looks === undefined ? {} : { looks }),
    ...(isText ? { capability: 'bash' } : {}),
    reads: named,
    writes: change.writes,
    edits: change.edits,
    editLines: change.lines,
    problem: directory.problem ?? change.problem,
  }
}

/** Where relative paths of a call begin, if it does not say so itself. */
function fromOf({ workspace, cwd }: CallLocation): From {
  return cwd === undefined ? { workspace } : { workspace, cwd }
}

/** The folder in which a command starts, seen from the workspace; null: it cannot be told. */
function startOf(directory: string | null, where: CallLocation): string | null {
  const named = directory ?? where.cwd
  if (named === undefined) return ''
  const from = fromOf(where)
  const inside = insideOf(named, from)
  if (inside !== null) return inside === '.' ? '' : inside
  return absoluteOf(named, from)
}

function readFacts(tool: KnownTool, input: JsonObject, where: CallLocation): Facts {
  const from = fromOf(where)
  const common = commonToolOf(tool.shape ?? '')
  const named = pathsIn(input)
  const keys = common === 'Glob' ? ['pattern', 'include'] : common === 'Read' ? ['include'] : []
  const base = named.paths[0] ?? null
  const patterns = patternsIn(input, keys)
  const problem = named.problem ?? patterns.problem
  const reads = [
    ...locate(named.paths, from, where),
    ...locate(patterns.paths, common === 'Glob' ? { ...from, cwd: base } : from, where),
    ...(common === 'Read' ? unnamed(tool, input, [named, patterns]) : []),
  ]
  return { reads, problem }
}

function editFacts(tool: KnownTool, input: JsonObject, where: CallLocation): Facts {
  const from = fromOf(where)
  if (takesPatch(tool.shape)) return patchFacts(tool, input, where)
  const named = pathsIn(input)
  const edits = own(input, 'edits')
  const isList = edits === undefined || edits === null || Array.isArray(edits)
  return {
    writes: [...locate(named.paths, from, where), ...unnamed(tool, input, [named])],
    editLines: commonToolOf(tool.shape ?? '') === 'MakeDirectory' ? 0 : sizeOfEdit(input),
    problem: named.problem ?? (isList ? null : '`edits` is not a list'),
  }
}

const patchKeys = ['command', 'input', 'patch', 'patchText', 'patch_text', 'diff'] as const

function patchFacts(tool: KnownTool, input: JsonObject, where: CallLocation): Facts {
  const text = patchKeys.map((key) => own(input, key)).find((value) => typeof value === 'string')
  if (typeof text !== 'string') {
    return { problem: isKnown(tool) ? 'the patch is not a string' : null }
  }
  const patch = text.includes('*** Begin Patch') ? readPatch(text) : readDiff(text)
  if (!patch.ok) return { problem: patch.problem }
  const named = pathsIn(input)
  const { path: directory } = directoryIn(input)
  const from = directory === null ? fromOf(where) : { ...fromOf(where), cwd: directory }
  const writes = locate([...patch.paths, ...named.paths], from, where)
  return { writes, editLines: patch.lines, problem: named.problem }
}

/**
 * An input that says something, but not which file, may mean any file: that is nowhere inside the
 * workspace. An empty input reaches nothing.
 */
function unnamed(
  tool: KnownTool,
  input: JsonObject,
  named: readonly NamedPath[],
): readonly CallPath[] {
  const hasPath = named.some((one) => one.paths.length > 0)
  const isSilent = Object.keys(input).length === 0
  return hasPath || isSilent || !isKnown(tool) ? [] : [{ written: '', inside: null }]
}

/** Each path as it is written, and what is behind it where it is a link. */
function locate(
  paths: readonly string[],
  from: From,
  { links }: CallLocation,
): readonly CallPath[] {
  const [only] = paths
  // Nearly every call names one file, and nobody knows of a link.
  if (only !== undefined && paths.length === 1 && links === undefined) return [callPath(only, from)]
  return [...new Set(paths)].flatMap((written) => {
    const behind = links?.get(written)
    const named = callPath(written, from)
    if (behind === undefined || behind === written) return [named]
    return [named, callPath(behind, from)]
  })
}

/** Outside, a relative path is told from the root: the rules do not know where it began. */
function callPath(written: string, from: From): CallPath {
  const inside = insideOf(written, from)
  if (inside !== null) return { written, inside }
  return { written: absoluteOf(written, from) ?? written, inside }
}
