/**
 * The few short facts that a picture shows about a stage or a whole machine.
 * Knows machines. Must not know how a picture is printed.
 */
import { assertNever } from '../assert.ts'
import type { Expr } from '../expr/expression-types.ts'
import type { JsonObject } from '../json.ts'
import type { Guard, Machine, PolicyRule, Source, Stage, StageRule } from '../machine/machine.ts'
import { usdText } from '../money.ts'
import { listNames, oneLine, shortenText } from './label-text.ts'
import type { PictureFact } from './picture-types.ts'

const briefCharsMax = 110
const listCharsMax = 40
const conditionCharsMax = 44
const policyCharsMax = 60

/** What a reader should know about a stage, without the tools that all stages share. */
export function factsOfStage(stage: Stage, sharedTools: string | null): PictureFact[] {
  const facts: PictureFact[] = []
  const brief = stage.brief.find((part) => oneLine(part.text) !== '')
  if (brief) facts.push({ key: 'brief', text: shortenText(firstLine(brief.text), briefCharsMax) })
  if (stage.final !== null) return facts
  const asked = askedFields(stage)
  if (asked.length > 0) facts.push({ key: 'asks', text: listNames(asked, listCharsMax) })
  const tools = toolsText(stage.rule)
  if (tools !== sharedTools) facts.push({ key: 'tools', text: tools })
  const { commands } = stage.rule
  if (commands !== null) {
    const text = commands.length === 0 ? 'no commands' : listNames(commands, listCharsMax)
    facts.push({ key: 'runs', text })
  }
  const env = envText(stage.rule)
  if (env !== '') facts.push({ key: 'env', text: env })
  const limits = limitsText(stage.rule)
  if (limits !== '') facts.push({ key: 'limits', text: limits })
  const calls = callsText(stage)
  if (calls !== '') facts.push({ key: 'calls', text: calls })
  if (Object.values(stage.signals).some((trigger) => trigger.canName)) {
    facts.push({ key: 'jumps', text: 'may go to any stage' })
  }
  const model = [stage.model, stage.thinking].filter((word) => word !== null).join(', ')
  if (model !== '') facts.push({ key: 'model', text: shortenText(model, listCharsMax) })
  return facts
}

/** What holds in the whole machine, whatever the stage. */
export function notesOfMachine(machine: Machine): PictureFact[] {
  const notes: PictureFact[] = []
  const tools = sharedToolsOf(machine)
  if (tools !== null) notes.push({ key: 'tools', text: `${tools}, in every stage` })
  const limits: string[] = []
  if (machine.limits.microUsdMax !== null) limits.push(`≤ ${usdText(machine.limits.microUsdMax)}`)
  if (machine.limits.callsMax !== null) limits.push(`≤ ${machine.limits.callsMax} calls`)
  if (machine.mail !== null && machine.mail.mailsMax !== null) {
    limits.push(`≤ ${machine.mail.mailsMax} mails`)
  }
  if (limits.length > 0) notes.push({ key: 'limits', text: `${limits.join(' · ')} in a run` })
  if (machine.policy === null) return notes
  for (const effect of ['allow', 'ask', 'deny'] as const) {
    const rules = machine.policy[effect]
    if (rules.length === 0) continue
    const text = `${effect} ${listNames(rules.map(ruleText), policyCharsMax)}`
    notes.push({ key: 'policy', text })
  }
  if (machine.policy.otherwise === 'deny')
    notes.push({ key: 'policy', text: 'deny everything else' })
  return notes
}

/** The tools, when several stages permit the same and none permits others; else null. */
export function sharedToolsOf(machine: Machine): string | null {
  const working = Object.values(machine.stages).filter((stage) => stage.final === null)
  const texts = new Set(working.map((stage) => toolsText(stage.rule)))
  const [text] = texts
  return working.length > 1 && texts.size === 1 ? (text ?? null) : null
}

/** `[tests_passed and coverage > 80]`, or nothing when there is no condition. */
export function conditionText(guards: readonly Guard[]): string {
  if (guards.length === 0) return ''
  return `[${shortenText(guards.map(guardText).join(' and '), conditionCharsMax)}]`
}

/** What a named guard compares: `test_result = "pass"`. */
export function compareText(guard: Extract<Guard, { kind: 'compare' }>): string {
  const value = shortenText(JSON.stringify(guard.value), conditionCharsMax)
  const field = oneLine(guard.field)
  const source = guard.source === null ? '' : `, ${sourceWords[guard.source]}`
  switch (guard.op) {
    case 'exists':
      return `${field} exists${source}`
    case 'not_exists':
      return `${field} does not exist${source}`
    case 'in':
      return `${field} in ${value}${source}`
    case 'contains':
      return `${field} contains ${value}${source}`
    case 'eq':
    case 'neq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${field} ${signs[guard.op]} ${value}${source}`
    default:
      return assertNever(guard.op)
  }
}

