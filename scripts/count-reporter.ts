/**
 * Counts the results of a test run. Under `npm test` the counts are written to the file that
 * `PAWL_COUNTS_FILE` names; otherwise they are printed as the last line.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export type Counts = { readonly passed: number; readonly failed: number }

/** A vitest reporter whose only words are `N passed, N failed`. */
export function countReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const counts = countTests(modules)
      const file = process.env.PAWL_COUNTS_FILE
      if (file === undefined) console.log(`${counts.passed} passed, ${counts.failed} failed`)
      else writeFileSync(file, JSON.stringify(counts))
    },
  }
}

/** Tests by outcome. A file that could not be loaded, or failed around its tests, counts as one. */
export function countTests(modules: readonly TestModule[]): Counts {
  let passed = 0
  let failed = 0
  for (const module of modules) {
    const failedBefore = failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') passed += 1
      if (state === 'failed') failed += 1
    }
    if (module.state() === 'failed' && failed === failedBefore) failed += 1
  }
  return { passed, failed }
}
