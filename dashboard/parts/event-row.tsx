/** One event in a line: time, tone and summary. */
import type { LogRecord } from '../data/run-log.ts'
import { type EventText, eventTextFor } from './event-text.ts'
import { clockText, exactText } from './format-values.ts'

/** What stands in the line; whoever shows it says what the line does. */
export function EventRow({ record }: { readonly record: LogRecord }) {
  const { tone, title, about } = wordsOnce(record)
  return (
    <>
      <time dateTime={new Date(record.at).toISOString()} title={exactText(record.at)}>
        {clockText(record.at)}
      </time>
      <span className={`pip ${tone}`} />
      <span className="words">
        <strong>{title}</strong>
        <span className="soft small cut">{about}</span>
      </span>
    </>
  )
}

const known = new WeakMap<LogRecord, EventText>()

/** The words of a record, found once. */
export function wordsOnce(record: LogRecord): EventText {
  const found = known.get(record) ?? eventTextFor(record)
  known.set(record, found)
  return found
}
