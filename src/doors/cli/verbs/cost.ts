/**
 * `pawl cost`: what runs have cost, and for what.
 */
import { usdText } from '../../../core/money.ts'
import { pricesSource } from '../../../core/prices.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { oneOf, usage } from '../options.ts'
import { type StyledLine, styledSpan } from '../play/styled-text.ts'
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { tableText } from '../remote/show-table.ts'

const help = `\
pawl cost: what runs have cost, the dearest first

Usage: pawl cost [RUN] [OPTIONS]

Costs are those that calls report, and those of the models that hosts and agents tell of.

Options:
  --by WHAT        run, stage, tool or day; else run, and stage where a run is named
  --days N         only of the last N days
${commonHelp}

JSON is one object: { "rows": [{ "runId", "definition", "stage", "tool", "day", "costMicroUsd",
"count" }], "isPartial" }; amounts are millionths of a dollar.

Exit codes: 0 told, 1 there is no such run, 2 it could not be asked
`

const kinds = ['run', 'stage', 'tool', 'day'] as const
type Kind = (typeof kinds)[number]
const dayMs = 86_400_000

export const costVerb = remoteVerb({
  name: 'cost',
  summary: 'say what runs have cost',
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
      if (report.rows.length === 0) return 'nothing was spent\n'
      const more = report.isPartial ? 'older runs are left out\n' : ''
      const lines = groupBy(report.rows, by).map((one) => lineOf(one))
      return `${tableText([by, 'cost', 'times'], lines, io)}${more}${pricesLine}`
    })
    return 0
  },
})

const dataSet = `${pricesSource.name} ${pricesSource.version}`
const pricesLine = `model prices as of ${pricesSource.date} (${dataSet})\n`

function readDays(value: string | null): number | null {
  if (value === null) return null
  const days = Number(value)
  if (days > 0 && Number.isFinite(days)) return days
  throw usage('cost', '`--days` needs a number above nought')
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
