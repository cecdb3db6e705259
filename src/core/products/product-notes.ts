/**
 * What works differently here, in definitions that are otherwise kept as they are.
 * Knows the fields in question. Must not change a definition.
 */
import { member, type Node } from '../source/source.ts'
import type { ProductNote } from './product.ts'

/** Workflows: approvals are enforced here unless the definition says otherwise. */
export function notesOnWorkflow(root: Node): readonly ProductNote[] {
  const meta = member(root, 'meta')
  const mode = meta === undefined ? undefined : member(meta, 'approval_mode')
  if (mode !== undefined) return []
  const asking = firstWith(root, 'requires_approval')
  if (asking === null) return []
  const what = '`requires_approval` is enforced, not advisory'
  const effect = 'set `meta.approval_mode` to `none` to let the agent go on without a person'
  return [{ kind: 'changed', pointer: asking.pointer, what, effect }]
}

/** Step workflows: tasks of other kinds are not run. */
export function notesOnSyllable(root: Node): readonly ProductNote[] {
  const context = member(root, 'context')
  const task = context === undefined ? undefined : member(context, 'task')
  const tasks = task === undefined ? [] : task.kind === 'list' ? task.items : [task]
  const others = tasks.flatMap((one): ProductNote[] => {
    const type = member(one, 'type')
    if (type?.kind !== 'scalar' || type.value === 'steps') return []
    const what = `the task has the type \`${String(type.value)}\``
    return [{ kind: 'lost', pointer: one.pointer, what, effect: 'only tasks of steps are run' }]
  })
  const call = firstWith(root, 'autoPopulate')
  if (call === null) return others
  const what = '`autoPopulate` has no effect'
  const effect = 'calls are queued, and the agent makes them'
  return [...others, { kind: 'changed', pointer: call.pointer, what, effect }]
}

/** Values that are looked through. */
const nodesMax = 200_000

/** The first value of a member of this name, at any depth; null: there is none. */
function firstWith(root: Node, key: string): Node | null {
  const open: Node[] = [root]
  for (let looked = 0; open.length > 0 && looked < nodesMax; looked += 1) {
    const node = open.shift()
    if (node === undefined || node.kind === 'scalar') continue
    if (node.kind === 'list') {
      open.push(...node.items)
      continue
    }
    const found = node.members.find((one) => one.key === key)
    if (found !== undefined) return found.node
    open.push(...node.members.map((one) => one.node))
  }
  return null
}
