/**
 * A definition as it is edited: its text, the tree that was read of it, and the machine that was
 * compiled of that. The three are in step.
 */
import type { Machine } from '../machine/machine.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import type { Node } from '../source/source.ts'

export type Written = { readonly text: string; readonly root: Node; readonly machine: Machine }

/** A JSON pointer as the steps of a path; an item of a list by its number. */
export function pathOf(root: Node, pointer: string): Path {
  const path: (string | number)[] = []
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const around = nodeOn(root, path)
    path.push(around?.kind === 'list' ? Number(key) : key)
  }
  return path
}
