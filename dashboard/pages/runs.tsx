/** All runs, with search and a filter by status. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type ApiProblem, callApi, wordsOf } from '../data/api-client.ts'
import { type LiveRunHead, live } from '../data/live-state.ts'
import { useValueStore } from '../data/value-store.ts'
import { Empty, PageHead, ProblemBox, Skeleton } from '../parts/basics.tsx'
import { countOf } from '../parts/format-values.ts'
import { RunBoard } from '../parts/run-board.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { type RunFilter, SavedFilters } from '../parts/saved-filters.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'

const filters = [
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'blocked',
  'cancelled',
] as const
const rowHeight = 58
const pageSize = 500
// As many as the API takes.
const wordsMax = 8
const charsMax = 200
const restMs = 150

type StatusFilter = (typeof filters)[number]

/** The page. */
export function RunsPage() {
  const [text, setText] = useState('')
  const [status, setStatus] = useState<StatusFilter | null>(null)
  const [isBoard, setBoard] = useState(false)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax)
  const q = useRested(words.join(' ').slice(0, charsMax))
  const { heads, isComplete, problem, more } = useRuns(q, status)
  const shown = heads.filter((head) => (status ?? head.status) === head.status && fits(head, words))
  const isSearch = words.length > 0 || status !== null
  const choose = (filter: RunFilter): void => {
    setText(filter.text)
    setStatus(filters.find((one) => one === filter.status) ?? null)
    setBoard(filter.isBoard)
  }
  return (
    <>
      <PageHead title="Runs" about={aboutFor(shown.length, isComplete ? '' : ' or more')}>
        <input
          className="input search"
          type="search"
          placeholder="Title, definition, stage, folder, id"
          aria-label="Search runs"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </PageHead>
      <div className="stack">
        <div className="chips">
          <ViewSwitch isBoard={isBoard} onBoard={setBoard} />
          <StatusChips status={status} onStatus={setStatus} />
        </div>
        <SavedFilters filter={{ text, status, isBoard }} onChoose={choose} />
        {problem === null ? null : <ProblemBox problem={problem} />}
        {isBoard && shown.length > 0 ? <RunBoard heads={shown} /> : null}
        <div className="card runs-list" hidden={isBoard && shown.length > 0}>
          {shown.length > 0 ? (
            <VirtualList
              label="Runs"
              count={shown.length}
              rowHeight={rowHeight}
              onNearEnd={more}
              row={(index) => <RunRow head={shown[index] as LiveRunHead} />}
            />
          ) : isComplete ? (
            <Empty icon="runs" title={isSearch ? 'No matching runs' : 'No runs yet'}>
              {isSearch ? (
                'Try fewer words or another status.'
              ) : (
                <>
                  A run begins when an agent loads a workflow, or with <code>pawl start NAME</code>.
                </>
              )}
            </Empty>
          ) : (
            <div className="body" style={{ padding: 16 }}>
              <Skeleton lines={8} />
            </div>
          )}
        </div>
      </div>
    </>
  )
}

type SwitchProps = {
  readonly isBoard: boolean
  readonly onBoard: (isBoard: boolean) => void
}

function ViewSwitch({ isBoard, onBoard }: SwitchProps) {
  return (
    <fieldset className="switch">
      <legend className="hidden-text">Show the runs as</legend>
      <button type="button" aria-pressed={!isBoard} onClick={() => onBoard(false)}>
        List
      </button>
      <button type="button" aria-pressed={isBoard} onClick={() => onBoard(true)}>
        Board by stage
      </button>
    </fieldset>
  )
}

type ChipsProps = {
  readonly status: StatusFilter | null
  readonly onStatus: (status: StatusFilter | null) => void
}

function StatusChips({ status, onStatus }: ChipsProps) {
  return filters.map((one) => (
    <button
      key={one}
      type="button"
      className="chip"
      aria-pressed={status === one}
      onClick={() => onStatus(status === one ? null : one)}
    >
      {one}
    </button>
  ))
}

function fits(head: LiveRunHead, words: readonly string[]): boolean {
  const { id, title, definition, stage, status, workspace } = head
  const all = [id, title ?? '', definition, stage, status, workspace ?? ''].join(' ').toLowerCase()
  return words.every((word) => all.includes(word))
}

/** A text when its writer rests for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

type RunsPageResult = {
  readonly key: string
  readonly items: readonly LiveRunHead[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

/** What the daemon finds, page after page, and what changes meanwhile on top. */
function useRuns(q: string, status: StatusFilter | null) {
  const { heads: latest } = useValueStore(live)
  const key = `${status ?? ''} ${q}`
  const [found, setFound] = useState<RunsPageResult | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const asking = useRef<AbortController | null>(null)
  const load = useCallback(
    (after: string | null) => {
      asking.current?.abort()
      const own = new AbortController()
      asking.current = own
      const query = {
        limit: pageSize,
        ...(q === '' ? {} : { q }),
        ...(status === null ? {} : { statuses: [status] }),
        ...(after === null ? {} : { after }),
      }
      callApi('runs.list', query, { signal: own.signal })
        .then(({ items, next }) => {
          const before = (was: RunsPageResult | null) => (after === null ? [] : (was?.items ?? []))
          setFound((was) => ({ key, items: [...before(was), ...items], next }))
          setProblem(null)
        })
        .catch((thrown: unknown) => {
          if (!own.signal.aborted) setProblem(wordsOf(thrown))
        })
        .finally(() => {
          if (asking.current === own) asking.current = null
        })
    },
    [q, status, key],
  )
  useEffect(() => {
    load(null)
    return () => asking.current?.abort()
  }, [load])
  const next = found?.key === key ? found.next : null
  const more = useCallback(() => {
    if (next !== null && asking.current === null) load(next)
  }, [next, load])
  const heads = useMemo(() => {
    const byId = new Map(found?.items.map((head) => [head.id, head]))
    for (const head of latest) byId.set(head.id, head)
    return [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt)
  }, [found, latest])
  return { heads, isComplete: found?.key === key && found.next === null, problem, more }
}

function aboutFor(count: number, more: string): string {
  return count === 0 && more === ''
    ? 'No runs'
    : `${countOf(count, 'run')}${more}, last changed first`
}
