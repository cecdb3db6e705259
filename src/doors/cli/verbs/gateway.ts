/**
 * `pawl gateway`: runs as a gateway for an agent host, or lists and accepts the servers behind it.
 */

import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { plain } from '../ansi.ts'
import { workspaceOf } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { notAsked, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { tableText } from '../remote/show-table.ts'

const help: VerbHelp = {
  usage: [
    'gateway [--workspace DIR]',
    'gateway pins [OPTIONS]',
    'gateway accept SERVER[:TOOL] [OPTIONS]',
  ],
  about: `\
Without a subcommand it runs as an MCP server on stdio, started by an agent host
(docs/reference/gateway.md). The servers behind it are listed in
\`.pawl/gateway.json\` of the workspace and in \`gateway.json\` of the data directory.
Every call is judged as \`mcp:SERVER:TOOL\`.

\`pins\` lists servers and tools with their pinned state, and shows what waits for a
person. \`accept\` accepts a server with all its tools, or one tool, in its current
form. Agents cannot accept.`,
  options: [['--workspace DIR', 'the folder of the agent; default: the current folder']],
  examples: ['gateway pins', 'gateway accept files', 'gateway accept files:read_file'],
  exits: { 0: 'done, or the host closed the connection', 1: 'rejected', 2: notAsked },
}

const tasks = ['pins', 'accept'] as const

/** Whether the only words are values of options. */
function isServing(args: readonly string[]): boolean {
  const [first, second] = args
  return args.length <= 2 && first === '--workspace' && second !== undefined
}

async function serve(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('gateway', args, { workspace: 'text' })
  refuseMore('gateway', files, 0)
  return daemonOf(io).gateway({ workspace: workspaceOf(values.workspace, io.cwd) }, io)
}

const kinds = { workspace: 'text' } as const

const remote = remoteVerb({
  name: 'gateway',
  help,
  kinds,
  names: { min: 1, max: 2, what: 'a subcommand' },
  run: async (request) => {
    const [first = '', name] = request.files
    const task = oneWord('gateway', first, tasks)
    if (task === 'pins') return pins(request)
    if (name === undefined) throw usage('gateway', '`pawl gateway accept` needs a server')
    return accept(request, name)
  },
})

export const gatewayVerb: Verb = {
  help: remote.help,
  run: (args, io) => {
    const isTask = args.some((one) => !one.startsWith('-')) && !isServing(args)
    return isTask ? remote.run(args, io) : serve(args, io)
  },
}

type Pinned = OperationAnswer<'gateway.pins'>['items'][number]
type GatewayVerb = RemoteVerbSpec<typeof kinds>

async function read({ remote: daemon, values, io }: GatewayVerb): Promise<readonly Pinned[]> {
  const workspace = workspaceOf(values.workspace, io.cwd)
  return (await daemon.call('gateway.pins', { workspace })).items
}

async function pins(request: GatewayVerb): Promise<number> {
  const items = await read(request)
  printResult(request, { items }, () => {
    if (items.length === 0) return 'no servers yet: they are listed once a gateway has started\n'
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
    const table = tableText(['server or tool', 'accepted', 'description'], rows, request.io)
    return table + items.flatMap(waitingIn).join('')
  })
  return 0
}

/** Everything that waits for a person, value by value. */
function waitingIn({ server, launch, tools }: Pinned): readonly string[] {
  const named = tools.map((one) => ({ ...one, name: `${server}:${one.tool}` }))
  return [{ ...launch, name: server }, ...named].flatMap(({ name, changes, hasChanged }) => {
    if (changes.length === 0) return []
    const what = hasChanged ? 'changes' : 'everything it declares'
    return `\n${plain(name)}: ${what}\n${changes.map((line) => `  ${plain(line)}\n`).join('')}`
  })
}

function stateText({ isAccepted, hasChanged }: Pinned['launch']): string {
  return isAccepted ? 'yes' : hasChanged ? 'no: changed' : 'no: new'
}

function aboutText({ about, doubts }: Pinned['launch']): string {
  return doubts.length === 0 ? about : `${doubts.join(', ')}! ${about}`
}

async function accept(request: GatewayVerb, name: string): Promise<number> {
  const at = name.indexOf(':')
  const server = at < 0 ? name : name.slice(0, at)
  const tool = at < 0 ? null : name.slice(at + 1)
  const found = (await read(request)).filter((one) => one.server === server)
  if (found.length === 0) {
    const hint = '`pawl gateway pins` lists the servers'
    throw new PawlError('REQUEST_INVALID', `unknown server \`${server}\``, { hint })
  }
  const accepted: Pinned[] = []
  for (const { scope, version } of found) {
    const what = tool === null ? { scope, server, version } : { scope, server, version, tool }
    accepted.push(await request.remote.call('gateway.accept', what))
  }
  printResult(
    request,
    { items: accepted },
    () => `accepted: \`${plain(name)}\` in its current form\n`,
  )
  return 0
}
