/**
 * `node scripts/shell-fuzz/slowest.ts`: how long judging each hostile input takes, slowest first.
 * The goal is under 50 ms; a test cannot promise that on every machine, so this prints it.
 * Measures CPU time of the thread, so a busy machine does not change it.
 */
import { guardedRun } from '../../test/shell/guarded-run.ts'
import { hostileCommands, patternTraps, wrongTypes } from '../../test/shell/hostile-inputs.ts'

const goalMs = 50
const shownMax = 12
const roundsCount = 5

const programs = ['ls', 'cat', 'rm', 'python3', 'sqlite3', 'psql', 'pytest', 'awk', 'bash']
const check = guardedRun({ allowed_tools: ['Bash'], allowed_commands: ['npm test'] })
const listing = guardedRun({
  allowed_tools: ['Bash', 'Edit'],
  allowed_commands: programs,
  blocked_env: ['TOKEN'],
})
check('Bash', { command: 'npm test' })

function worstMs(input: unknown, guard = check): number {
  let worst = 0
  for (let round = 0; round < roundsCount; round += 1) {
    const begun = process.threadCpuUsage()
    guard('Bash', input)
    const { user, system } = process.threadCpuUsage(begun)
    worst = Math.max(worst, (user + system) / 1_000)
  }
  return worst
}

const times = [
  ...hostileCommands.map(({ name, make }) => ({ name, ms: worstMs({ command: make() }) })),
  ...patternTraps.map(({ name, make }) => ({ name, ms: worstMs({ command: make() }, listing) })),
  ...wrongTypes.map(({ name, make }) => ({ name: `input: ${name}`, ms: worstMs(make()) })),
].sort((a, b) => b.ms - a.ms)
for (const { name, ms } of times.slice(0, shownMax)) {
  console.log(`${ms.toFixed(2).padStart(9)} ms  ${name}`)
}
const tooSlow = times.filter(({ ms }) => ms > goalMs)
console.log(
  `${times.length} inputs, worst of ${roundsCount} each; over ${goalMs} ms: ${tooSlow.length}`,
)
process.exitCode = tooSlow.length === 0 ? 0 : 1
