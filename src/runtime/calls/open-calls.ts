/** Wires the life of calls together, and lets others observe it. */
import { performance } from 'node:perf_hooks'
import { PawlError } from '../pawl-error.ts'
import { openRunQueue } from '../runs/run-queue.ts'
import { beginCall, type CallTools, deniedAnswer } from './begin-call.ts'
import type { BeginOptions, CallAnswer, CallObservation, CallRequest, Calls } from './calls.ts'
import { denialOf } from './denial-of-fault.ts'
import { endCall } from './end-call.ts'
import { renewLease } from './leases.ts'
import { type LocateTools, locateRun } from './locate-run.ts'

export type OpenCallsTools = Omit<CallTools, 'siblings'> & LocateTools

export function openCalls(options: OpenCallsTools): Calls {
  const tools: OpenCallsTools & CallTools = { ...options, siblings: openRunQueue() }
  const listeners = new Set<(seen: CallObservation) => void>()
  return {
    locate: (caller) => locateRun(tools, caller),
    begin: async (request, begin) => {
      const started = performance.now()
      let judgedMs: number | null = null
      const onJudged = (ms: number): void => {
        judgedMs = ms
      }
      const answer = await beginOrDeny(tools, request, { ...begin, onJudged })
      const ended = performance.now()
      const { door, host, tool } = request
      const { state: decision, code, runId } = answer
      const seen: CallObservation = {
        ...{ door, host, tool, runId, decision, code, judgedMs: judgedMs ?? ended - started },
        startedAt: performance.timeOrigin + started,
        endedAt: performance.timeOrigin + ended,
        traceparent: begin.traceparent ?? null,
      }
      for (const listener of listeners) listener(seen)
      return answer
    },
    renew: async (call) => {
      const renewed = await renewLease(tools, call)
      if (renewed === 'foreign') throw foreignCall(call.callId)
      return renewed === 'renewed'
    },
    end: (request, actor) => endCall(tools, request, actor),
    observe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The error for a report or renewal by a process that does not hold the call. */
export function foreignCall(callId: string): PawlError {
  const message = `the call \`${callId}\` belongs to another process, which alone can report it`
  const hint =
    'repeat the call: once that process is gone, the reply says that its result is unknown'
  return new PawlError('NOT_PERMITTED', message, { hint })
}

/** INVARIANT: a call that cannot be decided and kept is denied. */
async function beginOrDeny(
  tools: CallTools,
  request: CallRequest,
  options: BeginOptions & { readonly onJudged: (ms: number) => void },
): Promise<CallAnswer> {
  try {
    return await beginCall(tools, request, options)
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'RUN_UNKNOWN') throw fault
    const { code, ...denial } = denialOf(fault)
    const answer = deniedAnswer({ ...denial, code: code ?? 'INTERNAL' })
    const { place } = request
    return place.kind === 'run' ? { ...answer, runId: place.runId, branch: place.branch } : answer
  }
}
