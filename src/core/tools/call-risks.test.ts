/** What is risky about a call, by its input. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callRisks } from './call-risks.ts'

const cases: readonly (readonly [
  JsonObject,
  readonly (readonly [string, string, number | null])[],
])[] = [
  [{ command: 'ls' }, []],
  [{ command: 'ls && rm -r x' }, [['deletion', 'rm -r x', 6]]],
  [{ command: ['bash', '-lc', 'rm -r x'] }, [['deletion', 'rm -r x', 0]]],
  [{ command: ['rm', '-r', 'x'] }, [['deletion', 'rm -r x', 0]]],
  [{ file_path: '/work/shop/src/a.ts', content: 'x' }, []],
  [{ file_path: '/work/other/a.ts' }, [['outside', '/work/other/a.ts', null]]],
  [{ file_path: '/work/shop/.env' }, [['credentials', '/work/shop/.env', null]]],
  [{ subject: 'rm -rf', body: 'nothing to see' }, []],
]

test.each(cases)('%j', (input, risks) => {
  const tool = 'command' in input ? 'Bash' : 'Write'
  const found = callRisks({ tool, input }, '/work/shop')
  expect(found.map(({ kind, text, begin }) => [kind, text, begin])).toEqual(risks)
})

test('a command of a tool that is no shell is shown, and not judged as shell', () => {
  const input = { command: "it's" }
  expect(callRisks({ tool: 'Bash', input }, null)).toMatchObject([{ kind: 'unreadable' }])
  expect(callRisks({ tool: 'mcp__board__move', input }, null)).toEqual([])
})
