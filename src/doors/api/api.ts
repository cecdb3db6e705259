/**
 * Handles every request after its transport: checks the caller, the permission and the input, then
 * calls the handler. HTTP and the socket share it, so they behave the same.
 */

import type { Socket } from 'node:net'
import type { DecisionPeer } from '../../core/engine/decision-peer.ts'
import type { Boxes } from '../../runtime/boxes/boxes-port.ts'
import type { CallObservation } from '../../runtime/calls/calls.ts'
import type { Jobs } from '../../runtime/jobs/jobs-port.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { changesRun, refuseAsGateway, refuseForeignRun } from './agent-runs.ts'
import type { AgentSession, AgentSessions } from './agent-sessions.ts'
import { actorOf, type Caller, type TokenCheck } from './caller.ts'
import { contract, streamContract } from './contract.ts'
import type { HandlerAnswer, HandlerContext, RequestInfo } from './handler-context.ts'
import { handlers } from './handlers.ts'
import type { AnswerHttpHook, CheckHook } from './hook-exchange.ts'
import { jobInputError } from './job-inputs.ts'
import { jobsContract } from './jobs-contract.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import { type OperationName, operations, type StreamName } from './operations-table.ts'
import { parse } from './parse-input.ts'
import type { PeoplePort } from './people-port.ts'
import { PawlProblem, type ProblemDocument, problem, problemOfThrown } from './problem.ts'
import { type NoteRefusal, openRefusalTrace } from './refusal-trace.ts'
import { refuseCaller } from './refuse-caller.ts'
import type { SignIns } from './sign-ins.ts'
import { type Beat, openStreams } from './streams.ts'

export type ApiOptions = {
  readonly runtime: Runtime
  readonly tokens: TokenCheck
  readonly about: RequestInfo
  /** Ends the daemon; called once the answer is on its way. */
  readonly stop: () => void
  /** Absent: this daemon runs no jobs. */
  readonly jobs?: Jobs
  /** Absent: this daemon has no boxes. */
  readonly boxes?: Boxes
  readonly metrics?: Metrics
  /** Hears of every operation. Must return at once and never throws. */
  readonly onSpan?: (span: ApiSpan) => void
  /** Answers hooks that come over HTTP; absent: none does. */
  readonly answerHook?: AnswerHttpHook
  /** Absent: no secret is one of a hook. */
  readonly checkHook?: CheckHook
  /** How people are told and decide from elsewhere; absent: not at all. */
  readonly people?: PeoplePort
  /** Hears of what we did not foresee. */
  readonly onFault?: (fault: unknown) => void
  /** Which hosts are held on this machine; absent: none is known. */
  readonly hosts?: HandlerContext['hosts']
  /** Who has signed in to the page; absent: nobody can. */
  readonly signIns?: SignIns
  /** Gives agents credentials; absent: this daemon does not. */
  readonly agents?: AgentSessions
  /** Which program is at the other end of a connection; absent: nobody can tell. */
  readonly findPeer?: FindPeer
  readonly limits?: Partial<ApiLimits>
}

/** Null: the system does not tell. Takes a short time, and never fails. */
export type FindPeer = (connection: Socket) => Promise<DecisionPeer | null>

type ApiLimits = {
  readonly streamsMax: number
  readonly beatMs: number
}

/** One operation, as a trace shows it. */
export type ApiSpan = {
  readonly name: string
  /** In milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, string>>
  /** As the caller sent it; null: the trace begins here. */
  readonly traceparent: string | null
}

export type ApiRequest = {
  readonly door: 'http' | 'socket' | 'mcp'
  /** Over which it came; absent: over none. */
  readonly connection?: Socket
  readonly input: unknown
  readonly commandId: string | null
  /** Gives what is raised when the caller is gone; asked for only by those who wait. */
  readonly signal: () => AbortSignal
  readonly traceparent: string | null
}

export type AnyBeat = Beat<StreamName>

export type Api = {
  readonly authenticate: TokenCheck
  /** Why this caller may not ask for this at all; null: they may. */
  readonly refuse: (
    name: OperationName | StreamName,
    caller: Caller | null,
  ) => ProblemDocument | null
  readonly perform: (
    name: OperationName,
    caller: Caller | null,
    request: ApiRequest,
  ) => Promise<HandlerAnswer<unknown>>
  readonly stream: (
    name: StreamName,
    caller: Caller | null,
    request: ApiRequest,
  ) => Promise<HandlerAnswer<AsyncGenerator<AnyBeat, void, void>>>
  readonly metrics: Metrics
  /** Counts what was refused before it became an operation. */
  readonly noteRefusal: NoteRefusal
  readonly answerHook: AnswerHttpHook | null
  readonly checkHook: CheckHook
  readonly signIns: SignIns | null
  readonly people: PeoplePort | null
  readonly agents: AgentSessions | null
  readonly findPeer: FindPeer
}

