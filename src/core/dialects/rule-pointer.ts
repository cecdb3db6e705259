/**
 * Where the rule that denied a call stands in the author's file. The engine knows what a rule
 * does; only here is it known under which field its author wrote it.
 */
import type { Call, RunState } from '../engine/types.ts'
import type { DenialCode } from '../errors.ts'
import { join } from '../finding.ts'
import { own } from '../json.ts'
import type { DialectName, Machine, Stage } from '../machine/machine.ts'
import { namesMatch } from '../tools/tool-names.ts'

type Denied = { readonly state: RunState; readonly call: Call; readonly code: DenialCode }

/** JSON pointer of a stage's or a run's rule; null: no field of the definition says it. */
export function pointerOfDenial(machine: Machine, denied: Denied): string | null {
  const { state, call, code } = denied
  const stage = own(machine.stages, state.stage)
  if (stage === undefined) return null
  const at = placesOf(machine.dialect, stage)
  const { rule } = stage
  switch (code) {
    case 'TOOL_NOT_ALLOWED':
    case 'SHELL_WRITE_NOT_ALLOWED':
      return toolPointer(at, stage, call)
    case 'COMMAND_NOT_ALLOWED':
    case 'COMMAND_UNREADABLE':
      if (call.problem !== null) return null
      return rule.commands === null ? toolPointer(at, stage, call) : at.inStage('allowed_commands')
    case 'ENV_BLOCKED':
      return at.inStage(rule.envBlocked.length > 0 ? 'blocked_env' : 'env_overrides')
    case 'PATH_OUT_OF_SCOPE':
      return call.problem === null ? at.ofRun('paths') : null
    case 'EDIT_TOO_LARGE':
      return at.inStage('max_edit_lines')
    case 'TOO_MANY_FILES':
      return at.inStage('max_files_per_state')
    case 'BYTES_EXHAUSTED':
      return at.inStage('context_budget_bytes')
    case 'CALLS_EXHAUSTED':
      return callsPointer(at, { machine, stage, state })
    case 'BUDGET_EXHAUSTED':
      return machine.limits.microUsdMax === null ? null : at.ofRun('session_budget_usd')
    case 'PATH_PROTECTED':
    case 'RATE_LIMITED':
    case 'POLICY_DENIED':
    case 'RUN_NOT_RUNNING':
    case 'APPROVAL_PENDING':
    case 'APPROVAL_REFUSED':
    case 'CALL_UNSURE':
    case 'CALL_DONE':
    case 'STORE_CONFLICT':
    case 'STORE_UNAVAILABLE':
    case 'STORE_CORRUPT':
    case 'LOG_BROKEN':
    case 'REQUEST_INVALID':
    case 'OVERLOADED':
    case 'INTERNAL':
      return null
  }
}

type Places = {
  readonly allowedTools: string
  readonly inStage: (field: string) => string
  readonly ofRun: (...steps: readonly string[]) => string
}

function placesOf(dialect: DialectName, { origin }: Stage): Places {
  // A form may stand inside a larger file; its own fields are beside its steps.
  const root = dialect === 'steps' ? origin.replace(/\/steps\/\d+$/, '') : ''
  const allowed = {
    process: '/allowed_tools',
    workflow: join(origin, 'allowed_tools'),
    steps: join(origin, 'tools', 'allow'),
  } as const
  return {
    allowedTools: allowed[dialect],
    inStage: (field) => join(origin, field),
    ofRun: (...steps) => join(root, ...steps),
  }
}

function toolPointer(at: Places, { rule }: Stage, call: Call): string | null {
  const { allow, deny } = rule.tools
  const isDenied = deny.some((name) => namesMatch(name, call))
  if (isDenied || (allow === 'all' && deny.length > 0)) return at.inStage('disallowed_tools')
  return allow === 'all' ? null : at.allowedTools
}

type Standing = {
  readonly machine: Machine
  readonly stage: Stage
  readonly state: RunState
}

/** A run above may be the one whose calls are used up; then the rule is not in this file. */
function callsPointer(at: Places, { machine, stage, state }: Standing): string | null {
  const { callsMax } = stage.rule
  if (callsMax !== null && state.counts.calls >= callsMax) return at.inStage('max_iterations')
  return machine.limits.callsMax === null ? null : at.ofRun('meta', 'calls_max')
}
