/**
 * Everything that was asked about a call, in the order in which it is asked, and what each said:
 * the run, the stage rule by rule, the policies, the limits. Decides nothing: the verdict is the
 * judge's, and this says how it comes about.
 */
import { touchedFiles } from './engine/rule-on-counts.ts'
import { mayWrite } from './engine/rule-on-shell.ts'
import { hearStage, type Subject } from './engine/tool-rule.ts'
import type { Call, RunState } from './engine/types.ts'
import type { DenialCode } from './errors.ts'
import { own } from './json.ts'
import type { Judging, Spoken } from './judge.ts'
import { askPolicies, exhaustedRun, limitsOf, usageFor } from './judge.ts'
import type { Stage } from './machine/machine.ts'
import { findFull, type Usage } from './policy/limits.ts'
import { explainCommands } from './shell/explain-commands.ts'
import { namesMatch } from './tools/tool-names.ts'

/** What one of those who are asked says. */
export type Word = {
  readonly by: 'run' | Subject | 'command' | 'policy' | 'limit'
  /** `nothing`: it does not speak of such a call. */
  readonly says: 'allow' | 'ask' | 'deny' | 'nothing'
  readonly about: string
  readonly code: DenialCode | null
  /** JSON pointer of a policy's rule. */
  readonly rule: string | null
}

/** The whole chain. What follows a denial is told as well: it would have to be put right, too. */
export function explainCall(where: Judging, state: RunState, call: Call): readonly Word[] {
  if (call.isOwn) return [word('tools', 'allow', 'a tool of Pawl itself is never policed')]
  const { stopped, isOpen, heard } = hearStage(where.machine, state, call)
  const words: Word[] = [
    stopped === null
      ? word('run', 'allow', isOpen ? standing(state) : 'the rules of its stages are over')
      : { ...word('run', 'deny', stopped.reason), code: stopped.code },
  ]
  const stage = own(where.machine.stages, state.stage)
  for (const { about, denial } of heard) {
    if (stage === undefined) break
    if (about === 'commands') words.push(...commandWords(stage, call))
    if (denial === null) words.push(allowing(about, { stage, state, call }))
    // What was said of one command is not said again of all of them.
    else if (!words.some((one) => one.by === 'command' && one.about === denial.reason)) {
      words.push({ ...word(about, 'deny', denial.reason), code: denial.code })
    }
  }
  return [...words, ...policyWords(where, state, call)]
}

function word(by: Word['by'], says: Word['says'], about: string): Word {
  return { by, says, about, code: null, rule: null }
}

function standing({ status, stage }: RunState): string {
  return `it is ${status} in \`${stage}\``
}

type Asked = { readonly stage: Stage; readonly state: RunState; readonly call: Call }

/** Why a rule lets a call pass: what it looked at, or that it has nothing to say. */
function allowing(about: Subject, asked: Asked): Word {
  const seen = lookedAt[about](asked)
  return seen === null ? word(about, 'nothing', silence[about]) : word(about, 'allow', seen)
}

const silence: Readonly<Record<Subject, string>> = {
  tools: 'no tools are listed',
  input: 'nothing in it to read',
  protected: 'no protected file is named',
  commands: 'it runs no command',
  env: 'no variables are blocked or set',
  writes: 'it runs no command',
  paths: 'no file is named',
  edits: 'the size of edits is not limited',
  counts: 'calls, bytes and files are not limited',
}

/** Null: the rule does not speak of such a call. */
const lookedAt: Readonly<Record<Subject, (asked: Asked) => string | null>> = {
  tools: ({ stage, call }) => {
    const { allow } = stage.rule.tools
    if (allow === 'all') return null
    const entry = allow.find((name) => namesMatch(name, call))
    if (entry === undefined) return 'the list does not speak of such tools'
    return entry === call.tool ? `\`${entry}\` is listed` : `listed as \`${entry}\``
  },
  input: ({ call }) => `read as \`${call.capability}\``,
  protected: () => null,
  commands: ({ stage, call }) => {
    if (call.shell === null) return null
    return stage.rule.commands === null ? 'no commands are listed' : 'every command is on the list'
  },
  env: ({ stage, call }) => {
    const { envBlocked, envSet } = stage.rule
    const names = [...envBlocked, ...Object.keys(envSet)]
    if (call.shell === null || names.length === 0) return null
    return `none of ${names.map((name) => `\`${name}\``).join(', ')} is read or set`
  },
  writes: ({ stage, call }) => {
    if (call.shell === null) return null
    return mayWrite(stage) ? 'files may be changed here' : 'it changes no file'
  },
  paths: ({ stage, call }) => {
    const count = call.reads.length + call.writes.length
    if (count === 0) return null
    return stage.rule.tools.allow === 'all' ? 'paths are not limited' : 'within reach'
  },
  edits: ({ stage, call }) => {
    const { editLinesMax } = stage.rule
    if (editLinesMax === null) return null
    return call.editLines === null ? 'no edit' : `${call.editLines} of ${editLinesMax} lines`
  },
  counts: ({ stage, state }) => countsText(stage, state),
}

function countsText({ rule }: Stage, state: RunState): string | null {
  const { callsMax, bytesMax, filesMax } = rule
  const parts: string[] = []
  if (callsMax !== null) parts.push(`${state.counts.calls} of ${callsMax} calls used`)
  if (bytesMax !== null) parts.push(`${state.counts.bytes} of ${bytesMax} bytes used`)
  if (filesMax !== null) parts.push(`${touchedFiles(state).length} of ${filesMax} files used`)
  return parts.length === 0 ? null : parts.join(', ')
}

function commandWords({ rule }: Stage, { shell, workspace }: Call): readonly Word[] {
  if (shell === null || rule.commands === null) return []
  return explainCommands(shell, rule.commands, workspace).map(({ text, entry, trouble }) => {
    if (trouble !== null) {
      return { ...word('command', 'deny', trouble.reason), code: trouble.code }
    }
    const why = entry === null ? 'needs no entry' : `is listed as \`${entry}\``
    return word('command', 'allow', `\`${text}\` ${why}`)
  })
}

function policyWords(where: Judging, state: RunState, call: Call): readonly Word[] {
  const spoken = askPolicies(where, call)
  const exhausted = exhaustedRun(where, state, call)
  return [
    ...spoken.map(policyWord),
    ...spoken.flatMap((one) => limitWords(one, usageFor(where, state, call))),
    ...(exhausted === null
      ? []
      : [{ ...word('limit', 'deny', exhausted.reason), code: exhausted.code }]),
  ]
}

function policyWord({ layer, answer }: Spoken): Word {
  const { tier, rule, verdict } = answer
  const says = tier === 'default' && verdict === 'allow' ? 'nothing' : verdict
  const how = tier === 'default' ? 'by its default' : `by its tier \`${tier}\``
  const about = says === 'nothing' ? `no rule of ${layer.name} names it` : `${layer.name}, ${how}`
  const code = verdict === 'deny' ? 'POLICY_DENIED' : null
  return { by: 'policy', says, about, code, rule }
}

function limitWords(spoken: Spoken, usage: Usage): readonly Word[] {
  return limitsOf(spoken).map((limited) => {
    const full = findFull([limited], usage)
    const { origin: rule, capability } = limited.rule
    if (full === null) {
      return { ...word('limit', 'allow', `\`${capability}\` has room`), rule }
    }
    return { ...word('limit', 'deny', full.reason), code: full.code, rule }
  })
}
