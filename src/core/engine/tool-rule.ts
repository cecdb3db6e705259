/**
 * The stage's answer to a call: may it use this tool, this command, this file, this many calls?
 * Every rule is asked in a fixed order and the first denial counts. Policies are judged beside it.
 */
import { own } from '../json.ts'
import type { Machine, Stage, ToolRule } from '../machine/machine.ts'
import { ruleOnProtected } from '../tools/protected.ts'
import { ruleOnEdits } from '../tools/rule-on-edits.ts'
import { ruleOnPaths } from '../tools/rule-on-paths.ts'
import { namesMatch } from '../tools/tool-names.ts'
import { ruleOnCounts } from './rule-on-counts.ts'
import { ruleOnShell, ruleOnVariables, ruleOnWrites } from './rule-on-shell.ts'
import { hasEnded, isFreed } from './running.ts'
import type { Call, Denial, RunState, Verdict } from './types.ts'

const allow: Verdict = { verdict: 'allow', code: null, reason: '', rule: null, hint: '' }

/** The stage's answer to a call. */
export function ruleOnCall(machine: Machine, state: RunState, call: Call): Verdict {
  if (call.isOwn) return allow
  const stage = own(machine.stages, state.stage)
  if (stage === undefined) {
    return denied({ code: 'INTERNAL', reason: `there is no stage \`${state.stage}\``, hint: '' })
  }
  const standing = ruleOnStatus(machine, state)
  if (standing !== 'open' && standing !== 'free') return denied(standing)
  const asked: Asked = { machine, stage, state, call }
  for (const { isLasting, rule } of rules) {
    const denial = standing === 'open' || isLasting ? rule(asked) : null
    if (denial !== null) return denied(denial)
  }
  return allow
}

type Asked = {
  readonly machine: Machine
  readonly stage: Stage
  readonly state: RunState
  readonly call: Call
}

/** What one rule is about. */
export type Subject =
  | 'tools'
  | 'input'
  | 'protected'
  | 'commands'
  | 'env'
  | 'writes'
  | 'paths'
  | 'edits'
  | 'counts'

type Rule = {
  readonly about: Subject
  /** It holds also where the rules of the stages are over. */
  readonly isLasting: boolean
  readonly rule: (asked: Asked) => Denial | null
}

/** In the order in which they are asked; the first denial is the answer. */
const rules: readonly Rule[] = [
  { about: 'tools', isLasting: false, rule: ({ stage, call }) => ruleOnTool(stage, call) },
  { about: 'input', isLasting: true, rule: ({ call }) => ruleOnProblem(call) },
  { about: 'protected', isLasting: true, rule: ({ call }) => ruleOnProtected(call) },
  { about: 'commands', isLasting: false, rule: ({ stage, call }) => ruleOnShell(stage, call) },
  { about: 'env', isLasting: false, rule: ({ stage, call }) => ruleOnVariables(stage, call) },
  { about: 'writes', isLasting: false, rule: ({ stage, call }) => ruleOnWrites(stage, call) },
  { about: 'paths', isLasting: false, rule: ruleOnScope },
  {
    about: 'edits',
    isLasting: false,
    rule: ({ stage, call }) => ruleOnEdits(call, stage.rule.editLinesMax),
  },
  {
    about: 'counts',
    isLasting: false,
    rule: ({ stage, state, call }) => ruleOnCounts({ stage, state }, call),
  },
]

export type HeardStage = {
  /** Null: the run takes calls; else why none is taken, whatever it is. */
  readonly stopped: Denial | null
  /** Whether the rules of the stage hold, or are over. */
  readonly isOpen: boolean
  /** Every rule that holds, whatever the others said. */
  readonly heard: readonly { readonly about: Subject; readonly denial: Denial | null }[]
}

/** What every rule says about a call, also those that the first denial leaves unasked. */
export function hearStage(machine: Machine, state: RunState, call: Call): HeardStage {
  const stage = own(machine.stages, state.stage)
  if (stage === undefined) return { stopped: null, isOpen: false, heard: [] }
  const standing = ruleOnStatus(machine, state)
  const isOpen = standing === 'open'
  if (!isOpen && standing !== 'free') return { stopped: standing, isOpen, heard: [] }
  const asked: Asked = { machine, stage, state, call }
  const heard = rules
    .filter(({ isLasting }) => isOpen || isLasting)
    .map(({ about, rule }) => ({ about, denial: rule(asked) }))
  return { stopped: null, isOpen, heard }
}

function denied(denial: Denial): Verdict {
  return { verdict: 'deny', rule: null, ...denial }
}

/** `open`: the stage's rules decide. `free`: they are over, or a person has lifted them. */
function ruleOnStatus(machine: Machine, state: RunState): Denial | 'open' | 'free' {
  if (state.status === 'waiting') {
    return {
      code: 'APPROVAL_PENDING',
      reason: `a person has to decide first: ${state.approval?.message ?? ''}`,
      hint: 'wait for the decision; nothing can be called meanwhile',
    }
  }
  if (state.status === 'paused') {
    if (state.pause?.release) return 'free'
    return {
      code: 'RUN_NOT_RUNNING',
      reason: 'the run is paused',
      hint: 'it has to be resumed first',
    }
  }
  if (hasEnded(state)) {
    if (isFreed(machine, state)) return 'free'
    const why = state.reason === '' ? '' : ` (${state.reason})`
    const reason = `the run is ${state.status}${why} and allows no call`
    return { code: 'RUN_NOT_RUNNING', reason, hint: 'start a new run, or ask a person' }
  }
  if (state.branch?.terminal === state.stage) {
    const reason = `the branch \`${state.branch.name}\` has done its work`
    return { code: 'TOOL_NOT_ALLOWED', reason, hint: 'report the branch as done' }
  }
  if (state.fork !== null || state.child !== null) {
    const reason = 'the run waits for its children; calls belong to them'
    return { code: 'RUN_NOT_RUNNING', reason, hint: 'call from the branch or the invoked run' }
  }
  return 'open'
}

/** Input that cannot be judged is not let through, whatever the stage says. */
function ruleOnProblem(call: Call): Denial | null {
  if (call.problem === null) return null
  const isFile = call.act === 'read' || call.act === 'edit' || call.act === 'write'
  const code =
    call.act === 'shell' ? 'COMMAND_UNREADABLE' : isFile ? 'PATH_OUT_OF_SCOPE' : 'INTERNAL'
  return { code, reason: call.problem, hint: 'send the input as the tool documents it' }
}

function ruleOnScope({ machine, stage, call }: Asked): Denial | null {
  const lists = stage.rule.tools.allow !== 'all'
  return ruleOnPaths(call, { lists, paths: machine.paths, workspace: call.workspace })
}

function ruleOnTool(stage: Stage, call: Call): Denial | null {
  const { tools } = stage.rule
  if (tools.deny.some((name) => namesMatch(name, call))) return toolDenied(stage, call)
  if (tools.allow === 'all' || !speaksOf(tools, call.tool)) return null
  return tools.allow.some((name) => namesMatch(name, call)) ? null : toolDenied(stage, call)
}

function speaksOf(tools: ToolRule, tool: string): boolean {
  return tools.among === null || tools.among.some((prefix) => tool.startsWith(prefix))
}

/** What can be done instead is found out in `instead.ts`. */
function toolDenied(stage: Stage, call: Call): Denial {
  const reason = `\`${call.tool}\` may not be used in \`${stage.name}\``
  return { code: 'TOOL_NOT_ALLOWED', reason, hint: '' }
}
