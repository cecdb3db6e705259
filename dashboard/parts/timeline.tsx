/**
 * The log of a run as a trace: one row for each call, wait and event, under the visit of the stage
 * it belongs to; with filters, search and keys.
 */
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LogRecord, RunLogState } from '../data/run-log.ts'
import type { RunTraceRows, TraceRow, TraceVisit } from '../data/trace-rows.ts'
import { Empty } from './basics.tsx'
import { type EventGroup, wordsOnce } from './event-text.ts'
import { countOf, numberText } from './format-values.ts'
import { TraceLine, VisitLine } from './trace-line.tsx'
import { type ListHandle, VirtualList } from './virtual-list.tsx'

const groups: readonly EventGroup[] = [
  ...(['calls', 'stages', 'approvals', 'refusals', 'other', 'costs'] as const),
]
/** Costs are told as one sum for each stage. */
const hiddenAtFirst: readonly EventGroup[] = ['costs']
const rowHeight = 44

type Props = {
  readonly state: RunLogState
  readonly rows: RunTraceRows
  /** The event that is looked at; null: now. */
  readonly at: number | null
  readonly onChoose: (seq: number) => void
  readonly onEarlier: () => void
}

/** A line of the list: the head of a visit, or one of its rows. */
type Line =
  | { readonly visit: TraceVisit; readonly row: null }
  | { readonly visit: TraceVisit; readonly row: TraceRow }

/** The card. */
export function Timeline({ state, rows, at, onChoose, onEarlier }: Props) {
  const [text, setText] = useState('')
  const [hidden, setHidden] = useState<ReadonlySet<EventGroup>>(new Set(hiddenAtFirst))
  const [closed, setClosed] = useState<ReadonlySet<LogRecord | null>>(new Set())
  const tell = useMemo(() => openLines({ text, hidden, closed }), [text, hidden, closed])
  const lines = useMemo(() => tell(rows), [tell, rows])
  const list = useRef<ListHandle>(null)
  const firstSeq = state.records[0]?.seq ?? 1
  const index = at === null || at < firstSeq ? -1 : lines.findIndex((line) => seqOf(line) >= at)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new choice scrolls, as do rows above
  useEffect(() => {
    if (index >= 0) list.current?.show(index)
  }, [at, index >= 0, firstSeq])
  const onKey = (event: React.KeyboardEvent): void => {
    const by = stepOf(event)
    if (by === 0) return
    event.preventDefault()
    const next = lines[index < 0 ? lines.length - 1 : index + by]
    if (next !== undefined && seqOf(next) > 0) onChoose(seqOf(next))
  }
  const toggle = useCallback((record: LogRecord | null): void => {
    setClosed((was) => toggled(was, record))
  }, [])
  return (
    <section className="card timeline" aria-label="Timeline" onKeyDown={onKey}>
      <header>
        <h2 className="grow">
          Timeline <span className="soft small">{countOf(state.records.length, 'event')}</span>
        </h2>
        <input
          className="input"
          style={{ width: 180, minHeight: 30 }}
          type="search"
          placeholder="Search"
          aria-label="Search the log"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="chips" style={{ width: '100%' }}>
          <DenialsChip rows={rows} hidden={hidden} onHide={setHidden} />
          <GroupChips hidden={hidden} onHide={setHidden} />
          <EarlierChip state={state} onEarlier={onEarlier} />
        </div>
      </header>
      {lines.length === 0 ? (
        <Empty icon="search" title="No matching events">
          Show more kinds of events, or shorten the search.
        </Empty>
      ) : (
        <VirtualList
          label="Events"
          handle={list}
          count={lines.length}
          rowHeight={rowHeight}
          {...(at === null ? { follows: 'end' as const } : {})}
          row={(place) => (
            <LineOf
              line={lines[place] as Line}
              at={at}
              folder={state.reading?.head.workspace ?? null}
              closed={closed}
              onChoose={onChoose}
              onToggle={toggle}
            />
          )}
        />
      )}
    </section>
  )
}

/** Loads what came before the events at hand. */
function EarlierChip({ state, onEarlier }: Pick<Props, 'state' | 'onEarlier'>) {
  const count = (state.records[0]?.seq ?? 1) - 1
  if (count === 0) return null
  return (
    <button type="button" className="chip" disabled={state.isFilling} onClick={onEarlier}>
      {state.isFilling ? 'Loading earlier events…' : `Load ${countOf(count, 'earlier event')}`}
    </button>
  )
}

/** How many lines a key goes on; zero: it is another key. */
function stepOf({ key, target }: React.KeyboardEvent): number {
  if ((target as HTMLElement).tagName === 'INPUT') return 0
  return { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key] ?? 0
}

function toggled<T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> {
  return new Set(set.has(one) ? [...set].filter((other) => other !== one) : [...set, one])
}

function seqOf({ row, visit }: Line): number {
  return row === null ? (visit.record?.seq ?? 0) : row.record.seq
}

type ChipsProps = {
  readonly hidden: ReadonlySet<EventGroup>
  readonly onHide: (hidden: ReadonlySet<EventGroup>) => void
}

const allButDenials = groups.filter((group) => group !== 'refusals')