const limitsDefault: ApiLimits = { streamsMax: 500, beatMs: 15_000 }

/** Opens what all doors share. */
export function openApi(options: ApiOptions): Api {
  const { tokens, metrics = openMetrics() } = options
  const limits = { ...limitsDefault, ...options.limits }
  const counts: Counts = { streams: 0 }
  addGauges(metrics, options.runtime, counts)
  const noteRefusal = openRefusalTrace(options.runtime.attempts)
  options.runtime.calls.observe((seen) => watchCall(seen, metrics, options.onSpan))
  return {
    // An empty text is nobody's token, whatever was configured.
    authenticate: (presented) => (presented === '' ? null : tokens(presented)),
    refuse: refuseCaller,
    perform: watched(options, metrics, noteRefusal),
    stream: async (name, caller, request) => {
      const refusal = refuseCaller(name, caller)
      if (refusal !== null) return failed(refusal)
      const parsed = parse(streamContract[name].input, request.input)
      if (!parsed.ok) return parsed
      if (counts.streams >= limits.streamsMax) return failed(tooMany)
      const { runtime } = options
      const context = { runtime, signal: request.signal(), beatMs: limits.beatMs }
      // WHY the cast: the compiler cannot see that name, input and stream are of one kind.
      const open = openStreams[name] as (d: typeof context, i: unknown) => AsyncGenerator<AnyBeat>
      counts.streams += 1
      return begin(open(context, parsed.output), {
        onFault: options.onFault,
        onEnd: () => {
          counts.streams -= 1
        },
      })
    },
    metrics,
    noteRefusal,
    answerHook: options.answerHook ?? null,
    checkHook: options.checkHook ?? (() => false),
    signIns: options.signIns ?? null,
    people: options.people ?? null,
    agents: options.agents ?? null,
    findPeer: options.findPeer ?? noPeer,
  }
}

const noPeer: FindPeer = async () => null

type Counts = { streams: number }

function addGauges(metrics: Metrics, runtime: Runtime, counts: Counts): void {
  const add = (name: string, help: string, read: () => number) =>
    metrics.addGauge({ name, help, read })
  add('pawl_runs_cached', 'runs cached in memory', () => runtime.usage().runsCached)
  add('pawl_waiters', 'requests waiting for a run to change', () => runtime.usage().waitersCount)
  add('pawl_streams', 'open streams', () => counts.streams)
  const startedSeconds = () => runtime.usage().startedAt / 1_000
  add('pawl_start_time_seconds', 'start time of the daemon', startedSeconds)
  const bytes = () => process.memoryUsage.rss()
  add('process_resident_memory_bytes', 'memory used by the daemon', bytes)
}

function failed(why: ProblemDocument): { readonly ok: false; readonly problem: ProblemDocument } {
  return { ok: false, problem: why }
}

const tooMany = problem('OVERLOADED', {
  detail: 'too many streams are open',
  hint: 'try again in a moment',
})

type CallerRequest = { readonly caller: Caller | null; readonly request: ApiRequest }

/** Whether an operation waits, and ends when whoever asked is gone. */
function mayWait(name: OperationName, input: unknown): boolean {
  if (name === 'runs.wait') return true
  if (name !== 'runs.check' && name !== 'gateway.check') return false
  return (input as { readonly waitMs: number }).waitMs > 0
}

const noHosts: HandlerContext['hosts'] = () => ({ installs: [], proof: null })
const nobody: Caller = { role: 'agent', name: '' }

async function answer(
  options: ApiOptions,
  name: OperationName,
  { caller, request }: CallerRequest,
): Promise<HandlerAnswer<unknown>> {
  const refusal = refuseCaller(name, caller) ?? refuseCommandId(request.commandId)
  if (refusal !== null) return failed(refusal)
  const errorOf = Object.hasOwn(jobsContract, name) ? jobInputError : undefined
  const parsed = parse(contract[name].input, request.input, errorOf)
  if (!parsed.ok) return parsed
  const foreign = await refuseForeign(options, name, { caller, input: parsed.output })
  if (foreign !== null) return failed(foreign)
  const context: HandlerContext = {
    runtime: options.runtime,
    actor: actorOf(caller ?? nobody),
    agent: caller?.session ?? null,
    isGateway: caller?.isGateway === true,
    agents: options.agents ?? null,
    access: caller?.access ?? null,
    hosts: options.hosts ?? noHosts,
    signIns: options.signIns ?? null,
    commandId: commandIdOf(caller, request.commandId),
    signal: mayWait(name, parsed.output) ? request.signal() : null,
    traceparent: request.traceparent,
    about: options.about,
    people: options.people ?? null,
    stop: options.stop,
    jobs: options.jobs ?? null,
    boxes: options.boxes ?? null,
    peer: async () =>
      request.connection === undefined ? null : (options.findPeer ?? noPeer)(request.connection),
  }
  // WHY the cast: the compiler cannot see that name, input and handler are of one kind.
  const handle = handlers[name] as (
    context: HandlerContext,
    input: unknown,
  ) => Promise<HandlerAnswer<unknown>>
  return handle(context, parsed.output)
}

