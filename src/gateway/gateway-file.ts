/**
 * Reads and checks `gateway.json`, which lists the servers behind the gateway in the format that
 * hosts use, and what template files add. Starts nothing.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { readTree, withPick } from '../core/dialects/validate-tree.ts'
import { costMicroUsdMax, usdOf } from '../core/money.ts'
import { readSource } from '../core/source/read-source.ts'
import { isReservedToolName } from '../core/tools/pawl-tool-names.ts'
import { readWorkspaceText } from '../runtime/definitions/read-definition.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { readTemplates } from './template-servers.ts'

const secretFile = z
  .strictObject({ fromFile: z.string().min(1).describe('File that contains the value.') })
  .meta({ id: 'from_file' })
const plainText = z.string()
const value = withPick(z.union([plainText, secretFile]), (node) =>
  node.kind === 'object' ? secretFile : plainText,
)
const usd = z.number().min(0).max(usdOf(costMicroUsdMax))
const usdByTool = z.record(z.string(), usd)
const cost = withPick(z.union([usd, usdByTool]), (node) =>
  node.kind === 'object' ? usdByTool : usd,
)

const serverSchema = z
  .strictObject({
    type: z.enum(['stdio', 'http', 'streamable-http']).optional(),
    command: z.string().min(1).optional().describe('The program that runs the server.'),
    args: z.array(z.string()).optional(),
    cwd: z.string().min(1).optional().describe('Working directory. Default: the workspace.'),
    env: z
      .record(z.string(), value)
      .optional()
      .describe("The server's environment variables, in addition to `PATH` and similar ones."),
    url: z.string().min(1).optional().describe("The server's URL, instead of a program."),
    headers: z.record(z.string(), value).optional(),
    timeoutSeconds: z
      .number()
      .gt(0)
      .max(86_400)
      .optional()
      .describe('How long a call may go without a message. Default: 300.'),
    sampling: z
      .enum(['refuse', 'pass'])
      .optional()
      .describe("Whether the server may use the agent's model. Default: `refuse`."),
    elicitation: z
      .enum(['refuse', 'pass'])
      .optional()
      .describe("Whether the server may ask the person at the agent's host. Default: `refuse`."),
    costUsd: cost
      .optional()
      .describe('Cost of a call: one price for all tools, or a price per tool.'),
    disabled: z.boolean().optional(),
    description: z.string().optional(),
  })
  .meta({ id: 'gateway_server' })

/** The file as people write it. */
const gatewaySchema = z.strictObject({
  $schema: z.string().optional(),
  askWaitSeconds: z
    .number()
    .min(0)
    .max(3_600)
    .optional()
    .describe(
      'How long a call waits for an approval before the agent is told to try again. Default: 45.',
    ),
  mcpServers: z.record(z.string(), serverSchema),
})

type FileServer = z.infer<typeof serverSchema>
export type Value = z.infer<typeof value>

export type ServerEntry = FileServer & {
  readonly name: string
  /** The folder whose file names it; null: the file beside Pawl's data. */
  readonly scope: string | null
  /** Where paths in its entry begin. */
  readonly folder: string
}

export type GatewaySettings = {
  readonly askWaitMs: number
  readonly servers: readonly ServerEntry[]
  /** Entries that are not used, and why. */
  readonly refused: readonly string[]
}

const askWaitSecondsDefault = 45
const fileBytesMax = 1024 * 1024
/** No `__`, which parts a server from its tool, and short enough for what clients take. */
const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,28}[A-Za-z0-9]$|^[A-Za-z0-9]$/
/** Names that would be taken for something else: Pawl, or what hosts put in front of names. */
const takenNames = new Set(['pawl', 'pawl-gateway', 'pawl_gateway', 'mcp'])

/**
 * The settings of a workspace: a person's own file first, then the workspace's, then template
 * files among its definitions.
 */
