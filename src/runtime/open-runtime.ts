/** Wires the runtime together: commands, definitions, and due work. */

import type { FamilyMember } from '../core/engine/family.ts'
import { judgeWithoutRun } from '../core/judge-without-run.ts'
import { knownPrices } from '../core/prices.ts'
import { openOpenRuns } from './calls/cached-open-runs.ts'
import type { Calls } from './calls/calls.ts'
import { denialOf } from './calls/denial-of-fault.ts'
import { type OpenCallsTools, openCalls } from './calls/open-calls.ts'
import type { Clock } from './clock.ts'
import type { Prices } from './costs/prices.ts'
import { openProxyKeys } from './costs/proxy-keys.ts'
import { openDefinitions } from './definitions/definitions.ts'
import { openDrafts } from './definitions/drafts.ts'
import { acceptWorkspaceFile } from './definitions/find-definition.ts'
import { openMachineCache } from './definitions/machine-cache.ts'
import type { Policies } from './definitions/policies.ts'
import { openMemories } from './documents/memories.ts'
import { openTasks } from './documents/tasks.ts'
import type { BypassTokens } from './gateway/bypass-tokens.ts'
import { openGateway } from './gateway/open-gateway.ts'
import { openPasskeys, type PasskeyOptions, type Passkeys } from './passkeys/passkeys.ts'
import { PawlError } from './pawl-error.ts'
import { openResolving } from './people/resolve-approval.ts'
import type { ApprovalRow, RunCopy, Store } from './ports.ts'
import {
  countingRefusals,
  openRefusedAttempts,
  type RefusedAttempts,
} from './record/refused-attempts.ts'
import type { OutboxSource } from './runs/build-change.ts'
import { cancelAndLock } from './runs/cancel-and-lock.ts'
import { type Deliver, openDueWork } from './runs/due-work.ts'
import {
  type CommandContext,
  currentRun,
  type FilesPort,
  handleCommand,
  viewOf,
} from './runs/handle-command.ts'
import { judgeDry } from './runs/judge-dry-run.ts'
import {
  exportRun,
  importRun,
  type Retention,
  removeOldRuns,
  verifyLog,
} from './runs/log-maintenance.ts'
import { isOpen } from './runs/open-statuses.ts'
import { freeCallOf, leafOf, planIntent } from './runs/plan-command.ts'
import { knownApproval, queriesOf } from './runs/queries.ts'
import { openRunCache } from './runs/run-cache.ts'
import { openRunQueue } from './runs/run-queue.ts'
import { openRunTitles } from './runs/run-titles.ts'
import { startRun } from './runs/start-run.ts'
import { openWaiters, type Wait } from './runs/waiters.ts'
import type {
  AcceptedFile,
  By,
  CommandOutcome,
  Definitions,
  FreeCall,
  FreeVerdict,
  Intent,
  RunReading,
  RunStanding,
  Runtime,
} from './runtime.ts'
import { openCallSignatures } from './sessions/call-signature.ts'
import { lockAt } from './sessions/folder-locks.ts'
import { openSessions } from './sessions/open-sessions.ts'
import { openSessionHistory } from './sessions/session-history.ts'
import { openWorkspaceObserver, type WorkspaceObserver } from './workspace/observe-workspace.ts'

export type RuntimeOptions = {
  readonly store: Store
  readonly clock: Clock
  /** Random, never the same twice. */
  readonly newId: () => string
  readonly policies: Policies
  readonly approvalMs: number
  /** What the configuration says of proofs, and where people reach the page. Absent: nothing. */
  readonly passkeys?: Pick<PasskeyOptions, 'proof' | 'parties'>
  /** What models cost; absent: as it is known to Pawl. */
  readonly prices?: Prices
  /** Folders and files that no call may touch now, as absolute paths. Absent: none. */
  readonly guarded?: () => readonly string[]
  /** How the files of a workspace are now; absent: as they are on this disk. */
  readonly observeWorkspace?: WorkspaceObserver
  /** Sessions in boxes; absent: there are none. */
  readonly files?: FilesPort
  /** What is wrong with the hooks of a folder that has some; absent: nobody looks. */
  readonly brokenHooks?: (workspace: string) => readonly string[]
  readonly retention: Retention
  /** What gateways go by without asking; absent: nothing. */
  readonly passes?: BypassTokens
  /** Tells people outside. */
  readonly deliver: Deliver
  /** Absent: only the effects of the engine. */
  readonly outboxFor?: OutboxSource
  readonly log: (what: string, fault: unknown) => void
}

