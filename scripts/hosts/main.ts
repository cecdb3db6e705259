/**
 * `npm run test:hosts [-- FILE… -t TEST]`: Pawl against the real hosts, with a scripted model on
 * loopback. Installs the hosts when they are missing; the last line is `N passed, N failed`.
 * WHY not part of `npm test`: the programs are large, and not ours to bring unasked.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { hostsRoot } from '../../src/prove/hosts/find-host.ts'
import { countReporter } from '../count-reporter.ts'
import { ensureHosts } from './ensure-hosts.ts'

const root = join(import.meta.dirname, '..', '..')
const hosts = hostsRoot(process.env)
// WHY said aloud: what the user has on the PATH may be another version.
process.env.PAWL_HOSTS_ROOT = hosts
const testMsMax = 5 * 60_000
const { values, positionals } = parseArgs({
  options: { t: { type: 'string', short: 't' }, only: { type: 'string' } },
  allowPositionals: true,
})
// `--only mcp,inspector`: what is not tested need not be here.
ensureHosts(hosts, values.only?.split(',') ?? null)
const vitest = await startVitest('test', positionals, {
  ...{ root, config: false, watch: false, environment: 'node', pool: 'forks' },
  ...(values.t === undefined ? {} : { testNamePattern: values.t }),
  include: ['test/hosts/**/*.test.ts'],
  // WHY one at a time: a host takes a core, and a test that waits for one has a clock.
  fileParallelism: false,
  testTimeout: testMsMax,
  hookTimeout: testMsMax,
  reporters: ['verbose', countReporter()],
})
await vitest.close()
