/**
 * May this stage use this tool, and is there room for one more call?
 * Answers by name and by count. Commands, paths and policies are judged beside it.
 */
import { own } from '../json.ts'
import type { Machine, Stage, ToolRule } from '../machine/machine.ts'
import { hasEnded, isFreed } from './running.ts'
import type { Call, RunState, Verdict } from './types.ts'

const allow: Verdict = { verdict: 'allow', code: null, reason: '', rule: null }

/** The stage's answer to a call. */
export function ruleOnCall(machine: Machine, state: RunState, call: Call): Verdict {
  if (call.isOwn) return allow
  const stage = own(machine.stages, state.stage)
  if (stage === undefined) return deny('INTERNAL', `there is no stage \`${state.stage}\``)
  return (
    ruleOnStatus(machine, state) ??
    ruleOnTool(stage, call) ??
    ruleOnCounts(machine, state, call) ??
    allow
  )
}

function deny(code: NonNullable<Verdict['code']>, reason: string): Verdict {
  return { verdict: 'deny', code, reason, rule: null }
}

/** What the run's standing alone decides; null: the stage's rule decides. */
function ruleOnStatus(machine: Machine, state: RunState): Verdict | null {
  if (state.status === 'waiting') {
    return deny(
      'APPROVAL_PENDING',
      `a person has to decide first: ${state.approval?.message ?? ''}`,
    )
  }
  if (state.status === 'paused') {
    if (state.pause?.release) return allow
    return deny('RUN_NOT_RUNNING', 'the run is paused; it has to be resumed first')
  }
  if (hasEnded(state)) return ruleAfterEnd(machine, state)
  if (state.branch?.terminal === state.stage) {
    return deny(
      'TOOL_NOT_ALLOWED',
      `the branch \`${state.branch.name}\` has done its work; report it as done`,
    )
  }
  if (state.fork !== null || state.child !== null) {
    return deny('RUN_NOT_RUNNING', 'the run waits for its children; calls belong to them')
  }
  return null
}

/** A run that ended as its definition says frees the agent; any other end does not. */
function ruleAfterEnd(machine: Machine, state: RunState): Verdict {
  if (isFreed(machine, state)) return allow
  const why = state.reason === '' ? '' : ` (${state.reason})`
  return deny('RUN_NOT_RUNNING', `the run is ${state.status}${why} and allows no call`)
}

function ruleOnTool(stage: Stage, call: Call): Verdict | null {
  const rule = stage.rule.tools
  if (rule.deny.includes(call.tool)) {
    return deny('TOOL_NOT_ALLOWED', `\`${call.tool}\` may not be used in \`${stage.name}\``)
  }
  if (rule.allow === 'all' || !speaksOf(rule, call.tool) || rule.allow.includes(call.tool))
    return null
  const names = rule.allow.map((name) => `\`${name}\``).join(', ')
  const allowed = rule.allow.length === 0 ? 'no tool is allowed here' : `allowed are ${names}`
  return deny(
    'TOOL_NOT_ALLOWED',
    `\`${call.tool}\` may not be used in \`${stage.name}\`: ${allowed}`,
  )
}

function speaksOf(rule: ToolRule, tool: string): boolean {
  return rule.among === null || rule.among.some((prefix) => tool.startsWith(prefix))
}

function ruleOnCounts(machine: Machine, state: RunState, call: Call): Verdict | null {
  const stage = own(machine.stages, state.stage) as Stage
  const { callsMax, bytesMax, filesMax } = stage.rule
  const runMax = machine.limits.callsMax
  if (callsMax !== null && state.counts.calls >= callsMax) {
    return deny(
      'CALLS_EXHAUSTED',
      `\`${stage.name}\` allows ${callsMax} calls and they are used up; send a signal`,
    )
  }
  if (runMax !== null && state.callsCount >= runMax) {
    return deny('CALLS_EXHAUSTED', `the run allows ${runMax} calls and they are used up`)
  }
  if (bytesMax !== null && state.counts.bytes >= bytesMax) {
    return deny(
      'BYTES_EXHAUSTED',
      `\`${stage.name}\` allows ${bytesMax} bytes of results and they are used up; send a signal`,
    )
  }
  return filesMax === null ? null : ruleOnFiles(state, call, filesMax)
}

/** Files edited, and those of calls not yet reported: a place is kept until the report. */
function ruleOnFiles(state: RunState, call: Call, filesMax: number): Verdict | null {
  const touched = new Set(state.counts.files)
  for (const open of state.openCalls) for (const file of open.edits) touched.add(file)
  const before = touched.size
  for (const file of call.edits) touched.add(file)
  if (touched.size === before || touched.size <= filesMax) return null
  const files = [...state.counts.files].map((file) => `\`${file}\``).join(', ')
  return deny(
    'TOO_MANY_FILES',
    `\`${state.stage}\` allows edits to ${filesMax} files, and they are taken: ${files}`,
  )
}
