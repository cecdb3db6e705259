import { expect, test } from 'vitest'
import { reasonBeside } from './reason-beside.ts'

const cases: readonly [reason: string, shown: readonly string[], told: string][] = [
  ['`git push -f` is not on the list', ['git push -f', 'Bash'], 'is not on the list'],
  ['`WebFetch` may not be used in `work`', ['', 'WebFetch'], 'may not be used in `work`'],
  ['`rm` is not on the list', ['ls && rm -r x', 'Bash'], '`rm` is not on the list'],
  ['Edit may not reach `/etc`', ['/etc', 'Edit'], 'Edit may not reach `/etc`'],
  ['`Bash`', ['Bash'], '`Bash`'],
  ['', [''], ''],
]

test.each(cases)('%j beside %j is told as %j', (reason, shown, told) => {
  expect(reasonBeside(reason, shown)).toBe(told)
})
