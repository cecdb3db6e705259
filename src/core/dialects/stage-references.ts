/**
 * Where the author of each dialect writes the name of a stage: at the stage itself, and wherever
 * something leads to it. Knows the names of fields and nothing of their meaning.
 */
import type { DialectName, Machine } from '../machine/machine.ts'
import { type Node, nodeAt, type Range } from '../source/source.ts'

/** `*` stands for every member or item. */
type Pattern = readonly string[]

const leads: Readonly<Record<DialectName, readonly Pattern[]>> = {
  process: [['initial'], ['states', '*', 'answers', '*', 'next']],
  workflow: [
    ['initial'],
    ['interrupts', '*', 'target'],
    ['states', '*', 'safe_next'],
    ['meta', 'failure_states', '*'],
    ['states', '*', 'on', '*'],
    ['states', '*', 'on', '*', '*', 'target'],
    ...['target', 'on_complete', 'on_fail'].map((key) => ['states', '*', 'on', '*', key]),
    ...['on_complete', 'on_fail'].map((key) => ['states', '*', 'on', '*', 'fork', key]),
    ...['initial', 'terminal'].map((key) => [
      ...['states', '*', 'on', '*', 'fork', 'branches', '*'],
      key,
    ]),
  ],
  steps: [
    ['steps', '*', 'next', '*'],
    ['steps', '*', 'next', '*', 'id'],
  ],
}

/** The places that lead to a stage. */
export function stageReferences(root: Node, machine: Machine, stage: string): readonly Range[] {
  const task = taskOf(root, machine)
  return leads[machine.dialect]
    .flatMap((pattern) => nodesLike(task, pattern))
    .filter((node) => node.kind === 'scalar' && node.value === stage)
}

/** The place where a stage gets its name; null: it has none of its own. */
export function stageNameAt(root: Node, machine: Machine, stage: string): Range | null {
  const origin = machine.stages[stage]?.origin
  if (origin === undefined) return null
  if (machine.dialect === 'steps') return nodeAt(root, `${origin}/id`)
  const states = nodeAt(root, '/states')
  const found = states?.kind === 'object' ? states.members.find((one) => one.key === stage) : null
  return found ? { start: found.keyStart, end: found.keyEnd } : null
}

/** WHY: a form may stand inside an envelope; its first step tells where. */
function taskOf(root: Node, machine: Machine): Node {
  const at = machine.stages[machine.initial]?.origin ?? ''
  return machine.dialect === 'steps'
    ? (nodeAt(root, at.replace(/\/steps\/\d+$/, '')) ?? root)
    : root
}

function nodesLike(root: Node, pattern: Pattern): readonly Node[] {
  return pattern.reduce<readonly Node[]>(
    (nodes, step) => nodes.flatMap((node) => under(node, step)),
    [root],
  )
}

function under(node: Node, step: string): readonly Node[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return step === '*' ? node.items : []
  const members = step === '*' ? node.members : node.members.filter((one) => one.key === step)
  return members.map((one) => one.node)
}
