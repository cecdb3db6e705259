/**
 * `npm run faults [-- --sqlite N --postgres N]`: kills Pawl and its database again and again and
 * says what was lost. `npm run faults -- mail --rounds N`: only the deaths while mail is sent.
 * 1 000 and 300 cycles take about half an hour; `npm test` runs 15 and 5.
 * `npm run faults -- runner [--rounds N]`: jobs that do not want to be held, again and again.
 * `npm run faults -- box [--rounds N]`: sessions in boxes that are killed at any moment.
 * `npm run faults -- switches [--rounds N]`: files of a box that are closed while all write.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { switchUnderLoad } from '../../test/box/switch-load.ts'
import { startPostgres } from '../postgres/start.ts'
import { boxFaults } from './box.ts'
import { diskFull, lockedDatabase, type TroubleResult } from './disk.ts'
import { killLoopPostgres, killLoopSqlite, type LoopResult } from './kill-loop.ts'
import { mailLoop } from './mail.ts'
import { manyNodes } from './many-nodes.ts'
import { runnerFaults } from './runner.ts'
import type { Losses } from './verify.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    sqlite: { type: 'string', default: '100' },
    postgres: { type: 'string', default: '20' },
    load: { type: 'string', default: '9000' },
  },
})

if (positionals.includes('runner')) process.exit(await runnerFaults(Number(values.rounds)))

if (positionals.includes('switches')) {
  const report = await switchUnderLoad(Number(values.rounds))
  console.log(report === null ? 'this machine has no boxes' : JSON.stringify(report, null, 2))
  const { writtenWhileClosed = 0, linesLost = 0 } = report ?? {}
  process.exit(writtenWhileClosed + linesLost === 0 ? 0 : 1)
}

let failedCount = 0
// As people start it: built once, where the sources would be read again for every death.
const root = join(import.meta.dirname, '../..')
execFileSync(join(root, 'pawl'), ['--version'])
const command = [process.execPath, join(root, 'dist/main/pawl.js')]
if (positionals.includes('box')) {
  const held = await boxFaults(Number(values.rounds), join(root, 'dist/main/pawl.js'))
  console.log(held === null ? 'this machine has no boxes' : JSON.stringify(held, null, 2))
  process.exit(held === null || held.what.length === 0 ? 0 : 1)
}
const mail = await mailLoop(Number(values.rounds), { command, lanesCount: 3 })
const { roundsCount, acknowledged, repeated } = mail
const asked = `${acknowledged} mails acknowledged, ${repeated} after a second try`
tell('mail, kill -9', [mail, `${roundsCount} deaths, ${asked}`])
if (positionals.includes('mail')) process.exit(failedCount === 0 ? 0 : 1)
tell('SQLite, kill -9', loopText(await killLoopSqlite(Number(values.sqlite))))
const full = await diskFull()
if (full === null) console.log('disk full: skipped, only root may mount a small disk')
else tell('SQLite, disk full', troubleText(full))
tell('SQLite, locked', troubleText(await lockedDatabase()))
const server = await startPostgres()
try {
  tell('PostgreSQL, kill -9', loopText(await killLoopPostgres(Number(values.postgres), server)))
  const nodes = await manyNodes(server.url, Number(values.load))
  const { median, max } = nodes.wakeMs
  const woken = `${median.toFixed(0)} ms (at most ${max.toFixed(0)})`
  const wakes = `waiters on another node woken in ${woken}`
  tell('PostgreSQL, 3 nodes, 32 clients, one killed', [
    nodes,
    `${nodes.answered} answered; ${wakes}`,
  ])
} finally {
  await server.stop()
}
process.exit(failedCount === 0 ? 0 : 1)

type LossReport = readonly [losses: Losses, text: string]

function loopText(result: LoopResult): LossReport {
  const { cyclesCount, answered, settled } = result
  return [
    result,
    `${cyclesCount} deaths, ${answered} answered, ${settled} settled by sending again`,
  ]
}

function troubleText(result: TroubleResult): LossReport {
  return [result, `${result.answered} answered; a call in trouble got: ${result.denial}`]
}

function tell(name: string, [{ lost, doubled, differing, what }, text]: LossReport): void {
  console.log(`${name}: ${text}`)
  console.log(`  ${lost} lost, ${doubled} doubled, ${differing} differing`)
  for (const line of what) console.log(`  ${line}`)
  failedCount += lost + doubled + differing
}
