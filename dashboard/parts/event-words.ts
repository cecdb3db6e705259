/**
 * An event of a log in words: what kind of thing it is, a title, and one line about it.
 * Knows events. Must not know how they are drawn.
 */
import type { Event } from '../../src/core/engine/types.ts'
import type { StreamMessage } from '../../src/doors/api/contract.ts'
import { moneyText } from './times.ts'

export type Record = StreamMessage<'runs.stream'>
export type EventGroup = 'calls' | 'moves' | 'approvals' | 'refusals' | 'other'
export type EventText = {
  readonly group: EventGroup
  readonly tone: '' | 'good' | 'warn' | 'bad' | 'accent'
  readonly title: string
  readonly about: string
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

function callWords(event: Event): EventText | null {
  switch (event.type) {
    case 'call.allowed':
      return words('calls', '', `${event.tool}`, eventInputText(event.input))
    case 'call.denied':
      return words('refusals', 'bad', `${event.tool} was denied`, `${event.code}: ${event.reason}`)
    case 'call.asked':
      return words('calls', 'warn', `${event.tool} is asked about`, eventInputText(event.input))
    case 'call.queued':
      return words('calls', '', `${event.tool} is to be called`, eventInputText(event.arguments))
    case 'call.reported': {
      const cost = event.costMicroUsd > 0 ? ` · ${moneyText(event.costMicroUsd)}` : ''
      const exit = event.exitCode === null ? '' : ` · exit ${event.exitCode}`
      const title = event.ok ? 'call done' : 'call failed'
      const about = `${event.bytes} bytes${exit}${cost}`
      return words('calls', event.ok ? '' : 'warn', title, about)
    }
    default:
      return null
  }
}

function moveWords(event: Event): EventText | null {
  switch (event.type) {
    case 'stage.entered':
      return words('moves', 'accent', `entered ${event.stage}`, `by ${event.by}`)
    case 'stage.forced':
      return words('moves', 'warn', `forced into ${event.stage}`, `by ${event.by.name}`)
    case 'signal.taken':
      return words('moves', '', `signal ${event.name || 'submitted'}`, 'taken')
    case 'signal.rejected': {
      const about = `${event.code}: ${event.reason}`
      return words('refusals', 'bad', `signal ${event.name} was refused`, about)
    }
    case 'signal.held': {
      const about = `missing: ${event.missing.join(', ')}`
      return words('refusals', 'warn', `signal ${event.name} is held`, about)
    }
    case 'run.started':
      return words(
        'moves',
        'accent',
        event.branch ? `branch ${event.branch.name}` : 'run started',
        '',
      )
    case 'run.completed':
      return words('moves', 'good', 'completed', '')
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      return words('moves', 'bad', event.type.slice(4), event.reason)
    case 'fork.opened': {
      const names = event.fork.branches.map((one) => one.name).join(', ')
      return words('moves', 'accent', 'fork', names)
    }
    case 'fork.closed':
      return words(
        'moves',
        event.joined ? 'accent' : 'warn',
        event.joined ? 'joined' : 'fork left',
        '',
      )
    case 'detour.begun':
      return words('moves', 'warn', `detour ${event.name}`, `${event.file} was changed`)
    case 'detour.ended':
      return words(
        'moves',
        '',
        `detour ${event.name} is over`,
        event.returned ? 'returned' : 'left',
      )
    default:
      return null
  }
}

function askWords(event: Event): EventText | null {
  switch (event.type) {
    case 'approval.requested':
      return words('approvals', 'warn', 'a person is asked', event.approval.message)
    case 'approval.endorsed':
      return words('approvals', 'good', `${event.by.name} agrees`, event.note)
    case 'approval.granted':
      return words('approvals', 'good', `granted by ${event.by.name}`, event.note)
    case 'approval.refused':
      return words('approvals', 'bad', `refused by ${event.by.name}`, event.note)
    case 'approval.expired':
      return words('approvals', 'warn', 'nobody decided in time', '')
    default:
      return null
  }
}

function otherWords(event: Event, record: Record): EventText {
  switch (event.type) {
    case 'limit.reached':
      return words('refusals', 'bad', 'a limit is reached', `${event.code} in ${event.stage}`)
    case 'warning.raised':
      return words('other', 'warn', 'warning', event.message)
    case 'text.said':
      return words('other', '', `said as ${event.role}`, event.text)
    case 'vars.written':
      return words(
        'other',
        '',
        `values ${event.source}`,
        eventInputText({ ...event.vars, ...event.local }),
      )
    case 'inputs.collected':
      return words('other', '', 'fields collected', eventInputText(event.inputs))
    case 'child.requested':
      return words('other', 'accent', 'a child run is started', '')
    case 'child.ended':
      return words('other', '', 'a child run has ended', event.outcome)
    case 'run.paused':
      return words('other', 'warn', 'paused', `by ${event.by.name}`)
    case 'run.resumed':
      return words('other', '', 'resumed', `by ${event.by.name}`)
    default:
      return words('other', '', record.type, eventInputText(record.data))
  }
}

function words(
  group: EventGroup,
  tone: EventText['tone'],
  ...[title, about]: [string, string]
): EventText {
  return { group, tone, title, about }
}

const inputCharsMax = 240

/** The most telling text of an input, else all of it, on one line. */
export function eventInputText(input: unknown): string {
  const object =
    typeof input === 'object' && input !== null ? (input as { [k: string]: unknown }) : {}
  for (const name of ['command', 'file_path', 'path', 'url', 'pattern', 'subject']) {
    const value = object[name]
    if (typeof value === 'string') return oneLine(value)
  }
  return oneLine(JSON.stringify(input) ?? '')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > inputCharsMax ? `${line.slice(0, inputCharsMax)}…` : line
}
