/**
 * Where the author of each dialect writes what a machine stores without an origin. Knows the names
 * of fields, not their meaning.
 */
import { joinPointer } from '../finding.ts'
import type { DialectName, Machine } from '../machine/machine.ts'

export type FieldPlace =
  | 'name'
  | 'prompt'
  | 'mail'
  | 'callsTotal'
  | 'debug'
  | 'hold'
  | 'danger'
  | 'values'
  | 'endpointTools'
  | 'model'

const places: Readonly<Record<DialectName, Partial<Readonly<Record<FieldPlace, string>>>>> = {
  process: {
    name: '/name',
    prompt: '/initial_prompt',
    mail: '/email_config',
    endpointTools: '/allowed_tools',
  },
  workflow: {
    name: '/id',
    callsTotal: '/meta/calls_max',
    debug: '/meta/debug',
    hold: '/meta/after_end',
    danger: '/meta/danger_level',
    values: '/context',
    model: '/meta/default_model',
  },
  steps: { name: '/id', values: '/variables' },
}

/** Pointer to a part of the definition that the machine was compiled from. */
export function fieldPointerOf(machine: Machine, place: FieldPlace): string {
  return taskAt(machine) + (places[machine.dialect][place] ?? '')
}

/** WHY: a form may stand inside an envelope; its first step tells where. */
function taskAt(machine: Machine): string {
  if (machine.dialect !== 'steps') return ''
  const at = machine.stages[machine.initial]?.origin ?? ''
  return at.replace(/\/steps\/\d+$/, '')
}

/** Pointer to one of the values that are there from the start. */
export function valuePointerOf(machine: Machine, key: string): string {
  return joinPointer(fieldPointerOf(machine, 'values'), key)
}

/** The fields of a stage in the one dialect that has them. */
export const ruleKeys = {
  tools: 'allowed_tools',
  toolsDeny: 'disallowed_tools',
  commands: 'allowed_commands',
  envBlocked: 'blocked_env',
  envSet: 'env_overrides',
  callsMax: 'max_iterations',
  editLinesMax: 'max_edit_lines',
  filesMax: 'max_files_per_state',
  bytesMax: 'context_budget_bytes',
  filesWritable: 'writable_files',
  programs: 'programs',
  model: 'model',
  thinking: 'thinking_level',
} as const
