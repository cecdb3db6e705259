/** Versions of Node that will do, and the words for those that will not. */
import { expect, test } from 'vitest'
import { nodeProblem } from './node-version.ts'

test('the Node that the lockfile brings will do', () => {
  expect(nodeProblem(process.version)).toBeNull()
})

test('every Node from 24 on will do', () => {
  for (const version of ['v24.0.0', 'v24.21.0', 'v26.10.0', 'v100.0.0', '24.1.0']) {
    expect(nodeProblem(version), version).toBeNull()
  }
})

test('an older Node is refused with its version and what to do', () => {
  for (const version of ['v18.0.0', 'v20.20.2', 'v23.11.1', 'v2.4.0']) {
    const problem = nodeProblem(version)
    expect(problem, version).toContain(version)
    expect(problem, version).toContain('./pawl')
    expect(problem, version).not.toContain('\n')
  }
})

test('a version that cannot be read is refused', () => {
  for (const version of ['', 'latest', 'v']) expect(nodeProblem(version), version).not.toBeNull()
})