type ParsedRequest = { readonly caller: Caller | null; readonly input: unknown }

/** Why an agent may not change the run that it names; null: it may, or names none. */
async function refuseForeign(
  { runtime, agents }: ApiOptions,
  name: OperationName,
  { caller, input }: ParsedRequest,
): Promise<ProblemDocument | null> {
  const session: AgentSession | undefined = caller?.session
  if (session === undefined || agents === undefined) return null
  const posing = refuseAsGateway(name, session)
  if (posing !== null || !changesRun.has(name)) return posing
  const named = input as Readonly<Record<'runId' | 'run_id' | 'branch', string | undefined>>
  const runId = named.runId ?? named.run_id
  if (runId === undefined) return null
  const place = { runId, branch: named.branch ?? null }
  return refuseForeignRun({ runtime, agents }, session, place)
}

/**
 * WHY with the role: an id is what somebody chose for themselves. Without it an agent could use up
 * the id under which a person or the daemon will act, and that act would count as done.
 */
function commandIdOf(caller: Caller | null, sent: string | null): string | null {
  return sent === null ? null : `${caller?.role ?? 'none'}:${sent}`
}

const commandIdPattern = /^[\x21-\x7e]{1,200}$/

function refuseCommandId(commandId: string | null): ProblemDocument | null {
  if (commandId === null || commandIdPattern.test(commandId)) return null
  const detail = 'a command id has 1 to 200 visible ASCII characters'
  return problem('REQUEST_INVALID', { detail, hint: 'use a UUID' })
}

type Ears = { readonly onEnd: () => void; readonly onFault: ApiOptions['onFault'] }

/** What was thrown as a problem; what is ours to mend is told to the log. */
function problemOfFault(thrown: unknown, onFault: ApiOptions['onFault']): ProblemDocument {
  const told = problemOfThrown(thrown)
  if (told.status >= 500) onFault?.(thrown)
  return told
}

/** A stream that has given its first beat will be one; before that it is a problem like any. */
async function begin(
  stream: AsyncGenerator<AnyBeat>,
  { onEnd, onFault }: Ears,
): Promise<HandlerAnswer<AsyncGenerator<AnyBeat, void, void>>> {
  try {
    await stream.next()
  } catch (thrown) {
    onEnd()
    return failed(problemOfFault(thrown, onFault))
  }
  const rest = async function* (): AsyncGenerator<AnyBeat, void, void> {
    try {
      yield null
      yield* stream
    } catch (thrown) {
      throw new PawlProblem(problemOfFault(thrown, onFault), thrown)
    } finally {
      onEnd()
    }
  }
  return { ok: true, output: rest() }
}

/** Around every operation: what is thrown becomes a problem, and all of it is counted. */
function watched(options: ApiOptions, metrics: Metrics, noteRefusal: NoteRefusal): Api['perform'] {
  const { onSpan, onFault } = options
  return async (name, caller, request) => {
    const begun = performance.now()
    const answered = await answer(options, name, { caller, request }).catch((thrown: unknown) =>
      failed(problemOfFault(thrown, onFault)),
    )
    const ended = performance.now()
    const outcome = answered.ok ? 'ok' : answered.problem.code
    const { door } = request
    // WHY not of strangers: a program whose daemon was restarted shows its old credential once.
    if (!answered.ok && caller !== null) noteRefusal(name, caller, answered.problem)
    metrics.countOperation({ operation: name, door, outcome })
    if (operations[name].repeats === 'once') metrics.timeDecision(name, (ended - begun) / 1_000)
    onSpan?.({
      name: `pawl ${name}`,
      startedAt: performance.timeOrigin + begun,
      endedAt: performance.timeOrigin + ended,
      attributes: {
        'pawl.operation': name,
        'pawl.door': door,
        'pawl.outcome': outcome,
        'pawl.role': caller?.role ?? 'none',
      },
      traceparent: request.traceparent,
    })
    return answered
  }
}

/** Around every call, whichever door it came by. */
function watchCall(seen: CallObservation, metrics: Metrics, onSpan: ApiOptions['onSpan']): void {
  const { door, host, decision, code, tool, runId, startedAt, endedAt, judgedMs } = seen
  const { traceparent } = seen
  metrics.countCall({ door, host, decision, code, seconds: judgedMs / 1_000 })
  onSpan?.({
    name: `pawl call ${door}`,
    ...{ startedAt, endedAt, traceparent },
    attributes: {
      ...{ 'pawl.door': door, 'pawl.host': host, 'pawl.tool': tool },
      ...{ 'pawl.decision': decision, 'pawl.code': code ?? '', 'pawl.run': runId ?? '' },
      ...{ 'pawl.judged_ms': judgedMs.toFixed(3), 'pawl.outcome': 'ok' },
    },
  })
}
