/**
 * `pawl cost`: what runs have cost, and for what.
 */

import { usdText } from '../../../core/money.ts'
import { pricesSources } from '../../../core/prices.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { VerbHelp } from '../help.ts'
import { oneOf, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { tableText } from '../remote/show-table.ts'

const help: VerbHelp = {
  usage: ['cost [RUN] [OPTIONS]'],
  about: `\
Lists the most expensive first. Counts the costs that calls report, and the model
costs that hosts and agents report.`,
  options: [
    ['--by KIND', 'run, stage, tool or day; default: run, or stage if RUN is given'],
    ['--days N', 'only the last N days'],
  ],
  notes: `\
JSON output is one object: { "rows": [{ "runId", "definition", "stage", "tool",
"day", "costMicroUsd", "count" }], "isPartial" }. Amounts are in millionths of a
dollar.`,
  examples: ['cost --days 7', 'cost --by tool'],
  exits: { 0: 'shown', 2: notAsked },
}

const kinds = ['run', 'stage', 'tool', 'day'] as const
type Kind = (typeof kinds)[number]
const dayMs = 86_400_000

export const costVerb = remoteVerb({
  name: 'cost',
  help,
  kinds: { by: 'text', days: 'text' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const runId = files[0] === undefined ? null : await findRun(files[0], request)
    const chosen = oneOf('cost', { name: 'by', value: values.by }, kinds)
    const by = chosen ?? (runId === null ? 'run' : 'stage')
    const days = readDays(values.days)
    const report = await remote.call('costs.read', {
      ...(runId === null ? {} : { runId }),
      ...(days === null ? {} : { since: Math.floor(Date.now() - days * dayMs) }),
    })
    printResult(request, report, () => {
      if (report.rows.length === 0) return 'no costs\n'
      const more = report.isPartial ? 'older runs are not included\n' : ''
      const lines = groupBy(report.rows, by).map((one) => lineOf(one))
      return `${tableText([by, 'cost', 'times'], lines, io)}${more}${pricesLine}`
    })
    return 0
  },
})

const pricesLine = pricesSources
  .map(({ name, date }) => `model prices as of ${date} (${name})\n`)
  .join('')

function readDays(value: string | null): number | null {
  if (value === null) return null
  const days = Number(value)
  if (days > 0 && Number.isFinite(days)) return days
  throw usage('cost', '`--days` must be a number above 0')
}

type Row = OperationAnswer<'costs.read'>['rows'][number]
type Group = { readonly name: string; readonly costMicroUsd: number; readonly count: number }

function groupBy(rows: readonly Row[], by: Kind): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const name = nameOf(row, by)
    const { costMicroUsd = 0, count = 0 } = groups.get(name) ?? {}
    const sum = { costMicroUsd: costMicroUsd + row.costMicroUsd, count: count + row.count }
    groups.set(name, { name, ...sum })
  }
  const all = [...groups.values()]
  if (by === 'day') return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return all.toSorted((a, b) => b.costMicroUsd - a.costMicroUsd)
}

function nameOf(row: Row, by: Kind): string {
  switch (by) {
    case 'run':
      return `${row.runId} ${row.definition}`
    case 'stage':
      return `${row.definition} ${row.stage}`
    case 'tool':
      return row.tool
    case 'day':
      return row.day
  }
}

function lineOf({ name, costMicroUsd, count }: Group): StyledLine {
  return [
    styledSpan(name),
    styledSpan(usdText(costMicroUsd), 'strong'),
    styledSpan(String(count), 'dim'),
  ]
}
