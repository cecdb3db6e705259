/**
 * `pawl db`: checks and repairs the database.
 */

import { counted, plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'
import { type CareReport, type CareTask, daemonOf } from '../remote/daemon-door.ts'

const help: VerbHelp = {
  usage: ['db status', 'db check [--against ANCHORS]', 'db anchor', 'db rebuild'],
  about: `\
Works only while no daemon is running (\`pawl stop\` first). With PostgreSQL and
several nodes, stop all of them.

\`status\` shows what is stored. \`check\` folds every run from its first record and
compares every row with what the records say, and reports every manual edit. \`anchor\`
prints one line that commits to the whole store; keep it where nobody who can write to the
database can write, and give it to \`check --against\`. \`rebuild\`
recreates everything that is derived from the logs: the list of runs and the
approvals. The logs are the source of truth and are never changed.`,
  options: [
    ['--against ANCHORS', 'check against the anchors in a file, or in `git:FOLDER#REF`'],
    [
      '--json',
      '{ "store", "runsCount", "bytes", "rebuiltCount", "problems": [{ "runId", "problem" }] }',
    ],
  ],
  examples: ['db check', 'db anchor > anchors.jsonl', 'db check --against anchors.jsonl'],
  exits: { 0: 'no problems', 1: 'problems were found', 2: 'usage error, or a daemon is running' },
}

const tasks = ['status', 'check', 'anchor', 'rebuild'] as const

export const dbVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('db', args, { json: 'flag', against: 'text' })
    const [word] = files
    if (word === undefined) throw usage('db', 'name a subcommand: status, check, anchor or rebuild')
    refuseMore('db', files, 1)
    const task = oneWord('db', word, tasks)
    const { against } = values
    if (against !== null && task !== 'check') throw usage('db', '`--against` needs `db check`')
    const report = await daemonOf(io).care(task, against)
    if (report.anchor !== undefined) io.out(report.anchor)
    else io.out(values.json ? `${JSON.stringify(report)}\n` : reportText(task, report))
    return report.problems.length === 0 ? 0 : 1
  },
}

function reportText(task: CareTask, report: CareReport): string {
  const { store, runsCount, bytes, rebuiltCount, anchorsCount = 0, problems } = report
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`
  const lines = problems.map(({ runId, problem }) => `${runId || 'store'}: ${problem}`)
  lines.push(`${store}: ${counted(runsCount, 'run')}, ${size}`)
  if (task === 'rebuild') lines.push(`${counted(rebuiltCount, 'run')} had an outdated index entry`)
  if (anchorsCount > 0) lines.push(`checked against ${counted(anchorsCount, 'anchor')}`)
  if (task !== 'status') lines.push(`${counted(problems.length, 'problem')}`)
  return plain(`${lines.join('\n')}\n`)
}
