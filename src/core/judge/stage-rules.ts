/**
 * The rules of a stage, in the order in which they are asked: may a call use this tool, this
 * command, these variables, this file, this many calls?
 */
import type { Call, Denial, RunState } from '../engine/types.ts'
import { own } from '../json.ts'
import type { RuleRef, Stage, ToolRule } from '../machine/machine.ts'
import { explainCommands } from '../shell-view/explain-commands.ts'
import { ruleOnEdits } from '../tools/rule-on-edits.ts'
import { ruleOnPaths } from '../tools/rule-on-paths.ts'
import { ruleOnProtected } from '../tools/rule-on-protected.ts'
import { ruleOnWritable } from '../tools/rule-on-writable.ts'
import { isReader, namesFile } from '../tools/server-tool-kind.ts'
import { actOfShape, namesMatch } from '../tools/tool-names.ts'
import { type AnswerSource, denyBy, noAnswers, passBy, type RuleAnswer } from './rule-answer.ts'
import type { Rule, RuleInput } from './rule-input.ts'
import { isUncounted, ruleOnCounts, touchedFiles } from './rule-on-counts.ts'
import {
  readCommandRule,
  readsOnly,
  ruleOnReadCommands,
  withoutReadCommands,
} from './rule-on-read-commands.ts'
import {
  isUnlimited,
  listedShell,
  mayWrite,
  ruleOnPrograms,
  ruleOnShell,
  ruleOnVariables,
  ruleOnWrites,
} from './rule-on-shell.ts'
import type { RuleField, StageDenial } from './stage-denial.ts'

type StageRuleInput = RuleInput & { readonly stage: Stage }

type StageRule = {
  readonly by: AnswerSource
  /** It holds also where the rules of the stages are over. */
  readonly isLasting?: true
  /** A denial without a field is Pawl's own: no author wrote it. */
  readonly deny: (asked: StageRuleInput) => Denial | StageDenial | null
  /** The field that lets the call through, or a rule elsewhere; null or absent: none does. */
  readonly allow?: (asked: StageRuleInput) => RuleField | RuleRef | null
  /** What it looked at; null: it does not speak of such a call. */
  readonly looked: (asked: StageRuleInput) => string | null
  /** Said where it does not. */
  readonly silence: string
}

/** Every rule of a stage, the first to be asked first. */
export const stageRules: readonly Rule[] = [
  asRule({
    by: 'tools',
    deny: ruleOnTool,
    allow: allowingRule,
    looked: ({ stage, call }) => toolText(stage.rule.tools, call),
    silence: 'such calls have no tool list',
  }),
  asRule({
    by: 'input',
    isLasting: true,
    deny: ({ call }) => ruleOnProblem(call),
    looked: ({ call }) => `parsed as \`${call.capability}\``,
    silence: '',
  }),
  asRule({
    by: 'commands',
    deny: ruleOnShell,
    allow: allowingCommands,
    looked: ({ stage, call }) => commandsText(stage, call),
    silence: 'it runs no command',
  }),
  eachCommand,
  asRule({
    by: 'programs',
    deny: ({ stage, call }) => ruleOnPrograms(stage, call),
    looked: ({ stage, call }) => programsText(stage, call),
    silence: 'no programs are denied',
  }),
  asRule({
    by: 'protected',
    isLasting: true,
    deny: ({ call }) => ruleOnProtected(call),
    looked: () => null,
    silence: 'no protected file is named',
  }),
  asRule({
    by: 'env',
    deny: ({ stage, call }) => ruleOnVariables(stage, call),
    looked: ({ stage, call }) => variablesText(stage, call),
    silence: 'no variables are blocked or set',
  }),
  asRule({
    by: 'writes',
    deny: ruleOnWrites,
    looked: ({ stage, call }) => writesText(stage, call),
    silence: 'it runs no command',
  }),
  asRule({
    by: 'paths',
    deny: ruleOnScope,
    looked: ({ stage, call }) => pathsText(stage, call),
    silence: 'no file is named',
  }),
  asRule({
    by: 'edits',
    deny: ({ stage, call }) => ruleOnSize(stage, call),
    looked: ({ stage, call }) => editText(stage, call),
    silence: 'the size of edits is not limited',
  }),
  asRule({
    by: 'counts',
    deny: ({ stage, state, call }) =>
      isUncounted(call) ? null : ruleOnCounts({ stage, state }, call),
    looked: ({ stage, state }) => countsText(stage, state),
    silence: 'calls, bytes and files are not limited',
  }),
]

