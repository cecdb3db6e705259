import { expect, test } from 'vitest'
import { machineOf } from '../../core/engine/family-builder.contract.ts'
import { errorCodeOf } from '../error-code.ts'
import { machineIn, storedMachine } from './machine-cache.ts'

const states = { work: { allowed_tools: ['Read'], on: { DONE: 'done' } }, done: { type: 'final' } }
const machine = machineOf({ id: 'release', initial: 'work', states })
const stored = storedMachine(machine)

test('a machine that was kept comes back with the origins of its rules', () => {
  expect(machineIn(stored)).toEqual(machine)
  expect(machineIn(stored).origins?.stages.work?.allow).toBe('/states/work/allowed_tools')
})

test('a machine that was kept before rules had origins comes back as it was', () => {
  const { origins: _, ...before } = machine
  expect(machineIn({ ...stored, compiled: JSON.stringify(before) })).toEqual(before)
})

test('a rule that was changed in the store is found out', () => {
  const compiled = stored.compiled.replace('"allow":["Read"]', '"allow":["Bash"]')
  expect(compiled).not.toBe(stored.compiled)
  try {
    machineIn({ ...stored, compiled })
    expect.unreachable()
  } catch (fault) {
    expect(errorCodeOf(fault)).toBe('STORE_CORRUPT')
  }
})
