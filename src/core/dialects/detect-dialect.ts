/** Detects the dialect of a document, from what it declares or from its fields. */
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { DialectName } from '../machine/machine.ts'
import type { Node } from '../source/source.ts'
import { member } from '../source/source.ts'
import { hasField } from './explicit-null.ts'

type Recognised = {
  readonly dialect: DialectName | null
  readonly findings: readonly Finding[]
}

const dialects: readonly string[] = ['process', 'workflow', 'steps']

/** States looked at for marks; they are enough to tell. */
const sampleMax = 50

/** The dialect named with `dialect:`, else the one whose marks the document bears. */
export function detectDialect(root: Node): Recognised {
  if (root.kind !== 'object') {
    return unknown('a definition is an object with fields, not a list or a single value', '')
  }
  const named = member(root, 'dialect')
  if (named !== undefined && hasField(root, 'dialect')) {
    const name = named.kind === 'scalar' ? named.value : null
    if (typeof name === 'string' && dialects.includes(name)) {
      return { dialect: name as DialectName, findings: [] }
    }
    return unknown('unknown dialect', '/dialect')
  }
  const dialect = fromMarks(root)
  return dialect === null
    ? unknown('cannot tell which dialect this is', '')
    : { dialect, findings: [] }
}

function unknown(message: string, pointer: string): Recognised {
  const hint =
    'a process has `name` and `states` with questions, a workflow `id` and `states` with `on`, ' +
    'a form `steps`; or set `dialect` to `process`, `workflow` or `steps`'
  return { dialect: null, findings: [finding('SCHEMA_INVALID', pointer, { message, hint })] }
}

function fromMarks(root: Node): DialectName | null {
  const has = (key: string): boolean => hasField(root, key)
  const context = member(root, 'context')
  if (has('steps') || scalarAt(root, 'type') === 'steps') return 'steps'
  if (
    scalarAt(root, 'type') === 'context' ||
    (context !== undefined && member(context, 'task') !== undefined)
  ) {
    return 'steps'
  }
  const states = member(root, 'states')
  if (states?.kind === 'object') {
    const sample = states.members.slice(0, sampleMax).map((one) => one.node)
    const marked = (keys: readonly string[]): boolean =>
      sample.some((state) => keys.some((key) => hasField(state, key)))
    if (marked(['question', 'answers'])) return 'process'
    if (marked(['on', 'type', 'allowed_tools', 'instructions'])) return 'workflow'
    return has('name') && !has('id') ? 'process' : 'workflow'
  }
  if (has('interrupts') || has('guards')) return 'workflow'
  if (has('initial_prompt') || (has('name') && has('initial'))) return 'process'
  return has('states') || (has('id') && has('initial')) ? 'workflow' : null
}

function scalarAt(node: Node, key: string): unknown {
  const found = member(node, key)
  return found?.kind === 'scalar' ? found.value : undefined
}
