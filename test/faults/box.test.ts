/** A few rounds of `npm run faults -- box`. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { boxFaults } from '../../scripts/faults/box.ts'

const program = join(import.meta.dirname, '../../dist/main/pawl.js')

test('nothing is left of a session that is killed', { timeout: 300_000 }, async ({ skip }) => {
  const held = await boxFaults(5, program)
  if (held === null) return skip('this machine has no boxes')
  expect(held.what).toEqual([])
  expect(held).toMatchObject({ rounds: 5, survivors: 0, leftovers: 0, hangs: 0, untold: 0 })
})
