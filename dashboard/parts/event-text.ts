/**
 * The text of an event in a log: its group, a title, and one line of detail. Does not know how it
 * is drawn.
 */
import type { Approval } from '../../src/core/engine/approval-request.ts'
import { type DecisionPeer, peerText } from '../../src/core/engine/decision-peer.ts'
import type { EntryCause, Event, NamedRule, ObservedVerdict } from '../../src/core/engine/types.ts'
import { stepsOf } from '../../src/core/finding.ts'
import { asObject, type Json } from '../../src/core/json.ts'
import { ruleText } from '../../src/core/judge/rule-answer.ts'
import { callSubject } from '../../src/core/tools/call-subject.ts'
import type { StreamMessage } from '../../src/doors/api/contract.ts'
import { bytesText, moneyText } from './format-values.ts'

export type Record = StreamMessage<'runs.stream'>
export type EventGroup = 'calls' | 'stages' | 'approvals' | 'refusals' | 'costs' | 'other'
export type EventText = {
  readonly group: EventGroup
  readonly tone: '' | 'good' | 'warn' | 'bad' | 'accent'
  readonly title: string
  readonly about: string
  /** Why it was refused, and by which rule; absent: it was not, or that is all there is. */
  readonly why?: { readonly reason: string; readonly rule: string }
}

/** The event of a record. */
export function eventIn(record: Record): Event {
  // WHY the cast: the log holds events and nothing else; unknown types are told as they are.
  return record.data as unknown as Event
}

/** What a record says. */
export function eventTextFor(record: Record): EventText {
  const event = eventIn(record)
  return callWords(event) ?? moveWords(event) ?? askWords(event) ?? otherWords(event, record)
}

const known = new WeakMap<Record, EventText>()

/** The words of a record, found once. */
export function wordsOnce(record: Record): EventText {
  const found = known.get(record) ?? eventTextFor(record)
  known.set(record, found)
  return found
}

function callWords(event: Event): EventText | null {
  switch (event.type) {
    case 'call.allowed':
      return event.observed === undefined
        ? words('calls', '', shownNameOf(event.tool), eventInputText(event.input))
        : observedWords(event, event.observed)
    case 'call.denied':
      return {
        ...words(
          'refusals',
          'bad',
          `${shownNameOf(event.tool)} was denied`,
          eventInputText(event.input),
        ),
        why: { reason: event.reason, rule: shownRule(event) },
      }
    case 'call.waiting':
      return {
        ...words(
          'calls',
          '',
          `${shownNameOf(event.tool)} waits for an earlier call`,
          eventInputText(event.input),
        ),
        why: { reason: event.reason, rule: shownRule(event) },
      }
    case 'call.asked':
      return words(
        'calls',
        'warn',
        `${shownNameOf(event.tool)} needs an approval`,
        eventInputText(event.input),
      )
    case 'call.queued':
      return words(
        'calls',
        '',
        `${shownNameOf(event.tool)} is queued`,
        eventInputText(event.arguments),
      )
    case 'call.reported': {
      const cost = event.costMicroUsd > 0 ? ` · ${moneyText(event.costMicroUsd)}` : ''
      const exit = event.exitCode === null ? '' : ` · exit ${event.exitCode}`
      if (event.isUnreported) return words('calls', '', 'call never reported', unreportedText)
      const title = event.ok ? 'call succeeded' : 'call failed'
      const about = `${bytesText(event.bytes)}${exit}${cost}`
      return words('calls', event.ok ? '' : 'warn', title, about)
    }
    default:
      return null
  }
}

const unreportedText = 'it was declined, or its host did not report the end'

/** A call that was let through, and what an enforced run would have answered. */
function observedWords(
  { tool, input }: Extract<Event, { type: 'call.allowed' }>,
  observed: ObservedVerdict,
): EventText {
  const what = observed.verdict === 'ask' ? 'would need an approval' : 'would be denied'
  return {
    ...words('refusals', 'warn', `${shownNameOf(tool)} ${what}`, eventInputText(input)),
    why: { reason: observed.reason, rule: shownRule(observed) },
  }
}

/** The rule that decided. */
function shownRule(event: NamedRule): string {
  return ruleText(event) ?? 'built into Pawl'
}

/** What led into a stage. */
const entryTexts: { readonly [Cause in EntryCause]: string } = {
  start: 'at the start',
  signal: 'by a signal',
  grant: 'after an approval',
  fallback: 'as the fallback',
  detour: 'by a detour',
  return: 'back from a detour',
  join: 'after the branches',
  child: 'after another definition',
  force: 'by force',
}

