/** The content of a notification, before a channel formats it. Must not know transports. */
import { visible } from '../core/policy/format-call-input.ts'
import type { ApprovalQuestion, QuestionPart } from '../runtime/people/approval-question.ts'
import type { RunHead } from '../runtime/ports.ts'
import type { News } from './notifications-for.ts'
import type { NotificationKind } from './settings.ts'

export type Notification = {
  /** The same for every try to deliver it: whoever has seen it has seen this message. */
  readonly id: string
  readonly kind: NotificationKind | 'test'
  readonly at: number
  /** One line. */
  readonly title: string
  /** What a person reads; lines may be long. */
  readonly text: string
  /** Where to decide, once; null: nothing is to be decided, or not from there. */
  readonly link: string | null
  /** The facts, for programs. */
  readonly facts: { readonly [name: string]: unknown }
}

/** Which of the times that the same question is told. */
export type Round = 'first' | `reminder-${number}` | 'escalation'

/** Letters of one part that a message shows; the page shows all of them. */
const partCharsMax = 4_000
/** Letters of all parts together. */
const partsCharsMax = 12_000
const titleCharsMax = 150

type ApprovalMessageInput = {
  readonly id: string
  readonly at: number
  readonly kind: NotificationKind
  readonly question: ApprovalQuestion
  readonly round: Round
  readonly link: string | null
  readonly shows: 'all' | 'question'
}

/** The message about a question. */
export function askingMessage(asking: ApprovalMessageInput): Notification {
  const { id, at, kind, question, round, link, shows } = asking
  const { row, head } = question
  const { id: approvalId, runId, kind: about, message, hash, requestedAt, expiresAt } = row
  const approval = { id: approvalId, runId, kind: about, message, hash, requestedAt, expiresAt }
  const parts = shows === 'all' ? question.parts : []
  const lead = round === 'first' ? '' : round === 'escalation' ? 'Escalated: ' : 'Reminder: '
  const named = question.title === null ? '' : `${visible(question.title)}: `
  const where = head.workspace === null ? '' : ` in ${visible(head.workspace)}`
  const lines = [
    visibleLines(message),
    '',
    ...partLines(parts),
    `${visible(head.definition)}, stage ${visible(question.stage)}${where} (run ${runId})`,
    ...(row.note === '' ? [] : [visibleLines(row.note)]),
    ...(expiresAt === null ? [] : [`Without a decision it counts as refused ${when(expiresAt)}.`]),
    ...(link === null ? [] : ['', `Decide here (works once): ${link}`]),
    `Or in a terminal: pawl approve ${approvalId}`,
  ]
  const shown = shows === 'all' ? { parts, stage: question.stage, definition: head.definition } : {}
  return {
    id,
    kind,
    at,
    title: cut(`${lead}${named}${visible(message)}`, titleCharsMax),
    text: lines.join('\n'),
    link,
    facts: { type: 'approval.requested', round, approval, ...shown },
  }
}

type Telling = { readonly id: string; readonly news: News; readonly head: RunHead | null }

/** The message about something that happened. */
export function newsMessage({ id, news, head }: Telling): Notification {
  const { kind, at } = news
  const title = cut(visible(news.title), titleCharsMax)
  const where = head?.workspace == null ? '' : ` in ${visible(head.workspace)}`
  const run = head === null ? '' : `${visible(head.definition)}${where} (run ${head.id})`
  const text = [visibleLines(news.title), '', run].join('\n').trimEnd()
  const { id: runId = null, status = null, definition = null, costMicroUsd = null } = head ?? {}
  const facts = { type: `${kind}.news`, run: { id: runId, definition, status, costMicroUsd } }
  return { id, kind, at, title, text, link: null, facts }
}

function when(at: number): string {
  return `on ${new Date(at).toISOString().replace('T', ' ').slice(0, 16)} UTC`
}

function partLines(parts: readonly QuestionPart[]): readonly string[] {
  let left = partsCharsMax
  const lines: string[] = []
  for (const { label, look, text, source } of parts) {
    const shown = cut(visibleLines(text), Math.max(0, Math.min(partCharsMax, left)))
    left -= shown.length
    const name = source === null ? visible(label) : `${visible(label)} (${source})`
    if (look === 'line') lines.push(`${name}: ${shown}`)
    else lines.push(`${name}:`, ...shown.split('\n').map((line) => `${marks[look]}${line}`))
    if (left <= 0) {
      lines.push('… the approval page shows more')
      break
    }
  }
  return lines.length === 0 ? [] : [...lines, '']
}

const marks = { text: '  ', removed: '- ', added: '+ ' } as const

/** Every mark that cannot be seen is spelt out, but for the ends of lines. */
function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(visible).join('  '))
    .join('\n')
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax)}… (${text.length - charsMax} more characters)`
}
