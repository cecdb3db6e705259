/**
 * `pawl db`: care for the database itself.
 */

import { counted, plain } from '../ansi.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, usage } from '../options.ts'
import { type CareReport, type CareTask, daemonOf } from '../remote/daemon-door.ts'

const help = `\
pawl db: look after the database, while no daemon serves it (\`pawl stop\` first)

Usage: pawl db status     what is in it
       pawl db check      verify the log of every run, and that it ends where its head says
       pawl db rebuild    make everything that is projected from the logs anew: heads, questions

The logs are the truth; rebuilding touches none of them. With PostgreSQL and several nodes, stop all
of them first.

Options:
  --json           { "store", "runsCount", "bytes", "rebuiltCount",
                     "problems": [ { "runId", "problem" } ] }

Exit codes: 0 all is well, 1 there are problems, 2 it could not be done
`

const tasks = ['status', 'check', 'rebuild'] as const

export const dbVerb: Verb = {
  name: 'db',
  summary: 'check the database, or rebuild what is projected from the logs',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('db', args, { json: 'flag' })
    const [word, second] = files
    if (word === undefined) throw usage('db', 'say what to do: status, check or rebuild')
    if (second !== undefined) throw usage('db', `\`${second}\` is one too many`)
    const task = oneWord('db', word, tasks)
    const report = await daemonOf(io).care(task)
    io.out(values.json ? `${JSON.stringify(report)}\n` : reportText(task, report))
    return report.problems.length === 0 ? 0 : 1
  },
}

function reportText(task: CareTask, report: CareReport): string {
  const { store, runsCount, bytes, rebuiltCount, problems } = report
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`
  const lines = problems.map(({ runId, problem }) => `${runId}: ${problem}`)
  lines.push(`${store}: ${counted(runsCount, 'run')}, ${size}`)
  if (task === 'rebuild') lines.push(`${counted(rebuiltCount, 'run')} had other heads than now`)
  if (task !== 'status') lines.push(`${counted(problems.length, 'problem')}`)
  return plain(`${lines.join('\n')}\n`)
}
