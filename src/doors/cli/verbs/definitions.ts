/**
 * `pawl definitions`: the stored definitions.
 */

import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import { startFolder } from '../init/start-folder.ts'
import { oneWord, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { readCount } from '../remote/read-values.ts'
import { notAsked, printResult, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'
import { storeDefinition } from '../remote/store-definition.ts'
import { draftTask, draftTasks, isDraftTask } from './drafts.ts'

const help: VerbHelp = {
  usage: [
    'definitions [list]',
    'definitions show NAME [--version N]',
    'definitions versions NAME',
    'definitions add FILE',
    'definitions remove NAME',
    'definitions accept NAME HASH',
    'definitions drafts [NAME]',
    'definitions activate DRAFT',
    'definitions discard DRAFT',
  ],
  about: `\
Adding a definition that is already stored creates a new version of it. Runs keep
the version they started with, and continue after their definition is removed.

A draft is a definition that an agent wrote (\`pawl_create_workflow\`). It cannot
be started until a person activates it. \`drafts NAME\` shows its text. Activating
stores exactly the text that was shown: a changed text is a different draft.

A file in \`.pawl/definitions/\` that has the name of a stored definition is not
started until a person accepts it. The error about it names the hash. A change of
the file needs another acceptance.

Agents may only list and show.`,
  options: [['--version N', 'with show: an older version']],
  examples: ['definitions', 'definitions add examples/workflow/tdd-bug-fix.json'],
  exits: { 0: 'done', 1: 'rejected, or the definition has errors', 2: notAsked },
}

const kinds = { version: 'text' } as const
const tasks = ['list', 'show', 'versions', 'add', 'remove', 'accept', ...draftTasks] as const
const pageMax = 500

export const definitionsVerb = remoteVerb({
  name: 'definitions',
  help,
  kinds,
  names: { min: 0, max: 3, what: 'a subcommand' },
  run: async (request) => {
    const [first = 'list', name, hash] = request.files
    const task = oneWord('definitions', first, tasks)
    if (request.values.version !== null && task !== 'show') {
      throw usage('definitions', '`--version` needs `show`')
    }
    if ((hash === undefined) === (task === 'accept')) {
      throw usage('definitions', '`pawl definitions accept` needs a name and a hash')
    }
    if (task === 'list') return list(request)
    if (isDraftTask(task)) return draftTask(request, task, name)
    if (name === undefined) {
      const what = task === 'add' ? 'a file' : 'the name of a definition'
      throw usage('definitions', `\`pawl definitions ${task}\` needs ${what}`)
    }
    if (task === 'add') return add(request, name)
    if (task === 'accept') return accept(request, name, hash ?? '')
    const about = { show, versions, remove }[task]
    return about(request, name)
  },
})

async function list(request: RemoteVerbSpec): Promise<number> {
  const { remote, io } = request
  const page = await remote.call('definitions.list', { limit: pageMax })
  printResult(request, page, () => {
    if (page.items.length === 0)
      return 'no definitions yet: `pawl definitions add FILE` stores one\n'
    const now = Date.now()
    const rows = page.items.flatMap((one): StyledLine[] => [
      [
        styledSpan(one.name, 'strong'),
        styledSpan(one.dialect),
        styledSpan(String(one.version)),
        styledSpan(momentText(Date.parse(one.updatedAt), now), 'dim'),
        styledSpan(one.workspace, 'dim'),
      ],
      ...(one.tasks.length > 1 ? one.tasks.map(taskRow) : []),
    ])
    return tableText(['name', 'dialect', 'version', 'changed', 'folder'], rows, io)
  })
  return 0
}

/** A task of a definition that has several; `pawl start` takes its name, too. */
function taskRow(task: string): StyledLine {
  return [styledSpan(`  ${task}`), ...['task', '', '', ''].map((text) => styledSpan(text, 'dim'))]
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
        styledSpan(momentText(Date.parse(one.createdAt), now), 'dim'),
        styledSpan(one.sourceHash.slice(0, 12)),
      ],
    )
    return tableText(['version', 'stored', 'hash'], rows, io)
  })
  return 0
}

async function add(request: RemoteVerbSpec, name: string): Promise<number> {
  const kept = await storeDefinition(name, request)
  if (kept === null) return 1
  const { definition } = kept
  printResult(request, kept, () =>
    plain(`stored ${definition.name}, version ${definition.version}\n`),
  )
  return 0
}

async function accept(request: RemoteVerbSpec, id: string, hash: string): Promise<number> {
  const { remote, io } = request
  const { workspace } = await startFolder(io)
  const answer = await remote.call('definitions.accept', { id, workspace, hash })
  printResult(request, answer, () => plain(`accepted ${id} in ${answer.workspace}\n`))
  return 0
}

async function remove(request: RemoteVerbSpec, id: string): Promise<number> {
  const answer = await request.remote.call('definitions.delete', { id })
  printResult(request, answer, () => plain(`removed ${id}; its runs continue\n`))
  return 0
}
