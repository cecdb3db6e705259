/**
 * Features of a machine that a dialect may not be able to express, each with the effect of losing
 * it. A printer declares which of them its dialect can express; the others are losses.
 * Knows machines.
 */
import { assertNever } from '../assert.ts'
import { placeholdersOf } from '../expr/template.ts'
import { joinPointer } from '../finding.ts'
import type { Machine, Op, Route, Stage, Trigger } from '../machine/machine.ts'
import { type FieldPlace, fieldPointerOf, ruleKeys } from './field-pointers.ts'
import { listedText } from './presentation.ts'
import type { Loss } from './printer-output.ts'

/** What a dialect may have no words for. */
export type LossPart =
  | Exclude<FieldPlace, 'name' | 'prompt'>
  | 'detour'
  | 'op'
  | 'toolsAllow'
  | 'toolsDeny'
  | 'commands'
  | 'envBlocked'
  | 'envSet'
  | 'callsMax'
  | 'editLinesMax'
  | 'filesMax'
  | 'bytesMax'
  | 'filesWritable'
  | 'programs'
  | 'fallback'
  | 'mustCall'
  | 'briefIf'
  | 'template'
  | 'folding'
  | 'fields'
  | 'canName'
  | 'warning'
  | 'requires'
  | 'requiredData'
  | 'gate'
  | 'invoke'
  | 'fork'

/** A dialect as a target: how it is called, and what it can say. */
export type LossTarget = { readonly noun: string; readonly can: readonly LossPart[] }

type Note = (part: LossPart, pointer: string, words: Omit<Loss, 'pointer'>) => void

/** Every part of the machine that the target cannot say, in the author's order. */
export function lossesOf(machine: Machine, target: LossTarget): Loss[] {
  const losses: Loss[] = []
  const note: Note = (part, pointer, { what, effect }) => {
    if (target.can.includes(part)) return
    losses.push({ pointer, what: `a ${target.noun} has no ${what}`, effect })
  }
  surveyMachine(machine, note)
  for (const stage of Object.values(machine.stages)) {
    surveyStage(machine, stage, note)
    for (const trigger of Object.values(stage.signals)) surveyTrigger(stage, trigger, note)
  }
  surveyFolding(machine, note)
  return losses
}

function surveyMachine(machine: Machine, note: Note): void {
  const { mail, limits, vars } = machine
  if (mail !== null) {
    const effect = 'the agent can send any number of mails, from and to any address'
    note('mail', fieldPointerOf(machine, 'mail'), { what: 'limits on mail', effect })
  }
  if (limits.callsMax !== null) {
    const effect = `the agent can make more than ${limits.callsMax} calls in a run`
    const what = 'limit on the tool calls of a whole run'
    note('callsTotal', fieldPointerOf(machine, 'callsTotal'), { what, effect })
  }
  if (machine.hasDebug) {
    const effect = 'nobody can move a run to another stage by hand'
    note('debug', fieldPointerOf(machine, 'debug'), { what: 'debug jumps', effect })
  }
  if (machine.holdsAtEnd) {
    const effect = 'the agent can use any tool once the run has completed'
    note('hold', fieldPointerOf(machine, 'hold'), {
      what: 'setting that keeps denying calls after the end',
      effect,
    })
  }
  if (machine.danger !== 'safe') {
    const effect = '`pawl check` no longer reports missing approvals for such work'
    note('danger', fieldPointerOf(machine, 'danger'), { what: 'danger level', effect })
  }
  if (Object.keys(vars).length > 0) {
    const effect = `no longer available: ${listedText(Object.keys(vars))}`
    note('values', fieldPointerOf(machine, 'values'), { what: 'initial values', effect })
  }
  if (typeof machine.meta.default_model === 'string') {
    const effect = 'the host is not told which model to use'
    note('model', fieldPointerOf(machine, 'model'), { what: 'model settings', effect })
  }
  for (const { pattern, target, origin } of machine.detours) {
    const effect = `changing a file that matches \`${pattern}\` no longer leads to \`${target}\``
    note('detour', origin, { what: 'detours', effect })
  }
  const listing = Object.values(machine.stages).find((stage) => hasEndpointList(stage))
  if (listing !== undefined) {
    const what = "list of Pawl's own memory and task tools"
    const effect = 'the agent can use all of them'
    note('endpointTools', fieldPointerOf(machine, 'endpointTools'), { what, effect })
  }
  surveyOps(machine.start, note)
}

