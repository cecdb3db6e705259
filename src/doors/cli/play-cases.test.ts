import { expect, test } from 'vitest'
import { readSource } from '../../core/source/read-source.ts'
import { lineIndex } from '../../core/source/source.ts'
import type { Case } from '../../testing/case-schema.ts'
import { goodCase } from './fake-io.contract.ts'
import type { LoadedCase } from './load-cases.ts'
import { playCases } from './play-cases.ts'

test('a bug met by a case is a failure of that case', () => {
  const text = JSON.stringify(goodCase)
  const { root, findings } = readSource(text)
  const node = root
  if (node === null) throw new Error('the case of this test is broken')
  // A source that the player can't even look at stands for any bug.
  const source = new Proxy({} as NonNullable<LoadedCase['source']>, {
    get: () => {
      throw new Error('bug: the roof is leaking')
    },
  })
  const file = { path: 'a.json', lines: lineIndex(text), root, findings }
  const one = goodCase as unknown as Case
  const { result } = playCases({
    case: one,
    file,
    node,
    source,
    findings: [],
    definitionPath: null,
  })
  expect(result.ok).toBe(false)
  expect(result.id).toBe('reads-first')
  expect(result.failures[0]?.actual).toContain('the roof is leaking')
})
