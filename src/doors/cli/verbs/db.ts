/**
 * `pawl db`: checks and repairs the database.
 */

import { counted, plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'
import { type CareReport, type CareTask, daemonOf } from '../remote/daemon-door.ts'

const help: VerbHelp = {
  usage: ['db status', 'db check', 'db rebuild'],
  about: `\
Works only while no daemon is running (\`pawl stop\` first). With PostgreSQL and
several nodes, stop all of them.

\`status\` shows what is stored. \`check\` verifies the log of every run, and that it
ends where its index entry says. \`rebuild\` recreates everything that is derived
from the logs: the list of runs and the approvals. The logs are the source of truth
and are never changed.`,
  options: [
    [
      '--json',
      '{ "store", "runsCount", "bytes", "rebuiltCount", "problems": [{ "runId", "problem" }] }',
    ],
  ],
  examples: ['db check', 'db status --json'],
  exits: { 0: 'no problems', 1: 'problems were found', 2: 'usage error, or a daemon is running' },
}

const tasks = ['status', 'check', 'rebuild'] as const

export const dbVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('db', args, { json: 'flag' })
    const [word] = files
    if (word === undefined) throw usage('db', 'name a subcommand: status, check or rebuild')
    refuseMore('db', files, 1)
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
  if (task === 'rebuild') lines.push(`${counted(rebuiltCount, 'run')} had an outdated index entry`)
  if (task !== 'status') lines.push(`${counted(problems.length, 'problem')}`)
  return plain(`${lines.join('\n')}\n`)
}
