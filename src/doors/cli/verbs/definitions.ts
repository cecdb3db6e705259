/**
 * `pawl definitions`: what runs can be started of.
 */
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { plain } from '../ansi.ts'
import { oneWord, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { readCount } from '../remote/read-values.ts'
import { commonHelp, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'
import { storeDefinition } from '../remote/store-definition.ts'
import { draftTask, draftTasks, isDraftTask } from './drafts.ts'

const help = `\
pawl definitions: list, show, add and remove the definitions that runs can be started of

Usage: pawl definitions [list]
       pawl definitions show NAME [--version N]
       pawl definitions versions NAME
       pawl definitions add FILE
       pawl definitions remove NAME
       pawl definitions drafts [NAME]
       pawl definitions activate DRAFT
       pawl definitions discard DRAFT

A file whose definition is there already becomes a new version of it. Runs keep the version that
they began with, and go on when their definition is removed.

A draft was written by an agent (\`pawl_create_workflow\`), and nothing can be started of it until
a person activates it. With a name its text is shown. What is activated is the text that was shown:
another text is another draft.

Options:
  --version N      with show: an older version
${commonHelp}; an agent may look only

Exit codes: 0 done, 1 refused or the definition has errors, 2 it could not be asked
`

const kinds = { version: 'text' } as const
const tasks = ['list', 'show', 'versions', 'add', 'remove', ...draftTasks] as const
const pageMax = 500

export const definitionsVerb = remoteVerb({
  name: 'definitions',
  summary: 'list, show, add and remove definitions',
  help,
  kinds,
  names: { min: 0, max: 2, what: 'something to do' },
  run: async (request) => {
    const [first = 'list', name] = request.files
    const task = oneWord('definitions', first, tasks)
    if (request.values.version !== null && task !== 'show') {
      throw usage('definitions', '`--version` goes with `show`')
    }
    if (task === 'list') return list(request)
    if (isDraftTask(task)) return draftTask(request, task, name)
    if (name === undefined) {
      const what = task === 'add' ? 'a file' : 'the name of a definition'
      throw usage('definitions', `\`pawl definitions ${task}\` needs ${what}`)
    }
    if (task === 'add') return add(request, name)
    if (task === 'show') return show(request, name)
    return task === 'versions' ? versions(request, name) : remove(request, name)
  },
})

async function list(request: RemoteVerbSpec): Promise<number> {
  const { remote, io } = request
  const page = await remote.call('definitions.list', { limit: pageMax })
  printResult(request, page, () => {
    if (page.items.length === 0) return 'there are no definitions; `pawl definitions add FILE`\n'
    const now = Date.now()
    const rows = page.items.map(
      (one): StyledLine => [
        styledSpan(one.name, 'strong'),
        styledSpan(one.dialect),
        styledSpan(String(one.version)),
        styledSpan(momentText(one.updatedAt, now), 'dim'),
        styledSpan(one.workspace, 'dim'),
      ],
    )
    return tableText(['name', 'dialect', 'version', 'changed', 'folder'], rows, io)
  })
  return 0
}

async function show(request: RemoteVerbSpec<typeof kinds>, id: string): Promise<number> {
  const { remote } = request
  const wanted = readCount('definitions', {
    name: 'version',
    value: request.values.version,
    max: 1_000_000,
  })
  const shown =
    wanted === null
      ? await remote.call('definitions.read', { id })
      : versionOf(await remote.call('definitions.versions', { id }), id, wanted)
  printResult(request, shown, () =>
    plain(shown.source.endsWith('\n') ? shown.source : `${shown.source}\n`),
  )
  return 0
}

type Versions = OperationAnswer<'definitions.versions'>

function versionOf({ items }: Versions, id: string, wanted: number): Versions['items'][number] {
  const found = items.find((one) => one.version === wanted)
  if (found !== undefined) return found
  const hint = `\`pawl definitions versions ${id}\` lists them`
  throw new PawlError('DEFINITION_UNKNOWN', `\`${id}\` has no version ${wanted}`, { hint })
}

async function versions(request: RemoteVerbSpec, id: string): Promise<number> {
  const { remote, io } = request
  const found = await remote.call('definitions.versions', { id })
  printResult(request, found, () => {
    const now = Date.now()
    const rows = found.items.map(
      (one): StyledLine => [
        styledSpan(String(one.version), 'strong'),
        styledSpan(momentText(one.createdAt, now), 'dim'),
        styledSpan(one.sourceHash.slice(0, 12)),
      ],
    )
    return tableText(['version', 'stored', 'text'], rows, io)
  })
  return 0
}

async function add(request: RemoteVerbSpec, name: string): Promise<number> {
  const kept = await storeDefinition(name, request)
  if (kept === null) return 1
  const { definition } = kept
  printResult(request, kept, () => plain(`${definition.name}: version ${definition.version}\n`))
  return 0
}

async function remove(request: RemoteVerbSpec, id: string): Promise<number> {
  const answer = await request.remote.call('definitions.delete', { id })
  printResult(request, answer, () => plain(`${id} is removed; its runs go on\n`))
  return 0
}
