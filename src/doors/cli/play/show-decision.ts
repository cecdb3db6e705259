/** Shows the result of one input: the decision and why, messages, the events behind it. */

import { assertNever } from '../../../core/assert.ts'
import type { Recorded } from '../../../core/engine/family.ts'
import { mainOf } from '../../../core/engine/family.ts'
import type { Reply } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import { own } from '../../../core/json.ts'
import { ruleText } from '../../../core/judge/rule-answer.ts'
import { listeningMember, type Moment, type Walk, type WalkAction } from '../../../testing/walk.ts'
import { describeEvent } from './describe-event.ts'
import { guardRowText } from './show-rows.ts'
import { hang, type StyledLine, styledLine, styledSpan } from './styled-text.ts'
import { displayWidth, type ViewFrame, valueText } from './view-lines.ts'

/** Events of one input that are shown; `log` shows all. */
const eventsShownMax = 16

/** The decision on one line or a few, what was said, and the events. */
export function showDecision(moment: Moment, walk: Walk, frame: ViewFrame): StyledLine[] {
  const width = displayWidth(frame)
  return [
    ...replyLines(moment, width),
    ...guardLines(moment, walk, width),
    ...saidLines(moment.recorded, width),
    ...warningLines(moment.recorded, width),
    ...eventLines(moment.recorded.filter(isUntold), walk, { width, max: eventsShownMax }),
  ]
}

/** Texts and warnings have lines of their own. */
function isUntold({ event }: Recorded): boolean {
  return event.type !== 'text.said' && event.type !== 'warning.raised'
}

/** Whether a reply lets things happen: what was not refused and not denied. */
export function isGranted(reply: Reply): boolean {
  return reply.kind === 'accepted' || (reply.kind === 'verdict' && reply.verdict !== 'deny')
}

function replyLines({ reply, act }: Moment, width: number): StyledLine[] {
  switch (reply.kind) {
    case 'accepted': {
      const head = [styledSpan('✔ ', 'good'), styledSpan('accepted  ', 'good')]
      return hang(actText(act), { head, width, tone: 'dim' })
    }
    case 'refused': {
      const head = [styledSpan('✖ ', 'bad'), styledSpan(`refused ${reply.code}: `, 'bad')]
      return [
        ...hang(withHint(reply.reason, reply.hint), { head, width, indent: 2 }),
        ...(reply.issues ?? [])
          .filter((issue) => !reply.reason.includes(issue.message))
          .flatMap((issue) =>
            hang(`${issue.field} ${issue.message}`, { head: [styledSpan('  · ', 'bad')], width }),
          ),
      ]
    }
    case 'verdict':
      return verdictLines(reply, act, width)
    default:
      return assertNever(reply)
  }
}

/** What the guards in the way look at, and what they saw: a refusal changes nothing of it. */
function guardLines({ reply, act }: Moment, walk: Walk, width: number): StyledLine[] {
  const isGuard = reply.kind === 'refused' && reply.code === 'GUARD_FAILED'
  if (!isGuard || act.kind !== 'signal') return []
  const { machine, state } = listeningMember(walk, act.branch)
  const stage = own(machine.stages, state.stage)
  const routes = (stage === undefined ? undefined : own(stage.signals, act.name))?.routes ?? []
  const texts = routes
    .flatMap((route) => route.guards)
    .flatMap((guard) => {
      if (guard.kind !== 'compare') return []
      const value = own(state.vars, guard.field)
      const seen = value === undefined ? 'is not set' : `is ${valueText(value)}`
      return [`${guardRowText(guard)}; ${guard.field} ${seen}`]
    })
  const head = [styledSpan('  why  ', 'warn')]
  return [...new Set(texts)].flatMap((text) => hang(text, { head, width }))
}

function withHint(reason: string, hint: string): string {
  return hint === '' ? reason : `${reason} → ${hint}`
}

