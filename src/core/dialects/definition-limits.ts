/**
 * How large a definition may become. The text is limited where it is read; but a long name is part
 * of every pointer inside it, and what is written once may be used many times.
 */
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { Node } from '../source/source.ts'
import type { CompilerOutput } from './compiler-output.ts'

/** Stages of one machine. */
const stagesMax = 10_000
/** Letters of a name; every place inside what it names carries it. */
export const nameCharsMax = 500
/** Letters of a compiled machine, about as it would be stored. */
const machineCharsMax = 32_000_000

/** SIZE_EXCEEDED: the first name that is too long, before anything is made of it. */
export function checkNameSizes(root: Node): Finding[] {
  const work: Node[] = [root]
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'list') for (const item of node.items) work.push(item)
    if (node.kind !== 'object') continue
    for (const { key, node: inner } of node.members) {
      if (key.length <= nameCharsMax) {
        work.push(inner)
        continue
      }
      const message = `a name has ${key.length} characters; the limit is ${nameCharsMax}`
      return [finding('SIZE_EXCEEDED', node.pointer, { message, hint: 'give it a shorter name' })]
    }
  }
  return []
}

/** SIZE_EXCEEDED: a machine that could not be stored or hashed in time; null when it could. */
export function checkMachineSize({ machine }: CompilerOutput): Finding[] | null {
  const count = Object.keys(machine.stages).length
  const hint = 'split it and use `invoke`'
  if (count > stagesMax) {
    const message = `the definition has ${count} stages; the limit is ${stagesMax}`
    return [finding('SIZE_EXCEEDED', '', { message, hint })]
  }
  if (charsOf(machine) <= machineCharsMax) return null
  const message = 'the compiled definition is too large to run'
  return [finding('SIZE_EXCEEDED', '', { message, hint })]
}

/** Letters in all names and texts, counted no further than needed. Shared parts count each time. */
function charsOf(value: object): number {
  const work: unknown[] = [value]
  let chars = 0
  while (work.length > 0 && chars <= machineCharsMax) {
    const next = work.pop()
    chars += typeof next === 'string' ? next.length + 1 : 1
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) for (const item of next) work.push(item)
    else {
      for (const [key, member] of Object.entries(next)) {
        chars += key.length
        work.push(member)
      }
    }
  }
  return chars
}