function moveWords(event: Event): EventText | null {
  switch (event.type) {
    case 'stage.entered':
      return words('stages', 'accent', `entered ${event.stage}`, entryTexts[event.by])
    case 'stage.forced':
      return words('stages', 'warn', `forced to ${event.stage}`, `forced by ${event.by.name}`)
    case 'signal.taken':
      return words('stages', '', `signal ${event.name || 'submitted'}`, 'accepted')
    case 'signal.rejected': {
      const why = { reason: event.reason, rule: event.code }
      return { ...words('refusals', 'bad', `signal ${event.name} was rejected`, ''), why }
    }
    case 'signal.held': {
      const about = `missing: ${event.missing.join(', ')}`
      return words('refusals', 'warn', `signal ${event.name} is incomplete`, about)
    }
    case 'run.started':
      return words(
        'stages',
        'accent',
        event.branch ? `branch ${event.branch.name} started` : 'run started',
        event.observe === undefined ? '' : 'observing: nothing is enforced',
      )
    case 'run.completed':
      return words('stages', 'good', 'completed', '')
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      return words('stages', 'bad', event.type.slice(4), event.reason)
    case 'fork.opened': {
      const names = event.fork.branches.map((one) => one.name).join(', ')
      return words('stages', 'accent', 'fork', names)
    }
    case 'fork.closed':
      return words(
        'stages',
        event.joined ? 'accent' : 'warn',
        event.joined ? 'joined' : 'fork not joined',
        '',
      )
    case 'detour.begun':
      return words('stages', 'warn', `detour ${event.name}`, `${event.file} was changed`)
    case 'detour.ended':
      return words('stages', '', `detour ${event.name} ended`, event.returned ? 'returned' : 'left')
    default:
      return null
  }
}

/** A call is told as calls are told everywhere; a move by its question. */
function requestText({ message, pending }: Approval): string {
  return 'tool' in pending
    ? `${shownNameOf(pending.tool)} ${eventInputText(pending.input)}`
    : message
}

function askWords(event: Event): EventText | null {
  switch (event.type) {
    case 'approval.requested':
      return words('approvals', 'warn', 'approval requested', requestText(event.approval))
    case 'approval.endorsed':
      return words(
        'approvals',
        'good',
        `approved by ${event.by.name}${signedText(event)}, more needed`,
        decisionAbout(event),
      )
    case 'approval.granted':
      return words(
        'approvals',
        'good',
        `approved by ${event.by.name}${signedText(event)}`,
        decisionAbout(event),
      )
    case 'approval.refused':
      return words(
        'approvals',
        'bad',
        `refused by ${event.by.name}${signedText(event)}`,
        decisionAbout(event),
      )
    case 'approval.expired':
      return words('approvals', 'warn', 'approval expired', '')
    default:
      return null
  }
}

function otherWords(event: Event, record: Record): EventText {
  switch (event.type) {
    case 'money.spent': {
      const about = `${event.model ?? 'model'}, by ${event.source}`
      return words('costs', '', `cost ${moneyText(event.costMicroUsd)}`, about)
    }
    case 'limit.reached':
      return words('refusals', 'bad', 'limit reached', `${event.code} in ${event.stage}`)
    case 'warning.raised':
      return words('other', 'warn', 'warning', event.message)
    case 'session.began':
      return words('other', '', 'session began', event.session)
    case 'session.ended':
      return words('other', '', 'session ended', event.session)
    case 'text.said':
      return words('other', '', `${event.role} said`, event.text)
    case 'vars.written':
      return words(
        'other',
        '',
        `values ${event.source}`,
        valuesText({ ...event.vars, ...event.local }),
      )
    case 'inputs.collected':
      return words('other', '', 'inputs collected', valuesText(event.inputs))
    case 'child.requested':
      return words('other', 'accent', 'child run started', '')
    case 'child.ended':
      return words('other', '', `${childNameOf(event.child)} ended`, event.outcome)
    case 'run.paused':
      return words(
        'other',
        'warn',
        'paused',
        `by ${event.by.name}${event.reason === undefined ? '' : `: ${event.reason}`}`,
      )
    case 'run.resumed':
      return words('other', '', 'resumed', `by ${event.by.name}`)
    default: {
      const { type, ...rest } = record.data as { readonly type: string }
      return words('other', '', type.replaceAll(/[._]/g, ' '), valuesText(rest))
    }
  }
}

/** A child run is called after its branch or its definition: `run/branch.21`. */
function childNameOf(id: string): string {
  return (
    stepsOf(id)
      .at(-1)
      ?.replace(/\.\d+$/, '') ?? 'child run'
  )
}

function words(
  group: EventGroup,
  tone: EventText['tone'],
  ...[title, about]: [string, string]
): EventText {
  return { group, tone, title, about }
}

const inputCharsMax = 240

/** `mcp__mail__send` is easier to read as `mail · send`. */
export function shownNameOf(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  return server === undefined ? tool : `${server} · ${name}`
}

/** What a call is about, else the names and values of its input, on one line. */
export function eventInputText(input: Json | undefined): string {
  const object = asObject(input) ?? {}
  const about = callSubject(object)
  return about === null ? valuesText(object) : oneLine(about)
}

function valuesText(values: object): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}: ${valueLine(value)}`)
  return oneLine(pairs.join(', '))
}

function valueLine(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > inputCharsMax ? `${line.slice(0, inputCharsMax)}…` : line
}

function signedText({ proof }: { readonly proof?: object }): string {
  return proof === undefined ? '' : ' (signed)'
}

type Decided = { readonly note: string; readonly peer?: DecisionPeer }

function decisionAbout({ note, peer }: Decided): string {
  const sent = peer === undefined ? '' : peerText(peer)
  return note === '' || sent === '' ? `${note}${sent}` : `${note} (${sent})`
}
