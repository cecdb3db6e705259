/**
 * `node scripts/shell-fuzz/slowest.ts`: how long each hostile input takes to be denied, slowest
 * first. The goal is under 50 ms; a test cannot promise that on any machine, so this prints it.
 */
import { guardedRun } from '../../test/shell/guarded-run.ts'
import { hostileCommands, wrongTypes } from '../../test/shell/hostile-inputs.ts'

const goalMs = 50
const shownMax = 12
const roundsCount = 5

const check = guardedRun({ allowed_tools: ['Bash'], allowed_commands: ['npm test'] })
check('Bash', { command: 'npm test' })

function worstMs(input: unknown): number {
  let worst = 0
  for (let round = 0; round < roundsCount; round += 1) {
    const begun = performance.now()
    check('Bash', input)
    worst = Math.max(worst, performance.now() - begun)
  }
  return worst
}

const times = [
  ...hostileCommands.map(({ name, make }) => ({ name, ms: worstMs({ command: make() }) })),
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
