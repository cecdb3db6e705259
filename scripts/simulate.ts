/**
 * Runs seeded schedules of agents, people, timeouts and crashes. A failure is printed with its
 * seed and everything that led to it, and can be repeated with `--only SEED`.
 * node scripts/simulate.ts --schedules N --seed S [--only SEED] [--parallel]
 * With `--parallel`, each schedule is 100 calls at once under limits of what happened before.
 */
import { parseArgs } from 'node:util'
import { simulateParallel } from '../test/simulation/parallel-calls.ts'
import { type Schedule, simulate, traceOf } from '../test/simulation/simulate.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    parallel: { type: 'boolean', default: false },
  },
})

/** Failures whose story is told in full. */
const tracesShownMax = 3

const broken: Schedule[] = values.only === undefined ? await playMany() : await playOne()
for (const { seed, broken: what } of broken) console.log(`seed ${seed}: ${what}`)
for (const { seed } of broken.slice(0, tracesShownMax)) {
  console.log(`\nseed ${seed}, step by step:`)
  for (const line of await traceOf(seed)) console.log(`  ${line}`)
}
process.exitCode = broken.length === 0 ? 0 : 1

async function playMany(): Promise<Schedule[]> {
  const [count, first] = [Number(values.schedules), Number(values.seed)]
  const found: Schedule[] = []
  let recordsCount = 0
  const begunAt = performance.now()
  for (let seed = first; seed < first + count; seed += 1) {
    const schedule = await (values.parallel ? simulateParallel : simulate)(seed)
    recordsCount += schedule.recordsCount
    if (schedule.broken !== null) found.push(schedule)
  }
  const seconds = (performance.now() - begunAt) / 1000
  const pace = `${(count / seconds).toFixed(0)} schedules/s, ${recordsCount} records`
  console.log(`${count} schedules from seed ${first}: ${found.length} broken; ${pace}`)
  return found
}

async function playOne(): Promise<Schedule[]> {
  const schedule = await simulate(Number(values.only))
  if (schedule.broken !== null) return [schedule]
  for (const line of await traceOf(Number(values.only))) console.log(line)
  console.log(`seed ${values.only}: nothing broken, ${schedule.recordsCount} records`)
  return []
}
