/**
 * `node scripts/shell-fuzz/main.ts --runs 5000 --seed 1`: runs that many fuzzed commands that Pawl
 * allows and lists every program that ran without being on the list. Exits with 1 if there was
 * one.
 */
import { parseArgs } from 'node:util'
import { minimise, runFuzz } from './fuzz-loop.ts'
import { closeSandbox, openSandbox, traceProblem } from './trace.ts'

const violationsShownMax = 20

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    kind: { type: 'string', default: 'both' },
  },
})

const problem = traceProblem()
if (problem !== null) {
  console.error(`nothing was run: ${problem}`)
  process.exit(2)
}
const sandbox = openSandbox()
try {
  const begun = performance.now()
  const kind = values.kind === 'lists' || values.kind === 'reading' ? values.kind : 'both'
  const plan = { seed: Number(values.seed), runs: Number(values.runs), kind } as const
  const found = await runFuzz({ sandbox, ...plan, workersCount: Number(values.workers) })
  const seconds = Math.round((performance.now() - begun) / 1000)
  const { judged, denied, run, reading, namingStrangers, starting, violations } = found
  console.log(`seed ${plan.seed}: ${judged} commands judged, ${denied} denied (${seconds} s)`)
  console.log(`  allowed and run: ${run}, of which ${starting} started a program`)
  console.log(`  allowed and naming a stranger somewhere: ${namingStrangers}`)
  console.log(`  judged by a stage that only reads: ${reading}`)
  console.log(`  ran a program that is on no entry, or changed a file: ${violations.length}`)
  for (const violation of violations.slice(0, violationsShownMax)) {
    const { command, list, origin, ran } = await minimise(sandbox, violation)
    console.log(`\n${origin}, list ${list}, ran ${JSON.stringify(ran)}`)
    console.log(`  shortest: ${JSON.stringify(command)}`)
    console.log(`  found as: ${JSON.stringify(violation.command)}`)
  }
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  closeSandbox(sandbox)
}
