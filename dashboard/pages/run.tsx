/** One run: its graph with the stages it passed, its log, and its state at any event. */
import { useEffect, useMemo, useState } from 'react'
import { live } from '../data/live-state.ts'
import type { PageRoute } from '../data/route.ts'
import { linkTo } from '../data/route.ts'
import { type LogReading, openRunLog, type RunLog, type RunLogState } from '../data/run-log.ts'
import { openTracer } from '../data/run-trace.ts'
import { openTraceRows } from '../data/trace-rows.ts'
import { useRunAtEvent } from '../data/use-run-at-event.ts'
import { useValueStore } from '../data/value-store.ts'
import { PageHead, ProblemBox, Skeleton, StatusBadge, Time } from '../parts/basics.tsx'
import {
  ChangedFiles,
  ChangesLink,
  type ChangesQuery,
  useChanges,
} from '../parts/changed-files.tsx'
import { DenialSummary } from '../parts/denial-summary.tsx'
import { EventDetail } from '../parts/event-detail.tsx'
import { folderName } from '../parts/folder-name.ts'
import { countOf, moneyText, numberText } from '../parts/format-values.ts'
import { JobsPanel } from '../parts/jobs.tsx'
import { MessageText } from '../parts/message-text.tsx'
import { RunActions } from '../parts/run-actions.tsx'
import { RunGraph } from '../parts/run-graph.tsx'
import { RunStatePanel } from '../parts/run-state.tsx'
import { Timeline } from '../parts/timeline.tsx'

/** The page. */
export function RunPage({ route }: { readonly route: PageRoute }) {
  const [log, setLog] = useState<RunLog | null>(null)
  const linked = eventIn(route.rest)
  useEffect(() => {
    const opened = openRunLog(route.id, linked)
    setLog(opened)
    return opened.close
  }, [route.id, linked])
  if (log === null) return <Skeleton lines={8} />
  return <OpenRun log={log} runId={route.id} first={linked} />
}

/** The event that a link leads to. */
function eventIn([word, seq]: readonly string[]): number | null {
  return word === 'at' && Number(seq) > 0 ? Number(seq) : null
}

type OpenProps = {
  readonly log: RunLog
  readonly runId: string
  readonly first: number | null
}

function OpenRun({ log, ...props }: OpenProps) {
  const state = useValueStore(log.store)
  const { reading, problem } = state
  if (problem !== null) return <ProblemBox problem={problem} />
  if (reading === null) return <Skeleton lines={10} />
  return <ShownRun {...{ ...props, log, state, reading }} />
}

type ShownProps = OpenProps & { readonly state: RunLogState; readonly reading: LogReading }

function ShownRun({ log, runId, first, state, reading }: ShownProps) {
  /** Null: the run as it is now. */
  const [at, setAt] = useState(first)
  const { records } = state
  const last = records.at(-1)?.seq ?? 0
  const seq = Math.min(at ?? last, last)
  const [tracer] = useState(() => openTracer())
  const trace = useMemo(() => tracer(records, seq), [tracer, records, seq])
  const [traceRows] = useState(() => openTraceRows())
  const rows = useMemo(() => traceRows(records), [traceRows, records])
  const past = useRunAtEvent(runId, at, records)
  // WHY not at each call: a look compares the whole workspace.
  const changes = useChanges(runId, `${reading.head.stage} ${reading.head.status}`)
  const record = at === null ? null : (records.find((one) => one.seq === at) ?? null)
  return (
    <>
      <Head reading={reading} runId={runId} changes={changes} />
      <div className="run">
        <div className="run-left">
          <RunGraph
            trace={trace}
            main={reading.head.machine}
            runId={runId}
            stage={at === null ? reading.view.stage : null}
          >
            <Scrubber
              first={records[0]?.seq ?? 1}
              last={last}
              at={seq}
              isNow={at === null}
              onMove={setAt}
            />
          </RunGraph>
          {record === null ? null : (
            <EventDetail
              record={record}
              row={rows.rowOf(record.seq)}
              definition={reading.head.definition}
              onClose={() => setAt(null)}
            />
          )}
          {reading.view.observes ? <DenialSummary records={records} /> : null}
          <JobsPanel runId={runId} seq={reading.head.seq} isOpen={reading.head.endedAt === null} />
          <RunStatePanel reading={reading} past={at === null ? null : past} isPast={at !== null} />
          {reading.head.workspace === null ? null : (
            <ChangedFiles runId={runId} changes={changes} />
          )}
        </div>
        <Timeline state={state} rows={rows} at={at} onChoose={setAt} onEarlier={log.earlier} />
      </div>
    </>
  )
}

type HeadProps = {
  readonly reading: LogReading
  readonly runId: string
  readonly changes: ChangesQuery
}

function Head({ reading, runId, changes }: HeadProps) {
  const { approvals } = useValueStore(live)
  const { head } = reading
  const waiting = approvals?.find((one) => one.runId === runId)
  return (
    <PageHead
      title={
        <span className="row flow">
          <MessageText text={head.title ?? head.definition} /> <StatusBadge status={head.status} />
          {reading.view.observes ? (
            <span className="badge warn" title="Calls are judged and recorded, not enforced">
              observing
            </span>
          ) : null}
        </span>
      }
      about={
        <span className="small">
          {head.title === null ? '' : `${head.definition} · `}
          {head.host === null ? '' : `${head.host} · `}started <Time at={head.startedAt} /> ·{' '}
          {countOf(head.callsCount, 'call')} · {moneyText(head.costMicroUsd)} ·{' '}
          <span className="mono">{head.id}</span>
          {head.workspace === null ? null : (
            <span title={head.workspace}> · {folderName(head.workspace)}</span>
          )}
          <ChangesLink changes={changes} />
        </span>
      }
    >
      {waiting === undefined ? null : (
        <a className="button main-act" href={linkTo('approvals', waiting.id)}>
          Review approval
        </a>
      )}
      <RunActions head={head} />
    </PageHead>
  )
}

type ScrubberProps = {
  readonly first: number
  readonly last: number
  readonly at: number
  readonly isNow: boolean
  readonly onMove: (seq: number | null) => void
}

/** Back and forth in time. */
function Scrubber({ first, last, at, isNow, onMove }: ScrubberProps) {
  const move = (seq: number): void => onMove(seq >= last ? null : Math.max(1, seq))
  return (
    <div className="scrub">
      <button
        type="button"
        className="button plain"
        onClick={() => move(at - 1)}
        disabled={at <= 1}
        aria-label="Previous event"
      >
        ‹
      </button>
      <input
        type="range"
        aria-label="Show the run at event"
        aria-valuetext={isNow ? 'now' : `event ${at} of ${last}`}
        min={Math.min(first, last)}
        max={last}
        value={at}
        onChange={(event) => move(Number(event.target.value))}
      />
      <button
        type="button"
        className="button plain"
        onClick={() => move(at + 1)}
        disabled={isNow}
        aria-label="Next event"
      >
        ›
      </button>
      <span className="small soft" style={{ minWidth: 92, textAlign: 'right' }}>
        {isNow ? `now (${numberText(last)})` : `${numberText(at)} of ${numberText(last)}`}
      </span>
      <button type="button" className="button" disabled={isNow} onClick={() => onMove(null)}>
        Now
      </button>
    </div>
  )
}