const sourceWords: { readonly [source in Source]: string } = {
  claimed: 'claimed by the agent',
  observed: 'observed by Pawl',
  given: 'given by the author or a person',
}
const signs = { eq: '=', neq: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' } as const
const allTools = 'all tools'

function guardText(guard: Guard): string {
  switch (guard.kind) {
    case 'compare':
      return oneLine(guard.name) === '' ? compareText(guard) : oneLine(guard.name)
    case 'expr':
      return exprText(guard.expr)
    case 'evidence':
      return oneLine(guard.name)
    default:
      return assertNever(guard)
  }
}

/** What a guard wants to have been seen: `` `npm test` exits 0, fresh``. */
export function evidenceText({ requirement }: Extract<Guard, { kind: 'evidence' }>): string {
  const { command, exit, testsMin, report, isFresh, ageMsMax, grade, subject } = requirement
  return [
    `\`${oneLine(command)}\` ${exit === 'nonzero' ? 'fails' : `exits ${exit}`}`,
    ...(subject === null || subject.folder === '.' ? [] : [`in ${oneLine(subject.folder)}`]),
    ...(testsMin === null ? [] : [`≥ ${testsMin} tests`]),
    ...(report === undefined ? [] : [`by ${oneLine(report)}`]),
    ...(isFresh ? ['fresh'] : []),
    ...(ageMsMax === null ? [] : [`within ${ageMsMax / 1000} s`]),
    ...(grade === 'host' ? [] : [grade === 'job' ? 'as a job' : 'claimed']),
  ].join(', ')
}

function exprText(expr: Expr): string {
  switch (expr.language) {
    case 'jmespath':
    case 'cel':
      return oneLine(expr.text)
    case 'case':
      return 'several cases'
    default:
      return assertNever(expr)
  }
}

function firstLine(text: string): string {
  return text.split(/[\r\n]/u).find((line) => oneLine(line) !== '') ?? ''
}

function askedFields(stage: Stage): string[] {
  const names = new Set<string>()
  for (const trigger of Object.values(stage.signals)) {
    for (const field of trigger.fields ?? []) {
      names.add(field.isRequired ? field.name : `${field.name}?`)
    }
  }
  return [...names]
}

function toolsText(rule: StageRule): string {
  const { allow, deny, among } = rule.tools
  const except = deny.length === 0 ? '' : ` except ${listNames(deny, listCharsMax)}`
  if (allow === 'all') return allTools + except
  const allowed = allow.length === 0 ? 'no tools' : listNames(allow, listCharsMax)
  const names = allowed + except
  if (among === null) return names
  return `of ${listNames(among.map(prefix), listCharsMax)} only ${names}`
}

function prefix(name: string): string {
  return `${name}*`
}

// WHY: only the names; a value set for the agent may be a secret of the author's.
function envText(rule: StageRule): string {
  const parts: string[] = []
  if (rule.envBlocked.length > 0) parts.push(`hides ${listNames(rule.envBlocked, listCharsMax)}`)
  const set = Object.keys(rule.envSet)
  if (set.length > 0) parts.push(`sets ${listNames(set, listCharsMax)}`)
  return parts.join(' · ')
}

function limitsText(rule: StageRule): string {
  const parts: string[] = []
  if (rule.callsMax !== null) parts.push(`≤ ${rule.callsMax} calls`)
  if (rule.editLinesMax !== null) parts.push(`≤ ${rule.editLinesMax} lines/edit`)
  if (rule.filesMax !== null) parts.push(`≤ ${rule.filesMax} files`)
  if (rule.filesWritable !== undefined) {
    parts.push(`writes ${listNames(rule.filesWritable, listCharsMax)}`)
  }
  if (rule.bytesMax !== null) parts.push(`≤ ${bytesText(rule.bytesMax)} read`)
  if (rule.programsDenied !== undefined) {
    parts.push(`never runs ${listNames(rule.programsDenied, listCharsMax)}`)
  }
  return parts.join(' · ')
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${Math.round(bytes / 100) / 10} kB`
  return `${Math.round(bytes / 100_000) / 10} MB`
}

function callsText(stage: Stage): string {
  const tools = new Set<string>()
  for (const op of stage.enter) if (op.kind === 'call') tools.add(op.tool)
  if (tools.size > 0) return listNames([...tools], listCharsMax)
  return stage.mustCall ? 'a tool call is required' : ''
}

function ruleText(rule: PolicyRule): string {
  const parts = [rule.capability]
  if (rule.rate !== null) {
    parts.push(`≤ ${rule.rate.callsMax} calls per ${windowText(rule.rate.windowMs)}`)
  }
  if (rule.budget !== null) {
    parts.push(`≤ ${usdText(rule.budget.microUsdMax)} ${rule.budget.period}`)
  }
  return parts.join(' ')
}

function windowText(windowMs: number): string {
  const seconds = windowMs / 1000
  if (seconds % 3600 === 0) return seconds === 3600 ? 'hour' : `${seconds / 3600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`
  return `${seconds} seconds`
}

/** What an invoked machine is given, by name only. */
export function inputText(input: JsonObject): string {
  const names = Object.keys(input)
  return names.length === 0 ? '' : `with ${listNames(names, listCharsMax)}`
}