/** A runtime, and the things that its owner calls by the clock. */
export type OpenRuntime = Runtime & {
  /** Both of the next two, for whoever has one clock. */
  readonly tick: () => Promise<number>
  /** Lets questions run out whose time is over; gives how many. Once a second is enough. */
  readonly expireDue: () => Promise<number>
  /** Delivers what is due in the outbox; returns how many items. Once a second is enough. */
  readonly deliverOwed: () => Promise<number>
  /** Looks whether other nodes moved runs that somebody waits for. Once a second is enough. */
  readonly poll: () => Promise<void>
  /** Lets old runs go; gives how many. Once an hour is enough. */
  readonly letGo: () => Promise<number>
}

const system = { kind: 'system', name: 'pawl' } as const
const noPasskeys = { proof: null, parties: () => [] }

export function openRuntime(options: RuntimeOptions): OpenRuntime {
  const { store, clock } = options
  const [waiters, queue, cache] = [openWaiters(), openRunQueue(), openRunCache()]
  const tools = { ...settingsOf(options), cache, queue, waiters }
  const [outboxFor, titles] = [options.outboxFor ?? (() => []), openRunTitles(tools)]
  const attempts = openRefusedAttempts(tools)
  const passkeys = passkeysOf(options, tools, attempts)
  const context = { ...tools, outboxFor, titles, passkeys }
  const [definitions, startedAt] = [definitionsOf(context), clock.now()]
  const forget = store.onChange((runId, seq) => noteChange(context, runId, seq))
  // WHY no id: it needs none to happen once, and an agent could have used it before.
  const expire = (row: ApprovalRow): Promise<CommandOutcome> =>
    handleCommand(context, expiryOf(row), { actor: system, commandId: null })
  const due = openDueWork({ ...options, expire })
  const [judging, marks] = [judgingOf(context), openCallSignatures()]
  // WHY none: what begins on another node is heard of too late to take one back.
  const passes = store.isShared ? null : (options.passes ?? null)
  const wait = (wish: Wait) => waitFor(context, wish)
  const reading = { ...judging, ...queriesOf(context), waitFor: wait }
  const calls = callsOf(context, {
    ...{ ...options, marks, runtime: reading, onChange: () => passes?.takeBack() },
  })
  return {
    ...reading,
    calls,
    start: (request, by) => startRun(context, request, by),
    resolve: openResolving(context),
    passkeys,
    attempts,
    sessions: openSessions(store, clock),
    titles,
    gateway: openGateway({ ...context, calls, runtime: judging, passes }),
    marks,
    pricesIn: options.prices ?? (() => knownPrices),
    onChange: waiters.listen,
    definitions,
    readPolicies: options.policies,
    drafts: openDrafts({ ...context, definitions }),
    memories: openMemories(context),
    tasks: openTasks(context),
    proxyKeys: openProxyKeys(context),
    verify: (runId, anchor) => verifyLog(store, runId, anchor),
    exportRun: (runId) => exportRun(store, runId),
    importRun: async (copy) => {
      if (passkeys.required() === 'passkey') refuseOpenCopy(copy)
      const anchor = await importRun(store, tools.shelf, { copy, now: clock.now() })
      waiters.wake(anchor.runId, anchor.seq)
      return anchor
    },
    usage: () => {
      const [runsCached, waitersCount, kind] = [cache.size(), waiters.count(), store.kind]
      return { store: kind, runsCached, waitersCount, listenError: store.listenError(), startedAt }
    },
    findTrouble: onceIn(troubleMs, clock, store.findTrouble),
    tick: async () => (await due.expire()) + (await due.deliver()),
    expireDue: due.expire,
    deliverOwed: due.deliver,
    poll: () => poll(context),
    letGo: () => letGo(context, options.retention),
    close: async () => {
      await queue.drained()
      await attempts.flush()
      forget()
      options.passes?.close()
      waiters.close()
      await store.close()
    },
  }
}

