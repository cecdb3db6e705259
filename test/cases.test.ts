/**
 * The specification: every case in `cases/` passes, those of level `should` too.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSource } from '../src/core/source/read-source.ts'
import { plainValue } from '../src/core/source/source.ts'
import type { Case } from '../src/testing/case-schema.ts'
import { checkCases } from '../src/testing/case-schema.ts'
import { caseSource, playCase } from '../src/testing/play-case.ts'
import { expectFolds } from './properties/folds.ts'

const folder = join(import.meta.dirname, '..', 'cases')
const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

describe.each(files)('%s', (file) => {
  const { root } = readSource(readFileSync(join(folder, file), 'utf8'))
  const nodes = root?.kind === 'list' ? root.items : []
  const sources = nodes.map((node) => {
    return caseSource(plainValue(node) as unknown as Case, node, null)
  })

  test('is a file of cases', () => {
    expect(root === null ? ['unreadable'] : checkCases(root)).toEqual([])
    expect(nodes.length).toBeGreaterThan(0)
  })

  test.each(sources.map((source) => [source.case.title, source] as const))('%s', (_, source) => {
    const result = playCase(source)
    expect(result.failures).toEqual([])
    expectFolds(result)
  })
})
