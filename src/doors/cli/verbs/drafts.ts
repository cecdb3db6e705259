/**
 * The part of `pawl definitions` that is about drafts: definitions that agents wrote, for a
 * person to activate.
 */
import { PawlError } from '../../../runtime/pawl-error.ts'
import { plain } from '../ansi.ts'
import { usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { printResult, type RemoteVerbSpec } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'

export const draftTasks = ['drafts', 'activate', 'discard'] as const
type DraftTask = (typeof draftTasks)[number]

export function isDraftTask(task: string): task is DraftTask {
  return draftTasks.some((one) => one === task)
}

/** Lists, shows, activates or removes drafts. */
export async function draftTask(
  request: RemoteVerbSpec,
  task: DraftTask,
  id: string | undefined,
): Promise<number> {
  if (task === 'drafts') return id === undefined ? list(request) : show(request, id)
  if (id === undefined) throw usage('definitions', `\`pawl definitions ${task}\` needs a draft`)
  return task === 'activate' ? activate(request, id) : discard(request, id)
}

async function list(request: RemoteVerbSpec): Promise<number> {
  const { remote, io } = request
  const found = await remote.call('drafts.list', {})
  printResult(request, found, () => {
    if (found.items.length === 0) return 'no drafts\n'
    const now = Date.now()
    const rows = found.items.map(
      (one): StyledLine => [
        styledSpan(one.id, 'strong'),
        styledSpan(one.dialect),
        styledSpan(one.by),
        styledSpan(momentText(one.at, now), 'dim'),
      ],
    )
    return tableText(['draft', 'dialect', 'by', 'written'], rows, io)
  })
  return 0
}

async function show(request: RemoteVerbSpec, id: string): Promise<number> {
  const { items } = await request.remote.call('drafts.list', {})
  const found = items.filter((one) => one.id === id || one.name === id)
  const [draft, second] = found
  if (draft === undefined || second !== undefined) {
    const hint = '`pawl definitions drafts` lists them'
    const message = draft === undefined ? 'unknown draft' : 'several drafts are named'
    throw new PawlError('DEFINITION_UNKNOWN', `${message} \`${id}\``, { hint })
  }
  printResult(request, draft, () =>
    plain(draft.source.endsWith('\n') ? draft.source : `${draft.source}\n`),
  )
  return 0
}

async function activate(request: RemoteVerbSpec, id: string): Promise<number> {
  const kept = await request.remote.call('drafts.activate', { id })
  const { name, version } = kept.definition
  printResult(request, kept, () => plain(`stored ${name}, version ${version}\n`))
  return 0
}

async function discard(request: RemoteVerbSpec, id: string): Promise<number> {
  const answer = await request.remote.call('drafts.delete', { id })
  printResult(request, answer, () => plain(`removed ${id}\n`))
  return 0
}
