import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callSubject } from './call-subject.ts'

const cases: readonly [input: JsonObject, about: string | null][] = [
  [{ command: 'npm test', description: 'runs the tests' }, 'npm test'],
  [{ filePath: 'src/a.ts', oldString: 'a', newString: 'b' }, 'src/a.ts'],
  [{ absolute_path: '/work/a.ts', limit: 3 }, '/work/a.ts'],
  [{ path: '/work', pattern: 'total' }, 'total'],
  [{ path: '/work' }, '/work'],
  [{ to: 'a@shop.example', subject: 'Hello', body: 'Dear a' }, 'Hello'],
  [{ path: 3, rows: 7 }, null],
  [{}, null],
]

test.each(cases)('%j is about %j', (input, about) => {
  expect(callSubject(input)).toBe(about)
})
