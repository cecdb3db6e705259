/**
 * How the tests are run: every `*.test.ts` of sources, scripts and `test/`, on plain Node.
 */
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { countReporter } from './scripts/count-reporter.ts'
import { nodeProblem } from './src/main/node-version.ts'

/** When a test counts as hanging. A slow machine is no fault: speed is measured by the bench. */
const timeoutMs = 120_000

// WHY: called by hand, vitest runs on whatever Node the shell finds first, and results differ.
if (nodeProblem(process.version) !== null) {
  console.warn(
    `these tests run on Node ${process.version}, not on ours: ` +
      'use `npx vitest run FILE` or put `node_modules/.bin` first in PATH',
  )
}

const pure = ['src/core/**/*.test.ts', 'src/testing/**/*.test.ts', 'dashboard/**/*.test.ts']
// Those start real hosts: `npm run test:hosts`.
const hosts = 'test/hosts/**'

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // WHY one more than cores: half of what the tests take is waiting for programs and clocks.
    maxWorkers: availableParallelism() + 1,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: timeoutMs / 4 } },
    setupFiles: ['scripts/property-seed.ts'],
    reporters: ['default', countReporter()],
    projects: [
      {
        extends: true,
        // What computes only leaves nothing behind, so its files share a process.
        test: { name: 'pure', include: pure, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['src', 'test', 'scripts'].map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...configDefaults.exclude, hosts, ...pure],
          // Starts nothing before a test file asks for a database.
          globalSetup: ['scripts/postgres/shared-server.ts'],
        },
      },
    ],
  },
})
