/**
 * `pawl tasks`: work that agents have noted down in this folder.
 */
import { oneOf } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'
import { memoryScopeOf } from './memory.ts'

const help = `\
pawl tasks: list the work that agents have noted down in this folder

Usage: pawl tasks [OPTIONS]

Without a process it is about what all processes here share.

Options:
  --process NAME   of this process alone
  --status STATUS  open, claimed or done
${commonHelp}

Exit codes: 0 done, 2 it could not be asked
`

const kinds = { process: 'text', status: 'text' } as const

export const tasksVerb = remoteVerb({
  name: 'tasks',
  summary: 'list the work that agents have noted down in this folder',
  help,
  kinds,
  names: { min: 0, max: 0, what: 'nothing' },
  run: async (request) => {
    const { remote, io, values } = request
    const statuses = ['open', 'claimed', 'done'] as const
    const status = oneOf('tasks', { name: 'status', value: values.status }, statuses)
    const wish = { ...memoryScopeOf(request), ...(status === null ? {} : { status }) }
    const found = await remote.call('tasks.list', wish)
    printResult(request, found, () => {
      if (found.items.length === 0) return 'there are no tasks\n'
      const now = Date.now()
      const rows = found.items.map(
        (one): StyledLine => [
          styledSpan(one.id, 'strong'),
          styledSpan(one.status),
          styledSpan(one.title),
          styledSpan(one.run ?? '', 'dim'),
          styledSpan(momentText(one.updatedAt, now), 'dim'),
        ],
      )
      return tableText(['task', 'status', 'title', 'run', 'changed'], rows, io)
    })
    return 0
  },
})