function asRule({ by, isLasting, deny, allow, looked, silence }: StageRule): Rule {
  return (question) => {
    if (!isHeld(question, isLasting)) return noAnswers
    const denial = deny(question)
    if (denial !== null) {
      const rule = 'field' in denial ? ruleIn(question, denial.field) : null
      return [denyBy({ by, rule, denial })]
    }
    const field = allow?.(question) ?? null
    const rule = typeof field === 'string' ? ruleIn(question, field) : field
    if (question.extent === 'decision') {
      return rule === null ? noAnswers : [passBy({ by, says: 'allow', rule, reason: '' })]
    }
    const text = looked(question)
    const says = text === null ? 'nothing' : 'allow'
    return [passBy({ by, says, rule, reason: text ?? silence })]
  }
}

/** Whether a rule of the stage holds now. */
function isHeld(question: RuleInput, isLasting?: true): question is StageRuleInput {
  const { standing, stage, call } = question
  if (stage === undefined) return false
  // WHY whatever the run does: where it only observes, nothing else denies them.
  if (isLasting) return true
  if (standing === 'free') return false
  // What leads to Pawl's tools passes in a run that waits, if its stage does not forbid it.
  return standing === 'open' || call.bookkeeping?.kind === 'own'
}

/** Where a field of the stage is written; the stage itself, if that is all that is known. */
function ruleIn({ machine, stage }: StageRuleInput, field: RuleField): RuleRef {
  const { origins } = machine
  const written = origins === undefined ? undefined : own(origins.stages, stage.name)
  const pointer = field === 'paths' ? (origins?.run.paths ?? written?.allow) : written?.[field]
  return { document: machine.name, pointer: pointer ?? stage.origin }
}

/** The commands of a text one by one, for an explanation: they decide nothing beside the list. */
function eachCommand(question: RuleInput): readonly RuleAnswer[] {
  if (question.extent === 'decision' || !isHeld(question)) return noAnswers
  const { call, stage } = question
  const { commands } = stage.rule
  if (call.shell === null || commands === null) return noAnswers
  const rule = ruleIn(question, 'commands')
  const first = ruleOnShell(question)
  const shell = withoutReadCommands(question, call.shell)
  return explainCommands(shell, commands, call.workspace).flatMap((one) => {
    const { text, entry, trouble } = one
    if (trouble === null) {
      const why = entry === null ? 'needs no entry' : `is listed as \`${entry}\``
      return [passBy({ by: 'command', says: 'allow', rule: null, reason: `\`${text}\` ${why}` })]
    }
    if (isUnlimited(stage)) {
      const reason = `\`${text}\` is judged as if there were no list, because of \`*\``
      return [passBy({ by: 'command', says: 'allow', rule: null, reason })]
    }
    // What was said of the whole list is not said again of one command.
    if (trouble.reason === first?.reason) return []
    return [denyBy({ by: 'command', rule, denial: { ...trouble, hint: '' } })]
  })
}

// ── tools ───────────────────────────────────────────────────────────────────

function ruleOnTool(asked: StageRuleInput): StageDenial | null {
  const { call } = asked
  const { name, rule } = asked.stage
  const { allow, deny } = rule.tools
  const reason = `\`${call.tool}\` may not be used in \`${name}\``
  if (deny.some((one) => namesMatch(one, call))) {
    return { code: 'TOOL_NOT_ALLOWED', reason, hint: '', field: 'deny' }
  }
  if (allow === 'all' || !speaksOf(rule.tools, call.tool)) return ruleOnServerWrites(asked)
  if (isListed(allow, call) || call.bookkeeping !== undefined) return null
  if (readsOnly(asked)) {
    const denial = ruleOnReadCommands(asked)
    return denial === null ? null : { ...denial, field: 'paths' }
  }
  return { code: 'TOOL_NOT_ALLOWED', reason, hint: '', field: 'allow' }
}

/** Where the agent may not write, no tool of a server writes files for it, unless it is listed. */
function ruleOnServerWrites({ stage, call }: StageRuleInput): StageDenial | null {
  if (call.act !== 'mcp' || call.shell !== null || mayWrite(stage)) return null
  const name = call.capability.split(':').at(-1) ?? ''
  const act = actOfShape(name)
  const isWriter = act === 'edit' || act === 'write' || (act === 'other' && !isReader(call))
  if (!isWriter || !namesFile(call.input)) return null
  const reason = `\`${call.tool}\` could change files, which \`${stage.name}\` does not allow`
  return { code: 'TOOL_NOT_ALLOWED', reason, hint: '', field: 'deny' }
}

function isListed(allow: readonly string[], call: Call): boolean {
  return allow.some((one) => namesMatch(one, call))
}