function hasEndpointList({ rule }: Stage): boolean {
  return rule.tools.among !== null && rule.tools.allow !== 'all'
}

function surveyStage(machine: Machine, stage: Stage, note: Note): void {
  const { name, origin, rule, fallback } = stage
  surveyTools(stage, note)
  surveyRule(stage, note)
  if (rule.commands !== null) {
    const effect = `any command can be run in \`${name}\``
    note('commands', joinPointer(origin, ruleKeys.commands), { what: 'list of commands', effect })
  }
  const hasModel = stage.model !== null && stage.model !== machine.meta.default_model
  if (hasModel || stage.thinking !== null) {
    const key = hasModel ? ruleKeys.model : ruleKeys.thinking
    const effect = `the host is not told which model or how much thinking \`${name}\` needs`
    note('model', joinPointer(origin, key), { what: 'model settings', effect })
  }
  if (fallback !== null && stage.final === null) {
    const effect = `an unknown signal in \`${name}\` is rejected, not sent to \`${fallback.stage}\``
    note('fallback', fallback.origin, { what: 'route for unknown signals', effect })
  }
  if (stage.mustCall) {
    const effect = `nothing makes the agent call a tool in \`${name}\` before it replies`
    note('mustCall', joinPointer(origin, 'tools', 'call'), {
      what: 'setting that requires a tool call',
      effect,
    })
  }
  for (const part of stage.brief) {
    if (part.if !== null) {
      const effect = `the agent gets this text in \`${name}\` whether or not its condition holds`
      note('briefIf', part.origin, { what: 'conditional instructions', effect })
    }
    if (part.isTemplate && placeholdersOf(part.text).length > 0) {
      const effect = `the agent sees the placeholder in \`${name}\`, not the value`
      note('template', part.origin, { what: 'placeholders', effect })
    }
  }
  surveyOps(stage.enter, note)
}

function surveyTools({ name, origin, rule }: Stage, note: Note): void {
  const { allow, deny, among } = rule.tools
  if (allow !== 'all' && among === null) {
    const only = allow.length === 0 ? 'where none was allowed' : `not only ${listedText(allow)}`
    const effect = `every tool can be used in \`${name}\`, ${only}`
    note('toolsAllow', joinPointer(origin, ruleKeys.tools), {
      what: 'tool list for each stage',
      effect,
    })
  }
  if (deny.length > 0 && (allow === 'all' || among !== null)) {
    const effect = `${listedText(deny)} can be used in \`${name}\``
    note('toolsDeny', joinPointer(origin, ruleKeys.toolsDeny), {
      what: 'list of denied tools',
      effect,
    })
  }
}

function surveyRule({ name, origin, rule }: Stage, note: Note): void {
  if (rule.envBlocked.length > 0) {
    const effect = `commands in \`${name}\` can read ${listedText(rule.envBlocked)}`
    const what = 'blocked environment variables'
    note('envBlocked', joinPointer(origin, ruleKeys.envBlocked), { what, effect })
  }
  if (Object.keys(rule.envSet).length > 0) {
    const effect = `not set for commands in \`${name}\`: ${listedText(Object.keys(rule.envSet))}`
    const what = 'environment variables for commands'
    note('envSet', joinPointer(origin, ruleKeys.envSet), { what, effect })
  }
  if (rule.filesWritable !== undefined) {
    const what = 'limit on which files may be changed'
    const effect = `any file can be changed in \`${name}\``
    note('filesWritable', joinPointer(origin, ruleKeys.filesWritable), { what, effect })
  }
  if (rule.programsDenied !== undefined) {
    const effect = `${listedText(rule.programsDenied)} can be started in \`${name}\``
    note('programs', joinPointer(origin, ruleKeys.programs), { what: 'denied programs', effect })
  }
  const limits = [
    ['callsMax', 'limit on tool calls in a stage', 'call', 'can be made'],
    ['editLinesMax', 'limit on the lines per edit', 'line', 'can be changed by one edit'],
    ['filesMax', 'limit on changed files', 'file', 'can be changed'],
    ['bytesMax', 'limit on the bytes of results', 'byte', 'of results can be collected'],
  ] as const
  for (const [part, what, thing, can] of limits) {
    const max = rule[part]
    if (max === null) continue
    const effect = `more than ${max} ${thing}${max === 1 ? '' : 's'} ${can} in \`${name}\``
    note(part, joinPointer(origin, ruleKeys[part]), { what, effect })
  }
}

