/** Describes an event on one line. Must not know where the line is shown. */

import { assertNever } from '../../../core/assert.ts'
import { peerText } from '../../../core/engine/decision-peer.ts'
import type { Event } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import { usdText } from '../../../core/money.ts'
import { valueText } from './view-lines.ts'

/** What happened, in a few words behind the type of the event. */
export function describeEvent(event: Event): string {
  const detail = detailOf(event)
  return detail === '' ? event.type : `${event.type}  ${detail}`
}

function detailOf(event: Event): string {
  switch (event.type) {
    case 'run.started':
      return `in ${event.stage}${event.branch === null ? '' : ` as branch ${event.branch.name}`}${
        event.observe === undefined ? '' : ', observing: nothing is enforced'
      }`
    case 'run.paused':
      return `by ${event.by.name}${event.release ? ', rules lifted' : ''}${
        event.reason === undefined ? '' : `: ${event.reason}`
      }`
    case 'run.resumed':
      return `by ${event.by.name}`
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      return event.reason
    case 'stage.entered':
      return `${event.stage} (${event.by})`
    case 'stage.forced':
      return `${event.stage} by ${event.by.name}`
    case 'signal.taken':
      return event.route === null ? event.name : `${event.name} by ${event.route}`
    case 'signal.rejected':
      return `${event.name} ${event.code}`
    case 'signal.held':
      return heldText(event)
    case 'inputs.collected':
      return pairs(event.inputs)
    case 'vars.written':
      return `${pairs({ ...event.local, ...event.vars })} (${event.source})`
    case 'text.said':
      return valueText(event.text)
    case 'session.began':
    case 'session.ended':
      return event.session
    case 'warning.raised':
      return `${event.code} ${event.message}`
    case 'run.completed':
    case 'inputs.cleared':
      return ''
    default:
      return laterDetail(event)
  }
}

type Later = Extract<
  Event,
  { type: `${'call' | 'approval' | 'detour' | 'fork' | 'child' | 'limit' | 'money'}.${string}` }
>

function laterDetail(event: Later): string {
  switch (event.type) {
    case 'call.queued':
      return `${event.tool} ${valueText(event.arguments)}`
    case 'call.allowed':
    case 'call.asked':
      return `${event.tool} ${valueText(event.input)}${observedText(event)}`
    case 'call.waiting':
      return `${event.tool} ${valueText(event.input)} for ${waitText(event.waitsFor)}`
    case 'call.denied':
      return `${event.tool} ${valueText(event.input)} ${event.code}`
    case 'call.reported':
      if (event.isUnreported) return 'never reported: declined, or its host said nothing'
      return `${event.ok ? 'ok' : 'failed'}, ${event.bytes} bytes${reportedText(event)}`
    case 'money.spent':
      return `${usdText(event.costMicroUsd)} ${event.model ?? ''} (${event.source})`
    case 'limit.reached':
      return `${event.code} in ${event.stage}`
    case 'approval.requested':
      return event.approval.message
    case 'approval.endorsed':
    case 'approval.granted':
    case 'approval.refused':
      return decisionText(event)
    case 'approval.expired':
      return event.approvalId
    case 'detour.begun':
      return `${event.name}: ${event.file} leads from ${event.from} to ${event.to}`
    case 'detour.ended':
      return `${event.name}${event.returned ? ', returned' : ''}`
    case 'fork.opened':
      return `${event.fork.branches.map((one) => one.name).join(', ')} (${event.fork.join})`
    case 'fork.closed':
      return event.joined ? 'joined' : 'not joined'
    case 'child.requested':
      return event.child.machine
    case 'child.ended':
      return `${event.child} ${event.outcome}`
    default:
      return assertNever(event)
  }
}

type Decided = Extract<
  Event,
  { type: 'approval.endorsed' | 'approval.granted' | 'approval.refused' }
>

function decisionText({ by, proof, peer, note }: Decided): string {
  const signed = proof === undefined ? '' : ' (signed)'
  const sent = peer === undefined ? '' : `, ${peerText(peer)}`
  return `by ${by.name}${signed}${sent}${note === '' ? '' : `: ${note}`}`
}

function observedText(event: Event): string {
  if (event.type !== 'call.allowed' || event.observed === undefined) return ''
  const { verdict, code } = event.observed
  return verdict === 'ask' ? ', would need approval' : `, would be denied ${code}`
}

function heldText(event: Extract<Event, { type: 'signal.held' }>): string {
  const parts: string[] = []
  if (event.missing.length > 0) parts.push(`missing ${event.missing.join(', ')}`)
  if (event.invalid.length > 0) {
    parts.push(`invalid ${event.invalid.map((one) => one.field).join(', ')}`)
  }
  return parts.join('; ')
}

type Reported = Extract<Event, { type: 'call.reported' }>

function reportedText({ edited, costMicroUsd }: Reported): string {
  const cost = costMicroUsd === 0 ? '' : `, ${usdText(costMicroUsd)}`
  return edited.length === 0 ? cost : `${cost}, changed ${edited.join(', ')}`
}

function pairs(values: JsonObject): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(' ')
}

/** What a call waits for; nothing is named where that has not begun yet. */
function waitText(waitsFor: readonly string[]): string {
  return waitsFor.length === 0 ? 'another call' : waitsFor.join(', ')
}
