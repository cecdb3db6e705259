/**
 * Handlers of the operations. They do not know the transport and decide nothing: a refusal of the
 * engine is returned as the problem it is.
 */
import { hasErrors } from '../../core/finding.ts'
import type { Json } from '../../core/json.ts'
import { callerName } from '../../runtime/calls/call-names.ts'
import type { CallRequest } from '../../runtime/calls/calls.ts'
import type { EventRecord, RunHead } from '../../runtime/ports.ts'
import { openRunQueue } from '../../runtime/runs/run-queue.ts'
import { type RunLabel, titleTexts } from '../../runtime/runs/run-titles.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { agentHandlers } from './agent-handlers.ts'
import { refuseHostSession, refuseStart } from './agent-runs.ts'
import { approvalAnswersOf } from './approval-answers.ts'
import { boxesHandlers } from './boxes-handlers.ts'
import type { OperationAnswer } from './contract.ts'
import { costHandlers } from './cost-handlers.ts'
import { credentialHandlers } from './credential-handlers.ts'
import { dashboardHandlers } from './dashboard-handlers.ts'
import { gatewayHandlers } from './gateway-handlers.ts'
import {
  accepted,
  byOf,
  callAnswerOf,
  definitionHeadOf,
  definitionOf,
  definitionVersionOf,
  done,
  failedAnswer,
  type HandlerAnswer,
  type HandlerContext,
  type HandlersOf,
  noOffer,
  offered,
  offerOf,
  sendIntent,
} from './handler-context.ts'
import { jobsHandlers } from './jobs-handlers.ts'
import { mailHandlers } from './mail-handlers.ts'
import type { OperationName } from './operations-table.ts'
import { passkeyHandlers } from './passkey-handlers.ts'
import { problem } from './problem.ts'
import { wordsInText } from './search-words.ts'

export type Handlers = HandlersOf<OperationName>

/** Starts of runs, one at a time for each session. */
const starting = openRunQueue()

