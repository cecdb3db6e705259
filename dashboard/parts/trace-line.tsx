/** The lines of a trace: a visit of a stage with its sums, and a call, a wait or an event. */

import { shortPath } from '../../src/core/draw/short-path.ts'
import type { LogRecord } from '../data/run-log.ts'
import type { TraceRow, TraceVisit } from '../data/trace-rows.ts'
import { eventIn, wordsOnce } from './event-text.ts'
import { bytesText, clockText, countOf, exactText, moneyText, tookText } from './format-values.ts'
import { MessageText } from './message-text.tsx'
import { reasonBeside } from './reason-beside.ts'

/** The head of a visit. */
export function VisitLine({ visit }: { readonly visit: TraceVisit }) {
  const { record, branch, calls, denied, waitedMs, tokens, modelsMicroUsd, callsMicroUsd } = visit
  if (record === null) return null
  const sums = [
    ...(calls > 0 ? [countOf(calls, 'call')] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
    ...(tokens > 0 ? [countOf(tokens, 'token')] : []),
    ...(modelsMicroUsd > 0 ? [`${moneyText(modelsMicroUsd)} for models`] : []),
    ...(callsMicroUsd > 0 ? [`${moneyText(callsMicroUsd)} for calls`] : []),
    ...(waitedMs > 0 ? [`waited ${tookText(waitedMs)} for people`] : []),
  ]
  return (
    <>
      <RowTime record={record} />
      <span />
      <span className="words-lines">
        <span className="words">
          <strong>{visit.stage}</strong>
          {branch === null ? null : <span className="badge accent">{branch}</span>}
          <span className="soft small cut about">{wordsOnce(record).about}</span>
        </span>
        <span className="soft tiny cut">{sums.join(' · ')}</span>
      </span>
      <span className="span-text">
        {visit.endAt === null ? 'now here' : tookText(visit.endAt - record.at)}
      </span>
    </>
  )
}

type LineProps = {
  readonly row: TraceRow
  /** Paths in it are told from there on. */
  readonly folder: string | null
}

/** A row in a visit. */
export function TraceLine({ row, folder }: LineProps) {
  const { record, end } = row
  const { tone, title, about, why } = wordsOnce(record)
  return (
    <>
      <RowTime record={record} />
      <span className={`pip ${toneOf(row, tone)}`} />
      <span className="words-lines">
        <span className="words">
          <strong>{title}</strong>
          <span className="soft small cut about" title={about}>
            {shortPath(about, folder)}
          </span>
        </span>
        {why === undefined ? (
          <EndText row={row} />
        ) : (
          <span className="tiny cut" title={`${why.reason} (${why.rule})`}>
            <span className="bad">
              <MessageText text={reasonBeside(why.reason, [about, toolOf(record)])} />
            </span>{' '}
            <span className="mono soft">{why.rule}</span>
          </span>
        )}
      </span>
      <span className="span-text">
        {end === null ? openText(row) : tookText(end.at - record.at)}
      </span>
    </>
  )
}

/** The tool of a call; empty: it is no call. */
function toolOf(record: LogRecord): string {
  const event = eventIn(record)
  return 'tool' in event ? event.tool : ''
}

function RowTime({ record }: { readonly record: LogRecord }) {
  return (
    <time dateTime={new Date(record.at).toISOString()} title={exactText(record.at)}>
      {clockText(record.at)}
    </time>
  )
}

function toneOf({ end }: TraceRow, tone: string): string {
  if (end === null) return tone
  const event = eventIn(end)
  if (event.type === 'call.reported') {
    return event.ok ? 'good' : event.isUnreported ? '' : 'warn'
  }
  return wordsOnce(end).tone
}

/** How it ended. */
function EndText({ row: { kind, end } }: { readonly row: TraceRow }) {
  if (end === null) return null
  const event = eventIn(end)
  if (event.type === 'call.reported') {
    const { ok, exitCode, bytes, costMicroUsd, isUnreported } = event
    const parts = [
      ok ? 'succeeded' : isUnreported ? 'never reported' : 'failed',
      ...(exitCode === null ? [] : [`exit ${exitCode}`]),
      ...(bytes > 0 ? [bytesText(bytes)] : []),
      ...(costMicroUsd > 0 ? [moneyText(costMicroUsd)] : []),
    ]
    const tone = ok || isUnreported ? 'soft' : 'warn'
    return <span className={`tiny cut ${tone}`}>{parts.join(' · ')}</span>
  }
  const { title, about } = wordsOnce(end)
  const what = kind === 'wait' || kind === 'call' ? title : ''
  return <span className="tiny soft cut">{about === '' ? what : `${what}: ${about}`}</span>
}

/** What is said in the place of a time while it is not over. */
function openText({ kind, record }: TraceRow): string {
  if (kind === 'wait' || record.type === 'call.asked') return 'waiting'
  return record.type === 'call.allowed' ? 'open' : ''
}
