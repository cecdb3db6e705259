/**
 * All runs: found by words and status, as many as there are.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import { ask, type Problem, wordsOf } from '../data/ask.ts'
import { type Head, live } from '../data/live.ts'
import { linkTo } from '../data/route.ts'
import { useStore } from '../data/store.ts'
import { Empty, PageHead, ProblemBox, Skeleton, Status, Time } from '../parts/basics.tsx'
import { moneyText } from '../parts/times.ts'
import { VirtualList } from '../parts/virtual-list.tsx'

const filters = ['running', 'waiting', 'completed', 'failed', 'blocked', 'cancelled'] as const
const rowHeight = 56
const pageSize = 500

/** The page. */
export function RunsPage() {
  const [text, setText] = useState('')
  const [status, setStatus] = useState<string | null>(null)
  const { heads, isComplete, problem, more } = useAllRuns()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = heads.filter((head) => (status ?? head.status) === head.status && fits(head, words))
  const isSearch = words.length > 0 || status !== null
  const loadedCount = heads.length
  // A search has to look at all of them: each page that came asks for the next.
  useEffect(() => {
    if (isSearch && !isComplete && loadedCount > 0) more()
  }, [isSearch, isComplete, loadedCount, more])
  return (
    <>
      <PageHead
        title="Runs"
        about={`${shown.length}${isComplete ? '' : ' or more'}, the latest change first`}
      >
        <input
          className="input search"
          type="search"
          placeholder="definition, stage, folder, id"
          aria-label="Search runs"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </PageHead>
      <div className="stack">
        <div className="chips">
          {filters.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={status === one}
              onClick={() => setStatus(status === one ? null : one)}
            >
              {one}
            </button>
          ))}
        </div>
        {problem === null ? null : <ProblemBox problem={problem} />}
        <div className="card runs-list">
          {shown.length > 0 ? (
            <VirtualList
              label="Runs"
              count={shown.length}
              rowHeight={rowHeight}
              onNearEnd={more}
              row={(index) => <RunRow head={shown[index] as Head} />}
            />
          ) : isComplete ? (
            <Empty icon="runs" title={isSearch ? 'No run is like that' : 'There was no run yet'}>
              {isSearch ? 'Try fewer words.' : 'Start one with pawl start.'}
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

function fits(head: Head, words: readonly string[]): boolean {
  const { id, definition, stage, status, workspace } = head
  const all = `${id} ${definition} ${stage} ${status} ${workspace ?? ''}`.toLowerCase()
  return words.every((word) => all.includes(word))
}

function RunRow({ head }: { readonly head: Head }) {
  return (
    <a className="run-row" href={linkTo('runs', head.id)}>
      <span className="grow">
        <span className="row">
          <strong className="cut">{head.definition}</strong>
          <Status status={head.status} />
        </span>
        <span className="small soft cut" style={{ display: 'block' }}>
          {head.stage} · {head.workspace ?? 'no folder'}
        </span>
      </span>
      <span className="small soft run-nums">
        {head.callsCount} calls
        {head.costMicroUsd > 0 ? ` · ${moneyText(head.costMicroUsd)}` : ''}
      </span>
      <span className="small soft run-when">
        <Time at={head.updatedAt} />
      </span>
    </a>
  )
}

/** Page after page, and what changes meanwhile on top. */
function useAllRuns() {
  const { heads: latest } = useStore(live)
  const [older, setOlder] = useState<readonly Head[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isComplete, setComplete] = useState(false)
  const next = useRef<string | null | 'busy'>(null)
  const more = useCallback(() => {
    if (next.current === 'busy') return
    const after = next.current
    next.current = 'busy'
    ask('runs.list', { limit: pageSize, ...(after === null ? {} : { after }) })
      .then((page) => {
        setOlder((was) => [...was, ...page.items])
        next.current = page.next ?? 'busy'
        setComplete(page.next === null)
      })
      .catch((thrown: unknown) => {
        setProblem(wordsOf(thrown))
        next.current = after
      })
  }, [])
  useEffect(more, [more])
  const byId = new Map(older.map((head) => [head.id, head]))
  for (const head of latest) byId.set(head.id, head)
  const heads = [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt)
  return { heads, isComplete, problem, more }
}