export const handlers: Handlers = {
  ...agentHandlers,
  ...gatewayHandlers,
  ...mailHandlers,
  ...passkeyHandlers,
  ...credentialHandlers,
  ...boxesHandlers,
  'runs.start': async (context, input) => {
    const { definition, task, stage, vars, workspace, session, title, observe } = input
    const request = {
      definition,
      task: task ?? null,
      stage: stage ?? null,
      vars,
      workspace: workspace ?? null,
      ...(session === undefined ? {} : { session }),
      ...(title === undefined ? {} : { title }),
      ...(observe === true ? { observe } : {}),
    }
    const { agent, agents, runtime } = context
    const begin = async (): Promise<HandlerAnswer<OperationAnswer<'runs.start'>>> => {
      const tools = { agents, runtime }
      const foreign = agent === null ? null : await refuseStart({ ...tools, agent }, session)
      if (foreign !== null) return failedAnswer(foreign)
      const outcome = await runtime.start(request, byOf(context))
      const place = { runId: outcome.runId, branch: null }
      if (agent !== null && session === undefined) agents?.take(agent, place)
      return accepted(outcome)
    }
    // INVARIANT: of many starts at once for one session, one begins a run.
    const whose = session ?? agent?.name
    return whose === undefined ? begin() : starting.inTurn(whose, begin)
  },
  'runs.list': async ({ runtime }, { after, limit, q, stage, ...narrow }) => {
    const page = await runtime.listRuns({
      after: after ?? null,
      limit,
      statuses: narrow.statuses ?? null,
      workspace: narrow.workspace ?? null,
      definition: narrow.definition ?? null,
      ...(stage === undefined ? {} : { stage }),
      ...(q === undefined ? {} : { words: wordsInText(q), beside: titleTexts }),
    })
    return done({ ...page, items: await withTitles(runtime, page.items) })
  },
  'runs.read': async ({ runtime }, { runId, branch }) => {
    const reading = await runtime.readRun(runId, branch ?? null)
    const [head = { ...reading.head, ...noLabel }] = await withTitles(runtime, [reading.head])
    // WHY only then: looking at many files takes time, and a person decides now.
    const how = reading.head.status === 'waiting' ? 'look' : 'as kept'
    const evidence = await runtime.readEvidence(runId, how)
    return done({ ...reading, head, evidence })
  },
  'runs.signal': (context, { runId, name, data, stage, goTo, branch }) =>
    sendIntent(context, runId, {
      kind: 'say',
      utterance: { kind: 'message', name, data, stage: stage ?? null, goTo: goTo ?? null },
      branch: branch ?? null,
    }),
  ...costHandlers,
  'runs.check': async (
    context,
    { runId, tool, input, host, server, cwd, branch, estimateMicroUsd, waitMs, attempt },
  ) => {
    const { actor, commandId: key, signal, traceparent } = context
    const caller = callerIn(context)
    const options = { actor, waitMs, signal, traceparent }
    const request: CallRequest = {
      place: { kind: 'run', runId, branch: branch ?? null },
      ...({ door: 'api', caller, key, sameAs: 'key' } as const),
      ...{ tool, input, host, server: server ?? null, cwd: cwd ?? null },
      ...(estimateMicroUsd === undefined ? {} : { estimateMicroUsd }),
      ...(attempt === undefined ? {} : { attempt }),
    }
    return done(callAnswerOf(await context.runtime.calls.begin(request, options)))
  },
  'runs.report': (context, { runId, callId, branch, ...report }) =>
    sendIntent(context, runId, {
      kind: 'report',
      caller: callerName('api', callerIn(context)),
      ...(context.actor.kind === 'agent' ? { isClaim: true as const } : {}),
      callId: callId ?? null,
      report,
      branch: branch ?? null,
    }),
  'runs.pause': (context, { runId, release, reason }) =>
    sendIntent(context, runId, { kind: 'pause', release, reason }),
  'runs.resume': (context, { runId }) => sendIntent(context, runId, { kind: 'resume' }),
  'runs.cancel': (context, { runId, reason }) =>
    sendIntent(context, runId, { kind: 'cancel', reason }),
  'runs.force': (context, { runId, stage, vars }) =>
    sendIntent(context, runId, { kind: 'force', stage, vars }),
  'runs.finishBranch': (context, { runId, branch }) =>
    sendIntent(context, runId, { kind: 'finish-branch', branch }),
  'runs.claim': async (context, { runId, session }) => {
    const foreign = context.agent === null ? null : refuseHostSession(context.agent, session)
    if (foreign !== null) return failedAnswer(foreign)
    await context.runtime.sessions.claimRun({ runId, session }, context)
    return done({ session, runId })
  },
  'runs.locate': async ({ runtime, actor }, { workspace, runId, last }) => {
    const isPerson = actor.kind === 'person'
    const named = { runId: runId ?? null, last: last ?? null }
    const caller = { workspace, session: null, ...named, isPerson }
    const located = await runtime.calls.locate(caller)
    return done(located.kind === 'none' ? { kind: 'none' as const } : located)
  },
  'runs.release': async ({ runtime, agents }, { runId }) => {
    // A run that was removed may have left its folder locked.
    if (!(await runtime.sessions.isLock(runId))) await mustKnow(runtime, runId)
    const claims = await runtime.sessions.claimsOn(runId)
    await runtime.sessions.releaseRun(runId)
    const held = agents?.release(runId) ?? []
    return done({ released: [...new Set([...claims.map(({ session }) => session), ...held])] })
  },
  'sessions.read': async ({ runtime }, { session }) =>
    done({ session, run: await runtime.sessions.runOf(session) }),
  'runs.events': async ({ runtime }, { runId, after, limit }) => {
    const records = await runtime.readEvents(runId, { after, limit })
    if (records.length === 0) await mustKnow(runtime, runId)
    return done({ items: records.map(eventOf), next: records.at(-1)?.seq ?? after })
  },
  'runs.wait': async ({ runtime, signal }, { runId, after, timeoutMs }) => {
    await mustKnow(runtime, runId)
    return done({ seq: await runtime.waitFor({ runId, after, timeoutMs, signal }) })
  },
  'runs.verify': async ({ runtime }, { runId, seq, hash }) => {
    if ((seq === undefined) !== (hash === undefined)) {
      return failedAnswer(
        problem('REQUEST_INVALID', { detail: 'an anchor is `seq` and `hash` together' }),
      )
    }
    const anchor = seq === undefined || hash === undefined ? null : { runId, seq, hash }
    return done(await runtime.verify(runId, anchor))
  },
  'runs.export': async ({ runtime }, { runId }) => done(await runtime.exportRun(runId)),
  'runs.import': async ({ runtime }, copy) => done(await runtime.importRun(copy)),
  'approvals.list': async ({ runtime }, { after, limit, status, runId }) => {
    const page = await runtime.listApprovals({
      after: after ?? null,
      limit,
      status: status ?? null,
      runId: runId ?? null,
    })
    return done({ ...page, items: await approvalAnswersOf(runtime, page.items) })
  },
  'approvals.read': async ({ runtime }, { id }) => {
    const row = await runtime.readApproval(id)
    const [approval] = await approvalAnswersOf(runtime, [row])
    const isOpen = row.kind === 'move' && row.status === 'pending'
    const evidence = isOpen ? await runtime.readEvidence(row.runId, 'look') : []
    return done({ ...(approval as OperationAnswer<'approvals.read'>), evidence })
  },
  'approvals.decide': async (context, { id, granted, note, hash, edits, signature }) => {
    const signed = signature === undefined ? {} : { signature }
    const { peer } = context
    const decision = { granted, note, hash: hash ?? null, edits: edits ?? null, ...signed, peer }
    return accepted(await context.runtime.resolve(id, decision, byOf(context)))
  },
  'definitions.create': async ({ runtime }, input) => {
    const offer = offerOf(input)
    return offer === null ? failedAnswer(noOffer) : offered(await runtime.definitions.create(offer))
  },
  'definitions.list': async ({ runtime }, { after, limit }) => {
    const page = await runtime.definitions.list({ after: after ?? null, limit })
    return done({ ...page, items: page.items.map(definitionHeadOf) })
  },
  'definitions.read': async ({ runtime }, { id }) =>
    done(definitionOf(await runtime.definitions.read(id))),
  'definitions.update': async ({ runtime }, { id, ...input }) => {
    const offer = offerOf(input)
    return offer === null
      ? failedAnswer(noOffer)
      : offered(await runtime.definitions.update(id, offer))
  },
  'definitions.delete': async ({ runtime }, { id }) => {
    await runtime.definitions.remove(id)
    return done({ deleted: true })
  },
  'definitions.accept': async ({ runtime }, { id: name, workspace, hash }) =>
    done({
      name,
      workspace,
      sourceHash: await runtime.definitions.accept({ name, workspace, hash }),
    }),
  'definitions.versions': async ({ runtime }, { id }) =>
    done({ items: (await runtime.definitions.versions(id)).map(definitionVersionOf) }),
  ...jobsHandlers,
  check: async ({ runtime }, input) => {
    const offer = offerOf(input)
    if (offer === null) return failedAnswer(noOffer)
    const findings = runtime.definitions.check(offer)
    return done({ ok: !hasErrors(findings), findings })
  },
  judge: async ({ runtime }, { runId, definition, stage, workspace, ...call }) =>
    done(
      await runtime.judge({
        ...call,
        runId: runId ?? null,
        definition: definition ?? null,
        stage: stage ?? null,
        workspace: workspace ?? null,
      }),
    ),
  'notify.test': async ({ people }) => done({ items: (await people?.test()) ?? [] }),
  status: async ({ runtime, about }) =>
    done({ ...about, ...runtime.usage(), trouble: await runtime.findTrouble() }),
  stop: async ({ stop }) => {
    // WHY later: whoever asks for the end still gets the answer.
    setImmediate(stop)
    return done({ stopping: true })
  },
  health: async ({ runtime }) => {
    if ((await runtime.findTrouble()) === null) return done({ ok: true })
    // What is wrong is for those with a token: `status` tells.
    return failedAnswer(
      problem('STORE_UNAVAILABLE', { detail: 'decisions cannot be stored at the moment' }),
    )
  },
  ...dashboardHandlers,
}

/** By which the calls of one agent over the API are told from those of another. */
function callerIn({ agent, actor }: HandlerContext): string {
  return agent?.name ?? actor.kind
}

/** Fault `RUN_UNKNOWN`: nobody waits for a run that never was. */
export async function mustKnow(runtime: Runtime, runId: string): Promise<void> {
  await runtime.readRun(runId, null)
}

/** A record for readers: its data as a value. Who checks hashes takes the export. */
export function eventOf({
  data,
  ...record
}: EventRecord): OperationAnswer<'runs.events'>['items'][number] {
  return { ...record, data: JSON.parse(data) as Json }
}

const noLabel: RunLabel = { title: null, host: null }

/** Runs with what people call them, and who works on them. */
export async function withTitles<Head extends Pick<RunHead, 'id'>>(
  runtime: Runtime,
  heads: readonly Head[],
): Promise<(Head & RunLabel)[]> {
  const labels = await runtime.titles.of(heads.map((head) => head.id))
  return heads.map((head) => ({ ...head, ...(labels.get(head.id) ?? noLabel) }))
}
