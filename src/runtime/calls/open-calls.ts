/**
 * Puts the life of calls together, and lets others watch it.
 */
import { performance } from 'node:perf_hooks'
import type { Verdict } from '../../core/engine/types.ts'
import { PawlError } from '../pawl-error.ts'
import { openRunQueue } from '../runs/run-queue.ts'
import { beginCall, type CallTools } from './begin-call.ts'
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
      let judged = started
      const onJudged = (): void => {
        judged = performance.now()
      }
      const answer = await beginOrDeny(tools, request, { ...begin, onJudged })
      if (judged === started) onJudged()
      const times = { started, judged, ended: performance.now() }
      const traceparent = begin.traceparent ?? null
      const seen = { ...observationOf(request, answer, times), traceparent }
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

/** Another process makes the call. */
export function foreignCall(callId: string): PawlError {
  const message = `another process makes the call \`${callId}\`, and only its word on it counts`
  const hint = 'make the same call again: once its maker is gone you are told that it is in doubt'
  return new PawlError('NOT_PERMITTED', message, { hint })
}

/** INVARIANT: a call that cannot be decided and kept is denied. */
async function beginOrDeny(
  tools: CallTools,
  request: CallRequest,
  options: BeginOptions & { readonly onJudged: () => void },
): Promise<CallAnswer> {
  try {
    return await beginCall(tools, request, options)
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'RUN_UNKNOWN') throw fault
    return deniedBy(request, denialOf(fault))
  }
}

function deniedBy({ place }: CallRequest, verdict: Verdict): CallAnswer {
  const where = place.kind === 'run' ? { runId: place.runId, branch: place.branch } : noRun
  const none = {
    instead: [],
    input: null,
    callId: null,
    approvalId: null,
    report: null,
    refusal: null,
  }
  const isNot = { needsQuorum: false, isUnguarded: false }
  return { ...verdict, state: 'denied', ...none, ...where, ...isNot, seq: 0, view }
}

const noRun = { runId: null, branch: null } as const
const view = (): null => null

type Times = { readonly started: number; readonly judged: number; readonly ended: number }

function observationOf(
  { door, host, tool }: CallRequest,
  { state, code, runId }: CallAnswer,
  { started, judged, ended }: Times,
): Omit<CallObservation, 'traceparent'> {
  const { timeOrigin } = performance
  return {
    ...{ door, host, tool, runId, decision: state, code },
    startedAt: timeOrigin + started,
    judgedAt: timeOrigin + judged,
    endedAt: timeOrigin + ended,
  }
}
