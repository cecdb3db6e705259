/**
 * What people are owed for what happened to a run, beside the questions that the engine puts.
 * Pure: the runtime keeps it together with what happened.
 */
import type { Owes } from '../runtime/change.ts'
import type { Kind } from './settings.ts'

/** Something that happened; nobody has to decide anything. */
export type News = { readonly kind: Kind; readonly title: string; readonly at: number }

export const newsKind = 'tell-person'

const ends: ReadonlySet<string> = new Set([
  'run.completed',
  'run.blocked',
  'run.failed',
  'run.cancelled',
])

/** What is owed; `wanted` are the kinds that anybody is told of. */
export function owesFor(wanted: ReadonlySet<Kind>): Owes {
  return ({ head, recorded }) => {
    const news: News[] = []
    for (const { runId, event } of recorded) {
      if (ends.has(event.type) && runId === head.id) {
        const why = 'reason' in event && event.reason !== '' ? `: ${event.reason}` : ''
        const title = `${head.definition} is ${head.status}${why}`
        news.push({ kind: 'run', title, at: head.updatedAt })
      }
      if (event.type === 'warning.raised' && event.code.startsWith('BUDGET')) {
        news.push({ kind: 'budget', title: event.message, at: head.updatedAt })
      }
    }
    return news
      .filter(({ kind }) => wanted.has(kind))
      .map((one) => ({ kind: newsKind, data: JSON.stringify(one) }))
  }
}