/** What lets a call through that no list stops: the list itself, or that it is bookkeeping. */
function allowingRule(asked: StageRuleInput): 'allow' | RuleRef | null {
  const { call } = asked
  const { tools } = asked.stage.rule
  if (tools.allow === 'all' || !speaksOf(tools, call.tool)) return null
  if (isListed(tools.allow, call)) return 'allow'
  return call.bookkeeping?.rule ?? readCommandRule(asked, ruleIn(asked, 'allow'))
}

/** What lets a command through that no list stops: the list, or the tool it stands in for. */
function allowingCommands(asked: StageRuleInput): 'commands' | RuleRef | null {
  if (listedShell(asked.stage, asked.call) === null) return null
  return readsOnly(asked) ? readCommandRule(asked, ruleIn(asked, 'allow')) : 'commands'
}

/** Whether there is a list, and it is about such tools. */
function speaksOf({ allow, among }: ToolRule, tool: string): boolean {
  return allow !== 'all' && (among === null || among.some((prefix) => tool.startsWith(prefix)))
}

function toolText(tools: ToolRule, call: Call): string | null {
  if (tools.allow === 'all' || !speaksOf(tools, call.tool)) return null
  const entry = tools.allow.find((name) => namesMatch(name, call))
  if (entry === undefined) {
    return call.bookkeeping === undefined
      ? 'it only reads, and this host has no other way to'
      : `\`${call.tool}\` is the host's own bookkeeping`
  }
  return entry === call.tool ? `\`${entry}\` is listed` : `listed as \`${entry}\``
}

/** Input that cannot be judged is not let through, whatever the stage says. */
function ruleOnProblem(call: Call): Denial | null {
  if (call.problem === null) return null
  const isFile = call.act === 'read' || call.act === 'edit' || call.act === 'write'
  const code =
    call.act === 'shell' ? 'COMMAND_UNREADABLE' : isFile ? 'PATH_OUT_OF_SCOPE' : 'INTERNAL'
  return { code, reason: call.problem, hint: 'send the input as the tool documents it' }
}

// ── commands, files and counts ──────────────────────────────────────────────

function commandsText(stage: Stage, { shell }: Call): string | null {
  if (shell === null) return null
  if (isUnlimited(stage)) return '`*` allows any command'
  return stage.rule.commands === null ? 'no commands are listed' : 'every command is on the list'
}

function programsText({ rule }: Stage, { shell }: Call): string | null {
  if (shell === null || rule.programsDenied === undefined) return null
  return `none of ${rule.programsDenied.map((name) => `\`${name}\``).join(', ')} is named`
}

function variablesText({ rule }: Stage, { shell }: Call): string | null {
  const names = [...rule.envBlocked, ...Object.keys(rule.envSet)]
  if (shell === null || names.length === 0) return null
  return `none of ${names.map((name) => `\`${name}\``).join(', ')} is read or set`
}

function writesText(stage: Stage, { shell }: Call): string | null {
  if (shell === null) return null
  return mayWrite(stage) ? 'files may be changed here' : 'it changes no file'
}

function ruleOnScope({ machine, stage, call }: StageRuleInput): StageDenial | null {
  const unwritable = ruleOnWritable(call, stage.rule.filesWritable)
  if (unwritable !== null) return { ...unwritable, field: 'filesWritable' }
  const lists = stage.rule.tools.allow !== 'all'
  const denial = ruleOnPaths(call, { lists, paths: machine.paths, workspace: call.workspace })
  return denial === null ? null : { ...denial, field: 'paths' }
}

function pathsText({ rule }: Stage, { reads, writes }: Call): string | null {
  if (reads.length + writes.length === 0) return null
  return rule.tools.allow === 'all' ? 'paths are not limited' : 'within reach'
}

function ruleOnSize({ rule }: Stage, call: Call): StageDenial | null {
  const denial = ruleOnEdits(call, rule.editLinesMax)
  return denial === null ? null : { ...denial, field: 'editLinesMax' }
}

function editText({ rule: { editLinesMax } }: Stage, { editLines }: Call): string | null {
  if (editLinesMax === null) return null
  return editLines === null ? 'no edit' : `${editLines} of ${editLinesMax} lines`
}

function countsText({ rule }: Stage, state: RunState): string | null {
  const { callsMax, bytesMax, filesMax } = rule
  const parts: string[] = []
  if (callsMax !== null) parts.push(`${state.counts.calls} of ${callsMax} calls used`)
  if (bytesMax !== null) parts.push(`${state.counts.bytes} of ${bytesMax} bytes used`)
  if (filesMax !== null) parts.push(`${touchedFiles(state).length} of ${filesMax} files used`)
  return parts.length === 0 ? null : parts.join(', ')
}