function verdictLines(
  reply: Extract<Reply, { kind: 'verdict' }>,
  act: WalkAction,
  width: number,
): StyledLine[] {
  const named = ruleText(reply)
  const rule = named === null ? '' : ` (by ${named})`
  if (reply.verdict === 'deny') {
    const head = [styledSpan('✖ ', 'bad'), styledSpan(`deny ${reply.code ?? ''}: `, 'bad')]
    return [
      ...hang(`${reply.reason}${rule}`, { head, width, indent: 2 }),
      ...hang(reply.hint, { head: [styledSpan('  → ', 'dim')], width }),
    ]
  }
  const isAsk = reply.verdict === 'ask'
  const head = [isAsk ? styledSpan('? ask  ', 'warn') : styledSpan('✔ allow  ', 'good')]
  const why = reply.reason === '' ? '' : `: ${reply.reason}`
  const lines = hang(`${actText(act)}${why}${rule}`, { head, width, tone: 'dim' })
  if (act.kind === 'call' && reply.input !== null && changesInput(act.input, reply.input)) {
    lines.push(...hang(valueText(reply.input), { head: [styledSpan('  runs as ', 'dim')], width }))
  }
  return lines
}

function changesInput(asked: JsonObject, run: JsonObject): boolean {
  return JSON.stringify(asked) !== JSON.stringify(run)
}

/** What was done, as a person would say it. */
function actText(act: WalkAction): string {
  switch (act.kind) {
    case 'signal':
      return act.data === null ? act.name : `${act.name} ${valueText(act.data)}`
    case 'answer':
      return act.answer
    case 'submit':
      return `${valueText(act.inputs)}${act.goTo === null ? '' : ` to ${act.goTo}`}`
    case 'call':
      return `${act.tool} ${valueText(act.input)}`
    case 'report':
      return act.report.ok === false ? 'the call failed' : 'the call succeeded'
    case 'approve':
    case 'refuse':
      return act.note === '' ? `a person: ${act.kind}` : `a person: ${act.kind}, ${act.note}`
    case 'pause':
    case 'resume':
      return `${act.kind} by ${act.by}`
    case 'force':
      return `forced to ${act.stage}`
    case 'wait':
      return `${act.time} later`
    case 'look':
      return ''
    default:
      return assertNever(act)
  }
}

function saidLines(recorded: readonly Recorded[], width: number): StyledLine[] {
  return recorded.flatMap(({ event }) =>
    event.type === 'text.said'
      ? hang(event.text, { head: [styledSpan('  says  ', 'accent')], width, tone: 'strong' })
      : [],
  )
}

function warningLines(recorded: readonly Recorded[], width: number): StyledLine[] {
  return recorded.flatMap(({ event }) =>
    event.type === 'warning.raised'
      ? hang(event.message, { head: [styledSpan('  warns  ', 'warn')], width, tone: 'warn' })
      : [],
  )
}

type Limit = { readonly width: number; readonly max: number }

function eventLines(
  recorded: readonly Recorded[],
  walk: Walk,
  { width, max }: Limit,
): StyledLine[] {
  const shown = recorded.slice(0, max).flatMap((one) => eventLine(one, walk, width))
  const more = recorded.length - max
  return more <= 0 ? shown : [...shown, styledLine(`  · … ${more} more, see \`log\``, 'dim')]
}

function eventLine({ runId, event }: Recorded, walk: Walk, width: number): StyledLine[] {
  const head = [styledSpan(`  · ${whose(walk, runId)}`, 'dim')]
  return hang(describeEvent(event), { head, width, tone: 'dim' })
}

/** `@lint ` in front of what happened in a branch, the definition's name for an invoked one. */
function whose(walk: Walk, runId: string): string {
  if (runId === mainOf(walk.family).runId) return ''
  const member = walk.family.members.find((one) => one.runId === runId)
  const branch = member?.state.branch?.name
  return branch === undefined ? `${member?.machine.name ?? runId}: ` : `@${branch} `
}

/** Every event of the walk, numbered, under the input that caused it. */
export function showLog(walk: Walk, frame: ViewFrame): StyledLine[] {
  const width = displayWidth(frame)
  return walk.moments.flatMap((moment, index) => {
    const title = index === 0 ? 'start' : actText(moment.act)
    const mark = isGranted(moment.reply) ? styledSpan('✔ ', 'good') : styledSpan('✖ ', 'bad')
    const head = [styledSpan(`${String(index).padStart(3)} `, 'dim'), mark]
    const events = eventLines(moment.recorded, walk, { width, max: logEventsMax })
    return [...hang(title, { head, width }), ...events]
  })
}

/** Events of one input that even `log` shows. */
const logEventsMax = 1_000
