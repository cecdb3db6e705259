/** One event in a line: time, tone and summary. */
import type { LogRecord } from '../data/run-log.ts'
import { type EventText, eventTextFor } from './event-text.ts'
import { clockText, exactText, moneyText } from './format-values.ts'

type Props = {
  readonly record: LogRecord
  /** What the stage cost that begins here, in millionths of a dollar. */
  readonly cost?: number
}

/** What stands in the line; whoever shows it says what the line does. */
export function EventRow({ record, cost = 0 }: Props) {
  const { tone, title, about, why } = wordsOnce(record)
  return (
    <>
      <time dateTime={new Date(record.at).toISOString()} title={exactText(record.at)}>
        {clockText(record.at)}
      </time>
      <span className={`pip ${tone}`} />
      <span className="words-lines">
        <span className="words">
          <strong>{title}</strong>
          <span className="soft small cut" title={about}>
            {about}
            {cost === 0 ? '' : ` · models cost ${moneyText(cost)}`}
          </span>
        </span>
        {why === undefined ? null : (
          <span className="words tiny" title={`${why.reason} · ${why.rule}`}>
            <span className="bad cut">{why.reason}</span>
            <span className="mono soft cut rule">{why.rule}</span>
          </span>
        )}
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
