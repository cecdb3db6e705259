/**
 * Notifications for what happened to a run, besides the approvals that the engine requests. Pure:
 * the runtime stores them together with the events.
 */
import type { Event } from '../core/engine/types.ts'
import type { RunHead } from '../runtime/ports.ts'
import type { OutboxSource } from '../runtime/runs/build-change.ts'
import type { NotificationKind } from './settings.ts'

/** Something that happened; nobody has to decide anything. */
export type News = { readonly kind: NotificationKind; readonly title: string; readonly at: number }

export const newsKind = 'tell-person'

/** Items for the outbox; `wanted` are the kinds that some channel is configured for. */
export function notificationsFor(wanted: ReadonlySet<NotificationKind>): OutboxSource {
  return ({ head, recorded }) => {
    const outbox = []
    for (const { runId, event } of recorded) {
      const news = newsIn(event, head, runId === head.id ? 'main' : 'child')
      if (news === null || !wanted.has(news.kind)) continue
      outbox.push({ kind: newsKind, data: JSON.stringify({ ...news, at: head.updatedAt }) })
    }
    return outbox
  }
}

type NewsText = Pick<News, 'kind' | 'title'>

function newsIn(
  event: Event,
  head: Omit<RunHead, 'hash'>,
  whose: 'main' | 'child',
): NewsText | null {
  switch (event.type) {
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled': {
      if (whose === 'child') return null
      const why = 'reason' in event && event.reason !== '' ? `: ${event.reason}` : ''
      return { kind: 'run', title: `${head.definition} is ${event.type.slice(4)}${why}` }
    }
    case 'warning.raised':
      return event.code.startsWith('BUDGET') ? { kind: 'budget', title: event.message } : null
    case 'vars.written':
      return event.source === 'observed' ? jobIn(event.vars) : null
    default:
      return null
  }
}

/** A job that has ended leaves what was seen of it among the values of its run. */
function jobIn(vars: Extract<Event, { type: 'vars.written' }>['vars']): NewsText | null {
  const { job_id: id, job_state: state, job_command: command, job_exit_code: code } = vars
  if (typeof id !== 'string' || typeof state !== 'string') return null
  const what = typeof command === 'string' ? ` (${command})` : ''
  const how = typeof code === 'number' ? `, exit code ${code}` : ''
  return { kind: 'job', title: `job ${id}${what} is ${state}${how}` }
}