/** Shows what was denied and nothing else, and all of it again; nothing if nothing was. */
function DenialsChip({ rows, hidden, onHide }: ChipsProps & { readonly rows: RunTraceRows }) {
  const count = rows.visits.reduce((sum, visit) => sum + visit.denied, 0)
  if (count === 0) return null
  const isOn = allButDenials.every((group) => hidden.has(group)) && !hidden.has('refusals')
  return (
    <button
      type="button"
      className="chip"
      aria-pressed={isOn}
      onClick={() => onHide(new Set(isOn ? hiddenAtFirst : allButDenials))}
    >
      only denials ({numberText(count)})
    </button>
  )
}

/** The name of a group on its chip. */
const groupNames: Readonly<Record<EventGroup, string>> = {
  calls: 'calls',
  stages: 'stages',
  approvals: 'approvals',
  refusals: 'denials',
  other: 'other',
  costs: 'costs',
}

/** Which kinds of events are shown. */
function GroupChips({ hidden, onHide }: ChipsProps) {
  return groups.map((group) => (
    <button
      key={group}
      type="button"
      className="chip"
      aria-pressed={!hidden.has(group)}
      onClick={() => onHide(toggled(hidden, group))}
    >
      {groupNames[group]}
    </button>
  ))
}

type LineProps = {
  readonly line: Line
  readonly at: number | null
  readonly folder: string | null
  readonly closed: ReadonlySet<LogRecord | null>
  readonly onChoose: (seq: number) => void
  readonly onToggle: (record: LogRecord | null) => void
}

function LineOf({ line, at, folder, closed, onChoose, onToggle }: LineProps) {
  const { visit, row } = line
  const seq = seqOf(line)
  const isChosen = at !== null && (at === seq || at === row?.end?.seq)
  const mark = isChosen ? 'chosen' : at !== null && seq > at ? 'later' : ''
  const className = `${mark} ${visit.branch === null ? '' : 'in-branch'}`
  if (row !== null) {
    return <RowButton {...{ row, end: row.end, className, folder, onChoose }} />
  }
  const isClosed = closed.has(visit.record)
  return (
    <div className={`event visit ${className}`}>
      <button
        type="button"
        className="button plain"
        aria-expanded={!isClosed}
        aria-label={`Rows of ${visit.stage}`}
        onClick={() => onToggle(visit.record)}
      >
        {isClosed ? '▸' : '▾'}
      </button>
      <button type="button" className="visit-head" onClick={() => onChoose(seq)}>
        <VisitLine visit={visit} />
      </button>
    </div>
  )
}

type RowProps = Pick<LineProps, 'folder' | 'onChoose'> & {
  readonly row: TraceRow
  /** WHY beside the row: the row stays the same object when it ends, and has to be drawn anew. */
  readonly end: LogRecord | null
  readonly className: string
}

const RowButton = memo(({ row, className, folder, onChoose }: RowProps) => (
  <button
    type="button"
    className={`event trace-row ${className}`}
    onClick={() => onChoose(row.record.seq)}
  >
    <TraceLine row={row} folder={folder} />
  </button>
))

type Filter = {
  readonly text: string
  readonly hidden: ReadonlySet<EventGroup>
  readonly closed: ReadonlySet<LogRecord | null>
}

/**
 * Tells the lines that a filter leaves. What was told of a visit is told again as long as no row
 * has come to it, so that a long log costs no more than its latest visits while it grows.
 */
function openLines(filter: Filter): (rows: RunTraceRows) => readonly Line[] {
  const told = new WeakMap<TraceVisit, { readonly count: number; readonly lines: Lines }>()
  const wanted = filter.text.trim().toLowerCase()
  return ({ visits }) =>
    visits.flatMap((visit) => {
      const known = told.get(visit)
      // A search looks into the ends of rows too, and these come later.
      if (wanted === '' && known?.count === visit.rows.length) return known.lines
      const lines = linesIn(visit, filter, wanted)
      told.set(visit, { count: visit.rows.length, lines })
      return lines
    })
}

type Lines = readonly Line[]

function linesIn(visit: TraceVisit, filter: Filter, wanted: string): Lines {
  const isWanted = (row: TraceRow): boolean => {
    const words = wordsOnce(row.record)
    if (filter.hidden.has(words.group)) return false
    return wanted === '' || [row.record, row.end].some((one) => one !== null && says(one, wanted))
  }
  const { record, rows } = visit
  const isClosed = filter.closed.has(record) && wanted === ''
  const shown = isClosed ? [] : rows.filter(isWanted).map((row) => ({ visit, row }))
  const isNamed = record !== null && wanted !== '' && says(record, wanted)
  const hasHead = record !== null && !filter.hidden.has('stages') && (wanted === '' || isNamed)
  return hasHead || (record !== null && shown.length > 0) ? [{ visit, row: null }, ...shown] : shown
}

function says(record: LogRecord, wanted: string): boolean {
  const { title, about, why } = wordsOnce(record)
  const short = [title, about, why?.reason, record.actor].join(' ').toLowerCase()
  return short.includes(wanted) || JSON.stringify(record.data).toLowerCase().includes(wanted)
}
