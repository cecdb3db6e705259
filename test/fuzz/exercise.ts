/**
 * Everything Pawl does to a definition before and while it runs, on one text: reading, compiling,
 * checking, linking, drawing, and a short walk of what came out.
 */

import { pictureOf } from '../../src/core/draw/picture.ts'
import type { Library } from '../../src/core/engine/family.ts'
import { hasErrors } from '../../src/core/finding.ts'
import { linkMachine } from '../../src/core/machine/check.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import type { StepPlan } from '../generators/commands.ts'
import { compileText, deepFreeze } from '../generators/compile-generated.ts'
import type { Mutant } from '../generators/mutate.ts'
import { walk } from '../generators/walk.ts'
import { brokenBy } from '../properties/checks.ts'

export type Outcome = { readonly machinesCount: number; readonly complaint: string | null }

/** Loads a text; whatever is thrown on the way is a crash. */
export function load(mutant: Mutant): readonly Machine[] {
  const read = compileText(mutant.text, mutant.format)
  if (hasErrors(read.findings) && read.machines.length > 0) throw new Error('errors, and machines')
  if (read.machines.length === 0 && !hasErrors(read.findings))
    throw new Error('no machines, no error')
  for (const machine of read.machines) {
    // A library in which every name means this machine is nothing but circles.
    linkMachine(machine, () => machine, [machine.name])
    linkMachine(machine, () => undefined)
  }
  return read.machines
}

/** Makes a picture of each machine; its names are whatever the author wrote. */
export function draw(machines: readonly Machine[]): void {
  for (const machine of machines) pictureOf(machine)
}

/** Loads a text twice and leads a run of it through some steps. */
export function exercise(mutant: Mutant, plans: readonly StepPlan[]): Outcome {
  const machines = load(mutant)
  draw(machines)
  const again = compileText(mutant.text, mutant.format).machines
  const [first] = machines
  if (machines.some((machine, index) => machine.hash !== again[index]?.hash)) {
    return { machinesCount: machines.length, complaint: 'compiled twice, it has two hashes' }
  }
  if (first === undefined) return { machinesCount: 0, complaint: null }
  const machine = deepFreeze(first)
  const library: Library = () => undefined
  const complaint = brokenBy(walk({ machine, library }, plans))
  return { machinesCount: machines.length, complaint }
}