export function readGatewayFiles(home: string, workspace: string): GatewaySettings {
  const own = readFile(join(home, 'gateway.json'))
  const theirs = readFile(gatewayFileIn(workspace), workspace)
  const servers: ServerEntry[] = []
  const refused: string[] = []
  const seen = new Set<string>()
  const listed: readonly Listed[] = [
    ...listedIn(own, null),
    ...listedIn(theirs, workspace),
    ...readTemplates(workspace).flatMap((file) =>
      file.servers.map(({ name, ...entry }) => ({
        name,
        entry,
        path: file.path,
        scope: workspace,
      })),
    ),
  ]
  for (const { name, entry, path, scope } of listed) {
    if (entry.disabled === true) continue
    const why = refuse(name, entry, seen)
    seen.add(name.toLowerCase())
    if (why === null) servers.push({ ...entry, name, scope, folder: dirname(path) })
    else refused.push(`the server \`${name}\` in \`${path}\` is not used: ${why}`)
  }
  const seconds = own?.value.askWaitSeconds ?? theirs?.value.askWaitSeconds
  return { askWaitMs: (seconds ?? askWaitSecondsDefault) * 1_000, servers, refused }
}

type Listed = {
  readonly name: string
  readonly entry: FileServer
  readonly path: string
  readonly scope: string | null
}

function listedIn(file: Read | null, scope: string | null): readonly Listed[] {
  if (file === null) return []
  const { path, value: settings } = file
  const entries = Object.entries(settings.mcpServers)
  return entries.map(([name, entry]) => ({ name, entry, path, scope }))
}

/** Where a workspace names its servers. */
function gatewayFileIn(workspace: string): string {
  return join(workspace, '.pawl', 'gateway.json')
}

function refuse(name: string, entry: FileServer, seen: ReadonlySet<string>): string | null {
  if (!namePattern.test(name)) return 'a name must have 1 to 30 letters, digits, `-` and single `_`'
  const plain = name.toLowerCase()
  if (takenNames.has(plain) || isReservedToolName(plain)) return 'the name is reserved'
  if (seen.has(plain)) return 'another server has that name'
  if ((entry.command === undefined) === (entry.url === undefined)) {
    return 'it needs either `command` or `url`'
  }
  if (entry.url !== undefined && !/^https?:\/\/\S+$/.test(entry.url))
    return '`url` is not a valid URL'
  return null
}

type Read = { readonly path: string; readonly value: z.infer<typeof gatewaySchema> }

function readFile(path: string, within: string | null = null): Read | null {
  const text = readTextIfExists(path, within)
  if (text === null) return null
  const { root, findings } = readSource(text, 'json')
  const shape = root?.kind === 'object' ? readTree(gatewaySchema, root) : null
  const wrong = [...findings, ...(shape?.findings ?? [])].find((one) => one.severity === 'error')
  const value = shape?.value ?? null
  if (wrong === undefined && value !== null) return { path, value }
  // WHY not which in a workspace: agents read this, and the error quotes the file.
  const what = within === null ? `: ${wrong?.message ?? 'it is not a JSON object'}` : ''
  throw new PawlError('CONFIG_INVALID', `\`${path}\` has errors${what}`, {
    hint: (within === null && wrong?.hint) || 'see docs/reference/gateway.md for the format',
  })
}

function readTextIfExists(path: string, within: string | null): string | null {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
    const text = within === null ? readFileSync(path, 'utf8') : readWorkspaceText(path, within)
    if (text.length <= fileBytesMax) return text
    const message = `\`${path}\` has more than ${fileBytesMax} bytes`
    throw new PawlError('CONFIG_INVALID', message, { hint: 'list only servers in it' })
  } catch (cause) {
    if (errorCodeOf(cause) === 'ENOENT' || errorCodeOf(cause) === 'ENOTDIR') return null
    if (cause instanceof PawlError) throw cause
    const hint = `the system says ${errorCodeOf(cause)}`
    throw new PawlError('FILE_UNREADABLE', `cannot read \`${path}\``, { hint, cause })
  }
}

/** A path of an entry as an absolute one. */
export function pathFrom(folder: string, path: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? path : join(folder, path)
}