async function letGo({ store, clock, cache }: CommandContext, kept: Retention): Promise<number> {
  const gone = await removeOldRuns(store, kept, clock.now())
  for (const runId of gone) cache.drop(runId)
  return gone.length
}

function passkeysOf(
  { passkeys }: RuntimeOptions,
  tools: Omit<PasskeyOptions, 'proof' | 'parties'>,
  attempts: RefusedAttempts,
): Passkeys {
  return countingRefusals(openPasskeys({ ...tools, ...(passkeys ?? noPasskeys) }), attempts)
}

function definitionsOf(context: CommandContext): Definitions {
  const accept = (file: AcceptedFile): Promise<string> => acceptWorkspaceFile(context, file)
  return { ...openDefinitions(context), accept }
}

type Settings = Omit<CommandContext, 'cache' | 'queue' | 'waiters' | 'outboxFor' | 'passkeys'>

function settingsOf(options: RuntimeOptions): Settings {
  const { store, clock, newId, policies, approvalMs, guarded = () => [], files } = options
  const observeWorkspace = options.observeWorkspace ?? openWorkspaceObserver()
  const shelf = openMachineCache(store)
  const kept = { store, shelf, history: openSessionHistory({ store, shelf, clock }) }
  const held = files === undefined ? {} : { files }
  return { ...kept, clock, newId, policies, approvalMs, guarded, observeWorkspace, ...held }
}

/** WHY: whoever made the copy may have taken it past gates whose decisions must be signed. */
function refuseOpenCopy({ head }: RunCopy): void {
  if (!isOpen(head.status)) return
  const message = `\`${head.id}\` has not ended, and decisions must be signed here`
  const hint = 'import it once it has ended, or set `approvals.proof` in config.json'
  throw new PawlError('NOT_PERMITTED', message, { hint })
}

function standingOf({ runId, machine, state }: FamilyMember): RunStanding {
  const { calls, files, bytes } = state.counts
  return {
    member: runId,
    machine: machine.hash,
    sources: state.sources,
    callsCount: calls,
    filesCount: files.length,
    bytes,
  }
}

type CallsParts = Pick<OpenCallsTools, 'marks'> & {
  readonly brokenHooks?: OpenCallsTools['brokenHooks']
  readonly runtime: OpenCallsTools['runtime'] & Pick<Runtime, 'readRun'>
  /** Hears at once that a run may have begun or ended. */
  readonly onChange: () => void
}

function callsOf(context: CommandContext, parts: CallsParts): Calls {
  const { marks, runtime, onChange, brokenHooks = () => [] } = parts
  return openCalls({
    ...context,
    ...{ marks, runtime, leafOf, brokenHooks, now: context.clock.now },
    openRuns: openOpenRuns({ ...context, onChange }),
    lockAt: (workspace) => lockAt(context.store, workspace),
    openBranches: async (runId) => openBranchesIn(await runtime.readRun(runId, null)),
    currentRun: (runId) => currentRun(context, runId),
  })
}

/** Branches that can be worked on: the first is at work, the others are pending. */
function openBranchesIn({ view }: RunReading): readonly string[] {
  return Object.entries(view.branches).flatMap(([name, status]) =>
    status === 'running' || status === 'pending' ? [name] : [],
  )
}

type Judging = Pick<Runtime, 'send' | 'judge' | 'checkFree' | 'readRun' | 'readApproval'>

