/**
 * `pawl gateway`: is a gateway for the agent's host that has started it, or tells and settles what
 * is agreed about the servers behind it.
 */
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { plain } from '../ansi.ts'
import { workspaceOf } from '../inputs.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { commonHelp, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { tableText } from '../remote/show-table.ts'

const help = `\
pawl gateway: stand in front of other MCP servers and judge every call

Usage: pawl gateway [--workspace DIR]
       pawl gateway pins
       pawl gateway accept SERVER[:TOOL]

Without a word more it is an MCP server on the standard streams, which an agent's host starts
(docs/reference/gateway.md). The servers behind it are those of \`.pawl/gateway.json\` in the
workspace and \`gateway.json\` beside Pawl's data. Every call is judged as \`mcp:SERVER:TOOL\`.

  pins             what is agreed about servers and tools, and what waits for a person
  accept           agree to a server with all its tools, or to one tool, as they are now

Options:
  --workspace DIR  where the agent works; else the current folder
${commonHelp}; an agent is refused to accept

Exit codes: 0 done or the host has closed it, 1 refused, 2 it could not start or be asked
`

const summary = 'stand in front of other MCP servers and judge every call'
const tasks = ['pins', 'accept'] as const

export const gatewayVerb: Verb = {
  name: 'gateway',
  summary,
  help,
  run: (args, io) => {
    const isTask = args.some((one) => !one.startsWith('-')) && !isServing(args)
    return isTask ? remote.run(args, io) : serve(args, io)
  },
}

/** Whether the only words are values of options. */
function isServing(args: readonly string[]): boolean {
  const [first, second] = args
  return args.length <= 2 && first === '--workspace' && second !== undefined
}

async function serve(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('gateway', args, { workspace: 'text' })
  if (files.length > 0) throw usage('gateway', `\`${files[0]}\` is one too many`)
  return daemonOf(io).gateway({ workspace: workspaceOf(values.workspace, io.cwd) }, io)
}

const kinds = { workspace: 'text' } as const

const remote = remoteVerb({
  name: 'gateway',
  summary,
  help,
  kinds,
  names: { min: 1, max: 2, what: 'something to do' },
  run: async (request) => {
    const [first = '', name] = request.files
    const task = oneWord('gateway', first, tasks)
    if (task === 'pins') return pins(request)
    if (name === undefined) throw usage('gateway', '`pawl gateway accept` needs a server')
    return accept(request, name)
  },
})

type Pinned = OperationAnswer<'gateway.pins'>['items'][number]
type Asking = RemoteVerbSpec<typeof kinds>

async function read({ remote: daemon, values, io }: Asking): Promise<readonly Pinned[]> {
  const workspace = workspaceOf(values.workspace, io.cwd)
  return (await daemon.call('gateway.pins', { workspace })).items
}

async function pins(request: Asking): Promise<number> {
  const items = await read(request)
  printResult(request, { items }, () => {
    if (items.length === 0) return 'no server was seen yet; a gateway looks at them\n'
    const rows = items.flatMap((one): StyledLine[] => [
      [
        styledSpan(one.server, 'strong'),
        styledSpan(stateText(one.launch)),
        styledSpan(aboutText(one.launch), 'dim'),
      ],
      ...one.tools.map(
        (tool): StyledLine => [
          styledSpan(`${one.server}:${tool.tool}`),
          styledSpan(stateText(tool)),
          styledSpan(aboutText(tool), 'dim'),
        ],
      ),
    ])
    const table = tableText(['what', 'agreed', 'what it says of itself'], rows, request.io)
    return table + items.flatMap(waitingIn).join('')
  })
  return 0
}

/** All that waits for a person, value by value. */
function waitingIn({ server, launch, tools }: Pinned): readonly string[] {
  const named = tools.map((one) => ({ ...one, name: `${server}:${one.tool}` }))
  return [{ ...launch, name: server }, ...named].flatMap(({ name, changes, hasChanged }) => {
    if (changes.length === 0) return []
    const what = hasChanged ? 'what has changed' : 'all it says'
    return `\n${plain(name)}, ${what}:\n${changes.map((line) => `  ${plain(line)}\n`).join('')}`
  })
}

function stateText({ isAccepted, hasChanged }: Pinned['launch']): string {
  return isAccepted ? 'yes' : hasChanged ? 'changed: waits' : 'new: waits'
}

function aboutText({ about, doubts }: Pinned['launch']): string {
  return doubts.length === 0 ? about : `${doubts.join(', ')}! ${about}`
}

async function accept(request: Asking, name: string): Promise<number> {
  const at = name.indexOf(':')
  const server = at < 0 ? name : name.slice(0, at)
  const tool = at < 0 ? null : name.slice(at + 1)
  const found = (await read(request)).filter((one) => one.server === server)
  if (found.length === 0) {
    const hint = '`pawl gateway pins` lists what was seen'
    throw new PawlError('REQUEST_INVALID', `nothing was seen of \`${server}\``, { hint })
  }
  const accepted: Pinned[] = []
  for (const { scope, version } of found) {
    const what = tool === null ? { scope, server, version } : { scope, server, version, tool }
    accepted.push(await request.remote.call('gateway.accept', what))
  }
  printResult(request, { items: accepted }, () => `agreed: \`${plain(name)}\` as it is now\n`)
  return 0
}
