/**
 * `npm run test:hosts [-- FILE… -t TEST]`: Pawl against the real hosts, with a scripted model on
 * loopback. Installs the hosts when they are missing; the last line is `N passed, N failed`.
 * `--runs 10 --load 4` does it ten times, beside four processes that keep the machine busy.
 * WHY not part of `npm test`: the programs are large, and not ours to bring unasked.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { hostsRoot } from '../../src/prove/hosts/find-host.ts'
import { countReporter } from '../count-reporter.ts'
import { ensureHosts } from './ensure-hosts.ts'
import { repeatRuns } from './repeat-runs.ts'

const root = join(import.meta.dirname, '..', '..')
const hosts = hostsRoot(process.env)
// WHY said aloud: what the user has on the PATH may be another version.
process.env.PAWL_HOSTS_ROOT = hosts
process.env.NODE_COMPILE_CACHE ??= join(hosts, '..', 'node-compile-cache')
const testMsMax = 5 * 60_000
const runsMax = 100
const loadMax = 64
const { values, positionals } = parseArgs({
  options: {
    t: { type: 'string', short: 't' },
    only: { type: 'string' },
    runs: { type: 'string' },
    load: { type: 'string' },
    workers: { type: 'string' },
  },
  allowPositionals: true,
})

/** A whole number within limits; anything else ends the program. */
function count(name: 'runs' | 'load' | 'workers', least: number, most: number): number | null {
  const text = values[name]
  if (text === undefined) return null
  const number = Number(text)
  if (Number.isInteger(number) && number >= least && number <= most) return number
  console.error(`\`--${name}\` must be a whole number from ${least} to ${most}, not \`${text}\``)
  process.exit(2)
}

// `--only mcp,inspector`: what is not tested need not be here.
ensureHosts(hosts, values.only?.split(',') ?? null)
const runs = count('runs', 1, runsMax)
const load = count('load', 0, loadMax)
const workers = count('workers', 1, loadMax)
if (runs !== null || load !== null) {
  const args = [
    ...positionals,
    ...(values.t === undefined ? [] : ['-t', values.t]),
    ...(values.only === undefined ? [] : ['--only', values.only]),
    ...(workers === null ? [] : ['--workers', String(workers)]),
  ]
  const isGreen = await repeatRuns({ args, runs: runs ?? 1, load: load ?? 0 })
  process.exit(isGreen ? 0 : 1)
}
const vitest = await startVitest('test', positionals, {
  ...{ root, config: false, watch: false, environment: 'node', pool: 'forks' },
  ...(values.t === undefined ? {} : { testNamePattern: values.t }),
  include: ['test/hosts/**/*.test.ts'],
  // A host takes about a core, and waits for some of its time.
  maxWorkers: workers ?? availableParallelism(),
  testTimeout: testMsMax,
  hookTimeout: testMsMax,
  reporters: ['verbose', countReporter()],
})
await vitest.close()
