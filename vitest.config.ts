/**
 * How the tests are run: every `*.test.ts` of sources, scripts and `test/`, on plain Node.
 */
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { countReporter } from './scripts/count-reporter.ts'
import { nodeProblem } from './src/main/node-version.ts'

const timeoutMs = 30_000

// WHY: called by hand, vitest runs on whatever Node the shell finds first, and results differ.
if (nodeProblem(process.version) !== null) {
  console.warn(
    `these tests run on Node ${process.version}, not on ours: ` +
      'use `npx vitest run FILE` or put `node_modules/.bin` first in PATH',
  )
}

export default defineConfig({
  test: {
    include: ['src', 'dashboard', 'test', 'scripts'].map((folder) => `${folder}/**/*.test.ts`),
    // Those start real hosts: `npm run test:hosts`.
    exclude: [...configDefaults.exclude, 'test/hosts/**'],
    environment: 'node',
    // Starts nothing before a test file asks for a database.
    globalSetup: ['scripts/postgres/shared-server.ts'],
    pool: 'forks',
    // WHY: the default leaves one core out, which on two cores is half the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    reporters: ['default', countReporter()],
  },
})
