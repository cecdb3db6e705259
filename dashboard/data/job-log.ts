/**
 * Follows the output of a job: the latest part first, new output as it arrives, and earlier output
 * on request. Limited in size.
 */
import { useCallback, useEffect, useState } from 'react'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { type ApiProblem, callApi, wordsOf } from './api-client.ts'

export type JobStream = 'stdout' | 'stderr'
type Logs = Exclude<OperationAnswer<'jobs.logs'>, { readonly status: string }>

/** A part of the log and the byte at which it begins. */
type LogPart = { readonly offset: number; readonly text: string }
export type JobLog = {
  /** In order, without gaps. */
  readonly parts: readonly LogPart[]
  /** The byte up to which it was read. */
  readonly end: number
  /** Bytes of both streams; null: not known yet. */
  readonly sizes: Readonly<Record<JobStream, number>> | null
  /** The oldest bytes of this stream, which nobody has any more. */
  readonly dropped: number
  readonly problem: ApiProblem | null
}

const partBytes = 64 * 1024
const heldCharsMax = 512 * 1024
const waitMs = 20_000
/** Between two looks at a job that says much; and after a look that failed. */
const restMs = 120
const troubleMs = 2_000

const nothing: JobLog = { parts: [], end: 0, sizes: null, dropped: 0, problem: null }

/** The log, a way to see more of what came before, and one back to what is said now. */
export function useJobLog(
  processId: string,
  stream: JobStream,
): { readonly log: JobLog; readonly earlier: () => void; readonly latest: () => void } {
  const [log, setLog] = useState(nothing)
  /** Null: the latest part. */
  const [from, setFrom] = useState<number | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    setLog((was) => ({ ...nothing, sizes: was.sizes }))
    void followLog({ processId, stream, from, signal: leaving.signal }, setLog)
    return () => leaving.abort()
  }, [processId, stream, from])
  const first = log.parts[0]?.offset ?? 0
  const earlier = useCallback(() => setFrom(Math.max(0, first - partBytes * 4)), [first])
  const latest = useCallback(() => setFrom(null), [])
  return { log, earlier, latest }
}

type Following = {
  readonly processId: string
  readonly stream: JobStream
  readonly from: number | null
  readonly signal: AbortSignal
}

async function followLog(
  { processId, stream, from, signal }: Following,
  set: (change: (was: JobLog) => JobLog) => void,
): Promise<void> {
  const read = async (offset: number, limit: number): Promise<Logs> => {
    const wish = { process_id: processId, stream, offset, limit, wait_ms: limit === 0 ? 0 : waitMs }
    const answer = await callApi('jobs.logs', wish, { signal })
    // A person's look is judged by nobody; the contract is that of agents as well.
    if ('status' in answer) throw new Error(answer.message)
    return answer
  }
  let offset = from
  let chars = 0
  while (!signal.aborted) {
    try {
      offset ??= Math.max(0, (await read(0, 0))[`${stream}_size`] - partBytes)
      const at = offset
      const answer = await read(at, partBytes)
      const next = answer.next_offset ?? at
      set((was) => appended(was, answer, { stream, at, next }))
      offset = next
      chars += answer[stream].length
      // WHY: who looks back must not see it go away again at the old end.
      if (from !== null && chars >= heldCharsMax) return
      const isAtEnd = next >= answer[`${stream}_size`]
      if (isAtEnd && answer.state !== 'running') return
      if (isAtEnd || next === at) await rest(restMs)
    } catch (thrown) {
      if (signal.aborted) return
      const problem = wordsOf(thrown)
      set((was) => ({ ...was, problem }))
      // A job that is not there will not come; a daemon that does not answer may.
      if (problem.status !== 0 && problem.status < 500) return
      await rest(troubleMs)
    }
  }
}

type Read = { readonly stream: JobStream; readonly at: number; readonly next: number }

/** What was read goes to the end; what is too much goes at the old end. */
export function appended(was: JobLog, answer: Logs, { stream, at, next }: Read): JobLog {
  const dropped = answer[`${stream}_dropped_bytes`]
  const offset = Math.max(at, dropped)
  // Reading may have begun in the middle of a letter.
  const isFirst = was.parts.length === 0 && offset > 0
  const text = isFirst ? answer[stream].replace(/^\ufffd+/, '') : answer[stream]
  const parts = text === '' ? [...was.parts] : [...was.parts, { offset, text }]
  let chars = parts.reduce((sum, one) => sum + one.text.length, 0)
  while (chars > heldCharsMax && parts.length > 1) chars -= parts.shift()?.text.length ?? 0
  const sizes = { stdout: answer.stdout_size, stderr: answer.stderr_size }
  return { parts, end: next, sizes, dropped, problem: null }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