/** What is needed to judge calls. */
function judgingOf(context: Parameters<typeof judgeDry>[0]): Judging {
  return {
    send: (runId, intent, by) => send(context, { runId, intent }, by),
    judge: (request) => judgeDry(context, request),
    checkFree: (call) => checkFree(context, call),
    readRun: async (runId, branch) => {
      const run = await currentRun(context, runId)
      const leaf = leafOf(run, branch)
      const { notice } = leaf.state
      const standing = standingOf(leaf)
      const { head, family } = run
      const view = viewOf(context, { family, workspace: head.workspace }, branch)
      return { head, view, notice, standing }
    },
    readApproval: (id) => knownApproval(context.store, id),
  }
}

/** How long an answer about trouble is believed: whoever asks all the time costs no write each. */
const troubleMs = 1_000

function onceIn<T>(ms: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null
  return () => {
    const at = clock.now()
    if (last === null || at - last.at >= ms) last = { at, answer: ask() }
    return last.answer
  }
}

/** Another node moved a run: what is at hand of it is old. */
function noteChange({ cache, waiters }: CommandContext, runId: string, seq: number): void {
  const cached = cache.get(runId)
  if (cached !== undefined && cached.head.seq < seq) cache.drop(runId)
  waiters.wake(runId, seq)
}

async function poll(context: CommandContext): Promise<void> {
  const { store, waiters, passkeys } = context
  if (store.isShared) await passkeys.refresh()
  const awaited = store.isShared ? waiters.awaited() : []
  if (awaited.length === 0) return
  for (const [runId, seq] of await store.readSeqs(awaited)) noteChange(context, runId, seq)
}

type AddressedIntent = { readonly runId: string; readonly intent: Intent }

async function send(
  context: CommandContext,
  { runId, intent }: AddressedIntent,
  by: By,
): Promise<CommandOutcome> {
  const plan = (run: Parameters<typeof planIntent>[0]) => planIntent(run, intent, context.guarded())
  const wish = { runId, plan, asked: askedIn(intent) }
  if (intent.kind === 'cancel' && by.actor.kind === 'agent') {
    return cancelAndLock(context, runId, () => handleCommand(context, wish, by))
  }
  if (intent.kind !== 'check') return handleCommand(context, wish, by)
  try {
    return await handleCommand(context, wish, by)
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'RUN_UNKNOWN') throw fault
    return denial(runId, fault)
  }
}

/** What makes a command another one under the same id: of a call, what it is and not who asks. */
function askedIn(intent: Intent): unknown {
  if (intent.kind !== 'check') return intent
  const { kind, tool, input, host, server, cwd, branch } = intent
  return { kind, tool, input, host, server, cwd, branch }
}

/** INVARIANT: a call that cannot be decided and kept is denied. */
function denial(runId: string, fault: unknown): CommandOutcome {
  const none = { instead: [], input: null, callId: null }
  const reply = { kind: 'verdict', ...denialOf(fault), ...none } as const
  return { runId, seq: 0, reply, view: () => null, isRepeated: false }
}

async function waitFor(
  { store, waiters }: CommandContext,
  wish: Parameters<Runtime['waitFor']>[0],
): Promise<number> {
  // WHY first the ear, then the look: what happens in between is not missed.
  const { heard, stop } = waiters.wait(wish)
  try {
    const seq = (await store.readSeqs([wish.runId])).get(wish.runId) ?? 0
    if (seq > wish.after) waiters.wake(wish.runId, seq)
  } catch (fault) {
    stop()
    throw fault
  }
  return heard
}

function checkFree(context: CommandContext, spoken: FreeCall): FreeVerdict {
  try {
    const policies = context.policies(spoken.workspace)
    const proof = context.passkeys.required()
    const verdict = judgeWithoutRun(freeCallOf(spoken, context.guarded()), policies, proof)
    return { ...verdict, isFree: policies.length === 0 }
  } catch (fault) {
    return { ...denialOf(fault), isFree: false }
  }
}

function expiryOf({ id, runId }: ApprovalRow): Parameters<typeof handleCommand>[1] {
  const command = { type: 'ExpireApproval', approvalId: id } as const
  return { runId, plan: () => ({ command, branch: null }), asked: command }
}
