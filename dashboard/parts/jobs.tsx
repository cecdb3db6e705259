/** The jobs of a run: their commands, state and output. */
import { useEffect, useRef, useState } from 'react'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { callApi, wordsOf } from '../data/api-client.ts'
import { type JobStream, useJobLog } from '../data/job-log.ts'
import { live } from '../data/live-state.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { ProblemBox, Skeleton, StatusBadge, Time } from './basics.tsx'
import { bytesText, durationText } from './format-values.ts'
import { stripAnsi } from './strip-ansi.ts'
import { showToast } from './toast.tsx'

type Listed = Exclude<OperationAnswer<'jobs.list'>, { readonly status: string }>
type Job = Listed['processes'][number]
type JobStatus = Exclude<OperationAnswer<'jobs.read'>, { readonly status: string }>

type Props = {
  readonly runId: string
  /** Changes when something has happened in the run. */
  readonly seq: number
  readonly isOpen: boolean
}

const lookMs = 2_000
const listMax = 200

/** The card; nothing where no job was run. */
export function JobsPanel({ runId, seq, isOpen }: Props) {
  const round = useRounds({ seq, isOpen })
  const { answer } = useApiQuery('jobs.list', { run_id: runId, limit: listMax }, round)
  const [opened, setOpened] = useState<string | null>(null)
  if (answer === null || !('processes' in answer) || answer.total === 0) return null
  const { processes, total } = answer
  return (
    <section className="card" aria-label="Jobs">
      <header>
        <h2 className="grow">Jobs</h2>
        <span className="soft small">
          {total > processes.length ? `the latest ${processes.length} of ${total}` : total}
        </span>
      </header>
      <ul className="list">
        {processes.map((job) => (
          <li key={job.process_id}>
            <JobLine
              job={job}
              isOpened={opened === job.process_id}
              onToggle={() => setOpened(opened === job.process_id ? null : job.process_id)}
            />
            {opened === job.process_id ? <OpenedJob job={job} /> : null}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A number that changes when it is time to look again: after changes, and now and then. */
function useRounds({ seq, isOpen }: Pick<Props, 'seq' | 'isOpen'>): number {
  const [round, setRound] = useState(0)
  const latest = useRef(seq)
  const looked = useRef(seq)
  latest.current = seq
  useEffect(() => {
    // WHY also without a change: a job may begin long after its call, and says nothing to the run.
    const timer = setInterval(() => {
      if (document.hidden || (!isOpen && looked.current === latest.current)) return
      looked.current = latest.current
      setRound((was) => was + 1)
    }, lookMs)
    return () => clearInterval(timer)
  }, [isOpen])
  return round
}

type LineProps = {
  readonly job: Job
  readonly isOpened: boolean
  readonly onToggle: () => void
}

function JobLine({ job, isOpened, onToggle }: LineProps) {
  return (
    <button type="button" className="job-line" aria-expanded={isOpened} onClick={onToggle}>
      <StatusBadge status={job.state === 'timed_out' ? 'timed out' : job.state} />
      <span className="mono cut grow">{job.command}</span>
      <span className="soft small">
        {job.exit_code === null ? '' : `exit ${job.exit_code} · `}
        {durationText(job.duration_ms)}
      </span>
    </button>
  )
}

function OpenedJob({ job }: { readonly job: Job }) {
  const { answer, problem } = useApiQuery('jobs.read', { process_id: job.process_id }, job.state)
  const [stream, setStream] = useState<JobStream>('stdout')
  const { log, earlier, latest } = useJobLog(job.process_id, stream)
  return (
    <div className="job stack">
      {problem === null ? null : <ProblemBox problem={problem} />}
      {answer !== null && 'isolation' in answer ? (
        <Facts status={answer} />
      ) : problem === null ? (
        <Skeleton />
      ) : null}
      <div className="row">
        <div className="tabs grow" role="tablist" aria-label="Streams">
          {(['stdout', 'stderr'] as const).map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={stream === one}
              onClick={() => setStream(one)}
            >
              {one} {log.sizes === null ? '' : bytesText(log.sizes[one])}
            </button>
          ))}
        </div>
        <Kill job={job} />
      </div>
      {log.problem === null ? null : <ProblemBox problem={log.problem} />}
      <LogText log={log} label={stream} onEarlier={earlier} />
      {log.sizes !== null && log.parts.length > 0 && log.end < log.sizes[stream] ? (
        <button type="button" className="button" onClick={latest}>
          Jump to the latest output
        </button>
      ) : null}
    </div>
  )
}

function Facts({ status }: { readonly status: JobStatus }) {
  const { isolation, resource_usage: usage } = status
  const peak = usage.memory_peak_bytes
  return (
    <dl className="facts small">
      <dt>Started</dt>
      <dd>
        <Time at={Date.parse(status.started_at)} /> in{' '}
        <span className="mono">{status.working_directory}</span>
      </dd>
      <dt>Isolation</dt>
      <dd title={isolation.notes.join('\n')}>
        <strong>{isolation.level}</strong>: files {isolation.filesystem}, network{' '}
        {isolation.network}
        {status.limits_enforced ? '' : ' · not every requested limit is enforced'}
      </dd>
      {status.signal === null ? null : (
        <>
          <dt>Ended by</dt>
          <dd>{status.signal}</dd>
        </>
      )}
      {usage.cpu_ms === null && peak === null ? null : (
        <>
          <dt>Used</dt>
          <dd>
            {usage.cpu_ms === null ? '' : `${durationText(usage.cpu_ms)} of CPU, `}
            {peak === null ? '' : `${bytesText(peak)} of memory at peak`}
          </dd>
        </>
      )}
      {status.warnings.map((warning) => (
        <dd key={warning} className="warn" style={{ gridColumn: '1 / -1' }}>
          {warning}
        </dd>
      ))}
    </dl>
  )
}

const forceSeconds = 5

/** For those who may; asks once more before it does it. */
function Kill({ job }: { readonly job: Job }) {
  const { me } = useValueStore(live)
  const [isSure, setSure] = useState(false)
  if (job.state !== 'running' || me === null || me.access === 'viewer') return null
  const kill = async (): Promise<void> => {
    setSure(false)
    try {
      await callApi('jobs.kill', { process_id: job.process_id, force_after: forceSeconds })
      showToast('The job was stopped.')
    } catch (thrown) {
      showToast(wordsOf(thrown).detail)
    }
  }
  return (
    <button
      type="button"
      className="button danger"
      onBlur={() => setSure(false)}
      onClick={() => (isSure ? kill() : setSure(true))}
    >
      {isSure ? 'Stop it now?' : 'Stop the job'}
    </button>
  )
}

type TextProps = {
  readonly log: ReturnType<typeof useJobLog>['log']
  readonly label: string
  readonly onEarlier: () => void
}

/** Stays at the end while more comes, unless somebody has scrolled away from it. */
function LogText({ log, label, onEarlier }: TextProps) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const { parts, sizes, dropped, end } = log
  const first = parts[0]?.offset ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: moved when more was read
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [end, label])
  if (sizes === null) return <Skeleton lines={4} />
  return (
    <>
      {first > dropped ? (
        <button type="button" className="button plain" onClick={onEarlier}>
          Show earlier output ({bytesText(first - dropped)})
        </button>
      ) : dropped > 0 ? (
        <p className="small soft">The oldest {bytesText(dropped)} were not kept.</p>
      ) : null}
      <section
        ref={box}
        className="code job-log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {parts.length === 0 ? <p className="soft">No output.</p> : null}
        <pre>
          {parts.map((one) => (
            <span key={one.offset}>{stripAnsi(one.text)}</span>
          ))}
        </pre>
      </section>
    </>
  )
}