function surveyTrigger(stage: Stage, trigger: Trigger, note: Note): void {
  const { name, origin, fields, warning } = trigger
  if (fields !== null && fields.length > 0) {
    const names = listedText(fields.map((field) => field.name))
    const effect = `inputs of \`${stage.name}\` are no longer requested, checked or kept: ${names}`
    note('fields', joinPointer(origin, 'inputs'), { what: 'inputs', effect })
  }
  if (trigger.canName) {
    const effect = `the agent can no longer go from \`${stage.name}\` to a stage of its choice`
    const at = joinPointer(origin, 'tools', 'allowGoToStep')
    note('canName', at, { what: 'setting that lets the agent name the next stage', effect })
  }
  if (warning !== null) {
    const effect = `no warning is recorded for \`${name}\` in \`${stage.name}\``
    note('warning', joinPointer(origin, 'action'), { what: 'warnings', effect })
  }
  surveyOps(trigger.prepare, note)
  surveyOps(trigger.commit, note)
  for (const route of trigger.routes) surveyRoute(trigger, route, note)
}

function surveyRoute({ name, fields }: Trigger, route: Route, note: Note): void {
  const { requires, gate, move } = route
  if (requires.length > 0) {
    const effect = `this route can be taken without ${listedText(requires)}`
    const isForm = fields !== null
    note(isForm ? 'requires' : 'requiredData', joinPointer(route.origin, 'requires'), {
      what: isForm ? 'required inputs on routes' : 'required data of events',
      effect,
    })
  }
  if (gate !== null) {
    const effect = `\`${name}\` is carried out without a person's approval`
    note('gate', gate.origin, { what: 'approval by a person', effect })
  }
  if (move.kind === 'invoke') {
    const effect = `\`${move.machine}\` is skipped: \`${name}\` leads to \`${move.onComplete}\``
    note('invoke', move.origin, { what: 'invoked definitions', effect })
  }
  if (move.kind === 'fork') {
    const branches = listedText(move.branches.map((branch) => branch.name))
    const effect = `\`${name}\` leads to \`${move.onComplete}\` without the work of ${branches}`
    note('fork', move.origin, { what: 'branches', effect })
  }
}

function surveyOps(ops: readonly Op[], note: Note): void {
  for (const op of ops) note('op', op.origin, { what: 'actions', effect: opEffect(op) })
}

function opEffect(op: Op): string {
  switch (op.kind) {
    case 'set':
      return `\`${op.path.join('.')}\` is no longer set`
    case 'inc':
      return `\`${op.path.join('.')}\` is no longer incremented`
    case 'get':
      return `no longer filled in: ${listedText(op.fields)}`
    case 'save':
      return `no longer kept: ${listedText(op.fields)}`
    case 'say':
      return 'this text is no longer shown'
    case 'call':
      return `\`${op.tool}\` is no longer called`
    default:
      return assertNever(op)
  }
}

/** Told once: it is the same for every stage. */
function surveyFolding(machine: Machine, note: Note): void {
  const stages = Object.values(machine.stages)
  const stage = stages.find((one) => one.foldsSignals && Object.keys(one.signals).length > 0)
  if (stage === undefined) return
  const [name = ''] = Object.keys(stage.signals)
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  const effect = `\`${other}\` is rejected in \`${stage.name}\`; only \`${name}\` is accepted`
  const what = 'matching of answers that ignores case and surrounding spaces'
  note('folding', stage.origin, { what, effect })
}
