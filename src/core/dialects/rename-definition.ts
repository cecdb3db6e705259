/** Puts another name into the text of a definition, where its dialect has it. */
import { stepsOf } from '../finding.ts'
import type { Path } from '../source/edit-json.ts'
import { putValue } from '../source/edit-source.ts'
import { member, type Node, nodeAt } from '../source/source.ts'
import { readDefinitionSource } from './definition-wrapper.ts'
import { detectDialect } from './detect-dialect.ts'

/** The text with that name; as it was where it has the name, or no place for one. */
export function renameDefinition(text: string, name: string): string {
  const { root } = readDefinitionSource(text)
  const path = root === null ? null : nameIn(root)
  if (root === null || path === null) return text
  const now = nodeAt(root, ['', ...path].join('/'))
  if (now?.kind === 'scalar' && now.value === name) return text
  return putValue(text, [...stepsOf(root.pointer), ...path], name) ?? text
}

function nameIn(root: Node): Path | null {
  const { dialect } = detectDialect(root)
  if (dialect === null) return null
  const task = nodeAt(root, '/context/task')
  if (dialect !== 'steps' || task === null) return [dialect === 'process' ? 'name' : 'id']
  // Several tasks have a name each.
  return task.kind === 'object' && member(task, 'steps') !== undefined
    ? ['context', 'task', 'id']
    : null
}
