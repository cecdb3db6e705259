/**
 * A family folded out of its log is the family that was decided.
 */
import { expect } from 'vitest'
import { foldFamily, unbornFamily } from '../../src/core/engine/fold-family.ts'
import { openSnapshot, snapshotOf } from '../../src/runtime/runs/projections.ts'
import type { CaseResult } from '../../src/testing/play-case.ts'

/** Folds what a case recorded, as it comes back from a store, whole and from a kept fold. */
export function expectFolds({ id, log, family }: CaseResult): void {
  if (family === null) return
  const machines = new Map(family.members.map(({ machine }) => [machine.hash, machine]))
  const machineOf = (hash: string) => {
    const machine = machines.get(hash)
    if (machine === undefined) throw new Error(`no machine ${hash}`)
    return machine
  }
  const stored = JSON.parse(JSON.stringify(log)) as typeof log
  const folded = foldFamily(unbornFamily(family.mainId), stored, machineOf)
  expect(plain(folded), id).toEqual(plain(family))
  const beginning = { workspace: null, startedAt: 0, endedAt: null }
  const snapshot = snapshotOf(family, {}, { seq: log.length, before: '', beginning })
  const kept = openSnapshot(family.mainId, snapshot)
  expect(plain(kept.family(machineOf)), id).toEqual(plain(family))
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
