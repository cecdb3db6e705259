/**
 * What the tools answer under another prefix than Pawl's own, for instructions that were written
 * for Statewright: the values beside the run, under the names that such instructions use.
 */
import type { JsonObject } from '../../core/json.ts'
import type { ControlTool } from '../../core/tools/pawl-tool-names.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import type { RunReadings } from './resolve-run.ts'
import { ruleFieldsOf } from './rule-fields.ts'
import { summaryValues } from './run-summary.ts'
import type { McpTool } from './tool-context.ts'

/** The prefix of the tools as Pawl's own texts name them. */
export const ownPrefix = 'pawl_'

/** Arguments that clients of other products send along; Pawl knows sessions from its hooks. */
const foreignArguments: ReadonlySet<string> = new Set([
  ...['session_id', 'project_id', 'stitch_id', 'task_intent'],
])

/** The arguments without those of other products, except where the tool has one of that name. */
export function withoutForeign({ name, input }: McpTool, args: JsonObject): JsonObject {
  if (name.startsWith('process_')) return args
  const isKept = (key: string): boolean =>
    Object.hasOwn(input.shape, key) || !foreignArguments.has(key)
  return Object.fromEntries(Object.entries(args).filter(([key]) => isKept(key)))
}

type Moved = {
  /** The state before the call; null: there was no run. */
  readonly from: string | null
  readonly reading: RunReadings | null
}

/** The values for one tool; none where the run is no workflow. */
export function dropInFields(name: McpTool['name'], { from, reading }: Moved): JsonObject {
  if (reading === null || reading.view.dialect !== 'workflow') return {}
  const { head, view } = reading
  const run = { run_id: head.id, workflow: view.name }
  switch (name as ControlTool) {
    case 'get_state':
      return { ...run, ...stateFields(reading), ...summaryValues(reading) }
    case 'load_workflow':
      return { ...run, loaded: view.name, initial_state: view.stage }
    case 'transition':
      return transitionFields(from, reading)
    case 'pause':
      return { ...run, paused: true, state: view.stage }
    case 'get_status':
      return { active_workflow: view.name, current_state: view.stage, is_final: isOver(reading) }
    case 'list_workflows':
      return { active: view.name }
    default:
      return {}
  }
}

function stateFields(reading: RunReadings): JsonObject {
  const { view } = reading
  const { calls } = view.rules
  return {
    state: view.stage,
    is_final: isOver(reading),
    instructions: view.goal,
    transitions: view.signals.map((event) => ({ event })),
    ...ruleFieldsOf(view.rules, null),
    ...(calls === null ? {} : { iteration: calls.max - calls.left }),
    ...pendingFields(reading),
  }
}

function transitionFields(from: string | null, reading: RunReadings): JsonObject {
  const { view } = reading
  if (view.approval !== null) {
    const { id, message } = view.approval
    return { status: 'pending_approval', approval_id: id, from: view.stage, message }
  }
  const branches = Object.keys(view.branches).length === 0 ? {} : { branches: { ...view.branches } }
  return { transitioned: true, from, to: view.stage, ...branches }
}

function pendingFields({ view }: RunReadings): JsonObject {
  if (view.approval === null) return {}
  const { id, message } = view.approval
  return { pending_approval: { approval_id: id, from_state: view.stage, message } }
}

function isOver({ head }: RunReadings): boolean {
  return !isOpen(head.status)
}
