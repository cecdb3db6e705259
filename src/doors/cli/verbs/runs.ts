/**
 * `pawl runs`: lists runs.
 */

import type { Status } from '../../../core/engine/types.ts'
import { openStatuses } from '../../../runtime/runs/open-statuses.ts'
import type { VerbHelp } from '../help.ts'
import { oneOf } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { toneOf } from '../play/view-lines.ts'
import { readCount } from '../remote/read-values.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import type { RunInLine } from '../remote/show-event.ts'
import { spanText, tableText } from '../remote/show-table.ts'

const help: VerbHelp = {
  usage: ['runs [OPTIONS]'],
  about: `\
Lists open runs, the most recently changed first.`,
  options: [
    ['--all', 'include ended runs'],
    [
      '--status STATUS',
      'running, waiting, paused, completed, blocked, failed or cancelled; repeatable',
    ],
    ['--here', 'only runs of this folder'],
    ['--limit N', 'list at most N runs; default: 50'],
    ['--after NEXT', 'continue after a page that ended with this `next`'],
  ],
  examples: ['runs --all --limit 10', 'runs --here --status waiting --status paused'],
  exits: { 0: 'listed', 2: notAsked },
}

const statuses = [...openStatuses, 'completed', 'blocked', 'failed', 'cancelled'] as const

export const runsVerb = remoteVerb({
  name: 'runs',
  help,
  kinds: { all: 'flag', status: 'list', here: 'flag', limit: 'text', after: 'text' },
  names: { min: 0, max: 0, what: 'no name' },
  run: async (request) => {
    const { values, remote, io } = request
    const named = values.status.flatMap((value) => {
      const status = oneOf('runs', { name: 'status', value }, statuses)
      return status === null ? [] : [status]
    })
    const wanted = named.length > 0 ? named : values.all ? null : [...openStatuses]
    const page = await remote.call('runs.list', {
      limit: readCount('runs', { name: 'limit', value: values.limit, max: 500 }) ?? 50,
      ...(wanted === null ? {} : { statuses: wanted }),
      ...(values.here ? { workspace: io.cwd } : {}),
      ...(values.after === null ? {} : { after: values.after }),
    })
    printResult(request, page, () => {
      if (page.items.length === 0) {
        return wanted === null || named.length > 0
          ? 'no runs\n'
          : 'no open runs; `pawl runs --all` includes ended ones\n'
      }
      const more = page.next === null ? '' : `more: --after ${page.next}\n`
      return `${tableText(heads, page.items.map(rowOf), io)}${more}`
    })
    return 0
  },
})

const heads = ['run', 'title', 'definition', 'status', 'stage', 'calls', 'changed', 'folder']

function rowOf(head: RunInLine): StyledLine {
  return [
    styledSpan(head.id),
    styledSpan(head.title ?? '', 'strong'),
    styledSpan(head.definition),
    // WHY the cast: the head of a run has one of the statuses; an unknown one has no colour.
    styledSpan(head.status, toneOf(head.status as Status)),
    styledSpan(head.stage),
    styledSpan(String(head.callsCount)),
    styledSpan(`${spanText(Date.now() - head.updatedAt)} ago`, 'dim'),
    styledSpan(head.workspace ?? '', 'dim'),
  ]
}
