/** The log of a run: every event, with filters and search. */
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { LogRecord, RunLogState } from '../data/run-log.ts'
import { stageCosts } from '../data/stage-costs.ts'
import { Empty } from './basics.tsx'
import { EventRow, wordsOnce } from './event-row.tsx'
import type { EventGroup } from './event-text.ts'
import { type ListHandle, VirtualList } from './virtual-list.tsx'

const groups: readonly EventGroup[] = [
  ...(['calls', 'stages', 'approvals', 'refusals', 'other', 'costs'] as const),
]
/** Costs are told as one sum for each stage. */
const hiddenAtFirst: readonly EventGroup[] = ['costs']
const rowHeight = 44

type Props = {
  readonly state: RunLogState
  /** The event that is looked at; null: now. */
  readonly at: number | null
  readonly onChoose: (seq: number) => void
  readonly onEarlier: () => void
}

/** The card. */
export function Timeline({ state, at, onChoose, onEarlier }: Props) {
  const [text, setText] = useState('')
  const [hidden, setHidden] = useState<ReadonlySet<EventGroup>>(new Set(hiddenAtFirst))
  const { records } = state
  const shown = useMemo(() => filterRecords(records, text, hidden), [records, text, hidden])
  const costs = useMemo(() => stageCosts(records), [records])
  const list = useRef<ListHandle>(null)
  const index = at === null ? -1 : shown.findIndex((one) => one.seq >= at)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice scrolls
  useEffect(() => {
    if (index >= 0) list.current?.show(index)
  }, [at])
  const first = records[0]?.seq ?? 1
  return (
    <section className="card timeline" aria-label="Timeline">
      <header>
        <h2 className="grow">
          Timeline <span className="soft small">{shown.length} events</span>
        </h2>
        <input
          className="input"
          style={{ width: 180, minHeight: 30 }}
          type="search"
          placeholder="search"
          aria-label="Search the log"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="chips" style={{ width: '100%' }}>
          <GroupChips hidden={hidden} onHide={setHidden} />
          {first > 1 ? (
            <button type="button" className="chip" disabled={state.isFilling} onClick={onEarlier}>
              {state.isFilling ? 'loading earlier events' : `${first - 1} earlier events`}
            </button>
          ) : null}
        </div>
      </header>
      {shown.length === 0 ? (
        <Empty icon="search" title="No matching events">
          Show more kinds of events, or shorten the search.
        </Empty>
      ) : (
        <VirtualList
          label="Events"
          handle={list}
          count={shown.length}
          rowHeight={rowHeight}
          {...(at === null ? { follows: 'end' as const } : {})}
          row={(place) => (
            <EventButton
              record={shown[place] as LogRecord}
              cost={costs.get((shown[place] as LogRecord).seq) ?? 0}
              at={at}
              onChoose={onChoose}
            />
          )}
        />
      )}
    </section>
  )
}

type ChipsProps = {
  readonly hidden: ReadonlySet<EventGroup>
  readonly onHide: (hidden: ReadonlySet<EventGroup>) => void
}

/** Which kinds of events are shown. */
function GroupChips({ hidden, onHide }: ChipsProps) {
  const toggle = (group: EventGroup): void => {
    const rest = [...hidden].filter((one) => one !== group)
    onHide(new Set(hidden.has(group) ? rest : [...rest, group]))
  }
  return groups.map((group) => (
    <button
      key={group}
      type="button"
      className="chip"
      aria-pressed={!hidden.has(group)}
      onClick={() => toggle(group)}
    >
      {group}
    </button>
  ))
}

type RowProps = {
  readonly record: LogRecord
  readonly cost: number
  readonly at: number | null
  readonly onChoose: (seq: number) => void
}

const EventButton = memo(({ record, cost, at, onChoose }: RowProps) => {
  const mark = at === record.seq ? 'chosen' : at !== null && record.seq > at ? 'later' : ''
  return (
    <button type="button" className={`event ${mark}`} onClick={() => onChoose(record.seq)}>
      <EventRow record={record} cost={cost} />
    </button>
  )
})

function filterRecords(
  records: readonly LogRecord[],
  text: string,
  hidden: ReadonlySet<EventGroup>,
): readonly LogRecord[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' && hidden.size === 0) return records
  return records.filter((record) => {
    const words = wordsOnce(record)
    if (hidden.has(words.group)) return false
    if (wanted === '') return true
    const { title, about, why } = words
    const short = [title, about, why?.reason, record.actor].join(' ').toLowerCase()
    return short.includes(wanted) || JSON.stringify(record.data).toLowerCase().includes(wanted)
  })
}
