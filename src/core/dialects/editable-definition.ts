/**
 * A definition that is being edited: its text, the tree read from it, and the machine compiled
 * from that. The three always match.
 */
import { stepsOf } from '../finding.ts'
import type { Machine } from '../machine/machine.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import type { Node } from '../source/source.ts'

export type EditableDefinition = {
  readonly text: string
  readonly root: Node
  readonly machine: Machine
}

/** A JSON pointer as the steps of a path; an item of a list by its number. */
export function pathOf(root: Node, pointer: string): Path {
  const path: (string | number)[] = []
  for (const key of stepsOf(pointer)) {
    const around = nodeOn(root, path)
    path.push(around?.kind === 'list' ? Number(key) : key)
  }
  return path
}
