/**
 * `pawl tasks`: the tasks of agents in this folder.
 */
import type { VerbHelp } from '../help.ts'
import { oneOf } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { momentText, tableText } from '../remote/show-table.ts'
import { memoryScopeOf } from './memory.ts'

const help: VerbHelp = {
  usage: ['tasks [OPTIONS]'],
  about: `\
Without --process, it shows the tasks that all processes in this folder share.`,
  options: [
    ['--process NAME', 'the tasks of this process only'],
    ['--status STATUS', 'open, claimed or done'],
  ],
  examples: ['tasks', 'tasks --status open'],
  exits: { 0: 'listed', 2: notAsked },
}

const kinds = { process: 'text', status: 'text' } as const

export const tasksVerb = remoteVerb({
  name: 'tasks',
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
      if (found.items.length === 0) return 'no tasks\n'
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
