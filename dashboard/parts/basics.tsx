/** Small components that every page uses: loading and empty states, badges, times. */
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiProblem } from '../data/api-client.ts'
import { agoText, exactText, shortAgoText } from './format-values.ts'
import { Icon, type PageIconName } from './icons.tsx'
import { MessageText } from './message-text.tsx'

/** What fills a place before anybody can fill it, and what to do about it. */
export function Empty(props: {
  readonly icon: PageIconName
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <div className="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      {props.children === undefined ? null : <p>{props.children}</p>}
    </div>
  )
}

/** Grey lines in the place of a text that comes. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="stack" role="status" aria-label="loading">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={index} className="skeleton" style={{ width: `${92 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

/** What the daemon said instead of an answer. */
export function ProblemBox({ problem }: { readonly problem: ApiProblem }) {
  return (
    <div className="problem" role="alert">
      <strong>
        <MessageText text={problem.detail} />
      </strong>
      {problem.hint === '' ? null : (
        <div className="small">
          <MessageText text={problem.hint} />
        </div>
      )}
    </div>
  )
}

const tones: Readonly<Record<string, string>> = {
  running: 'accent running',
  waiting: 'warn',
  paused: '',
  completed: 'good',
  blocked: 'bad',
  failed: 'bad',
  cancelled: '',
  pending: 'warn',
  granted: 'good',
  refused: 'bad',
  expired: '',
  killed: 'warn',
  'timed out': 'bad',
  allow: 'good',
  ask: 'warn',
  deny: 'bad',
}

/** A status in its colour. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <span className={`badge ${tones[status] ?? ''}`}>
      <span className="dot" />
      {status}
    </span>
  )
}

type TimeProps = {
  readonly at: number
  /** `short`: in few letters, for narrow columns. */
  readonly size?: 'short'
}

/** A moment in words, with the exact time on hover. */
export function Time({ at, size }: TimeProps) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactText(at)}>
      {size === 'short' ? shortAgoText(at, now) : agoText(at, now)}
    </time>
  )
}

const tickMs = 10_000
const tickers = new Set<() => void>()
setInterval(() => {
  for (const ticker of tickers) ticker()
}, tickMs)

function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const tick = (): void => setNow(Date.now())
    tickers.add(tick)
    return () => {
      tickers.delete(tick)
    }
  }, [])
  return now
}

/** The head of a page. */
export function PageHead(props: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <header className="page-head">
      <div className="grow">
        <h1>{props.title}</h1>
        {props.about === undefined ? null : <p>{props.about}</p>}
      </div>
      {props.children}
    </header>
  )
}

/** How much of a limit is used. */
export function LimitBar(props: {
  readonly name: string
  readonly used: number
  readonly max: number
  readonly show?: (value: number) => string
}) {
  const { name, used, max, show = String } = props
  const share = max === 0 ? 1 : Math.min(1, used / max)
  const tone = share >= 1 ? 'full' : share >= 0.8 ? 'near' : ''
  return (
    <div className="stack" style={{ gap: 4 }}>
      <div className="row small">
        <span className="grow soft">{name}</span>
        <span>
          {show(used)} of {show(max)}
        </span>
      </div>
      <meter className="hidden-text" aria-label={name} value={used} max={max} />
      <div className={`bar ${tone}`}>
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}

/** A table that scrolls by itself where there is no room for it. */
export function TableBox(props: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
    <section className="scroll-x" aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  )
}
