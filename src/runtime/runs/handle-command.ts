/**
 * The one way to move a run: load, decide, store, and only then reply.
 * Knows transactions. Must not contain a condition about the domain.
 */
import { toUSVString } from 'node:util'
import { type View, viewMember } from '../../core/dialects/run-view.ts'
import type { Context, Family, FamilyDecision } from '../../core/engine/family.ts'
import { addressedMember, commandFamily } from '../../core/engine/family.ts'
import { needsWorkspace, wantedReports } from '../../core/engine/needs-workspace.ts'
import { asksForSession } from '../../core/engine/session-past.ts'
import { isSameFiles, stricterFamily } from '../../core/engine/stage-files.ts'
import type { Actor, Command } from '../../core/engine/types.ts'
import type { WorkspaceState } from '../../core/evidence/meets-requirement.ts'
import { own } from '../../core/json.ts'
import type { Policy } from '../../core/machine/machine.ts'
import type { Clock } from '../clock.ts'
import type { MachineCache } from '../definitions/machine-cache.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import { PawlError } from '../pawl-error.ts'
import type { Committed, Store } from '../ports.ts'
import type { By, CommandOutcome } from '../runtime.ts'
import type { SessionHistory } from '../sessions/session-history.ts'
import { readReports } from '../workspace/read-reports.ts'
import { buildChange, type LogPosition, logPositionOf, type OutboxSource } from './build-change.ts'
import { type LoadedRun, loadRun } from './load-run.ts'
import { unknownRun } from './log-maintenance.ts'
import type { Pins } from './projections.ts'
import type { RunCache } from './run-cache.ts'
import type { RunQueue } from './run-queue.ts'
import { findStoredReply } from './stored-reply.ts'
import type { Waiters } from './waiters.ts'

/** What every command needs at hand. */
export type CommandContext = {
  readonly store: Store
  readonly shelf: MachineCache
  readonly cache: RunCache
  readonly queue: RunQueue
  readonly waiters: Waiters
  readonly clock: Clock
  readonly newId: () => string
  /** How long a question to a person stays open. */
  readonly approvalMs: number
  /** Policies laid over the runs of a workspace, the highest authority first. */
  readonly policies: (workspace: string | null) => readonly Policy[]
  /** Folders and files that no call may touch now, as absolute paths. */
  readonly guarded: () => readonly string[]
  readonly outboxFor: OutboxSource
  /** How the files of a workspace are now. Never rejects. */
  readonly observeWorkspace: (folder: string) => Promise<WorkspaceState>
  /** Whose signatures decisions need, and what they are. */
  readonly passkeys: Passkeys
  /** What sessions have done in their runs, for rules over a session. */
  readonly history: SessionHistory
  /** Opens and closes the files of sessions in boxes as their runs move; absent: there are none. */
  readonly files?: FilesPort
}

/** Sessions in boxes, as far as runs are concerned. */
export type FilesPort = {
  /** Has the files of a run's box open as its stage says. Fault `FILES_IN_USE`: not now. */
  readonly follow: (runId: string, family: Family) => Promise<void>
  /** Sets them after a move that may not have happened, again until it is done. Never rejects. */
  readonly undo: (runId: string, family: Family) => Promise<void>
}

export type Planned = {
  readonly command: Command
  readonly branch: string | null
}

/** What is wanted of a run, once it is known how the run stands. */
export type CommandRequest = {
  readonly runId: string
  readonly plan: (run: LoadedRun) => Planned
  /** What the caller sent: the same command id with anything else is another command. */
  readonly asked: unknown
}

/** How often a decision is made anew because another node was faster. */
const triesMax = 4

/** Carries out a command on a run that exists. */
export function handleCommand(
  context: CommandContext,
  wish: CommandRequest,
  by: By,
): Promise<CommandOutcome> {
  const { runId, plan, asked } = wish
  return context.queue.inTurn(runId, async () => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const run = context.cache.get(runId) ?? (await openRun(context, runId))
      const planned = plan(run)
      const deciding = { run, planned, actor: by.actor }
      const done = await inSession(context, deciding, async (inputs) => {
        const engineContext = await withWorkspace(context, deciding, inputs)
        const answered = commandFamily(run.family, planned, engineContext)
        const standing = logPositionOf(run)
        const { branch } = planned
        const decided = { runId, answered, standing, branch, at: engineContext.at, asked }
        return keep(context, decided, by)
      })
      if (done !== null) return done
      context.cache.drop(runId)
    }
    const message = `the run \`${runId}\` kept changing while the command was being decided`
    throw new PawlError('STORE_CONFLICT', message, { hint: 'try again' })
  })
}

/** What a new run begins with. */
type Birth = {
  readonly runId: string
  readonly workspace: string | null
  readonly library: Pins
  readonly begin: (engineContext: Context) => FamilyDecision
  readonly asked: unknown
}

/** Carries out the command that makes a run. */
export function handleStart(
  context: CommandContext,
  birth: Birth,
  by: By,
): Promise<CommandOutcome> {
  const { runId, workspace, library, begin, asked } = birth
  return context.queue.inTurn(runId, async () => {
    const at = context.clock.now()
    const answered = begin(contextOf(context, { at, actor: by.actor, workspace, library }))
    const { reply } = answered
    if (reply.kind === 'refused') {
      throw new PawlError('REQUEST_INVALID', `the run does not start: ${reply.reason}`, reply)
    }
    const beginning = { workspace, startedAt: at, endedAt: null }
    const standing = { family: null, seq: 0, hash: '', at, beginning, library, snapshotSeq: 0 }
    const done = await keep(context, { runId, answered, standing, branch: null, at, asked }, by)
    if (done !== null) return done
    const hint = 'start it under another id'
    throw new PawlError('RUN_EXISTS', `the run \`${runId}\` already exists`, { hint })
  })
}

/** The run as it is now; from the store where another node may have moved it. */
export async function openRun(context: CommandContext, runId: string): Promise<LoadedRun> {
  const cached = context.cache.get(runId)
  if (cached !== undefined) return cached
  const run = await loadRun(context.store, context.shelf, runId)
  if (run === null) throw unknownRun(runId)
  context.cache.put(run)
  return run
}

/** The run, read anew when it has moved elsewhere. */
export async function currentRun(context: CommandContext, runId: string): Promise<LoadedRun> {
  // WHY in turn: a command that overtakes a load would leave the run at hand as it was before.
  const { cache, queue } = context
  const run = cache.get(runId) ?? (await queue.inTurn(runId, () => openRun(context, runId)))
  if (await isCurrent(context, runId, run.head.seq)) return run
  return queue.inTurn(runId, () => {
    cache.drop(runId)
    return openRun(context, runId)
  })
}

async function isCurrent({ store }: CommandContext, runId: string, seq: number): Promise<boolean> {
  if (!store.isShared) return true
  return (await store.readSeqs([runId])).get(runId) === seq
}

type Deciding = {
  readonly run: LoadedRun
  readonly planned: Planned
  readonly actor: Actor
}

/**
 * Decides with what the session has done that makes a call, where a rule asks.
 * WHY in turn: what a session does in two runs at once counts in both. No turn of a run is waited
 * for inside of it.
 */
async function inSession<T>(
  context: CommandContext,
  { run, planned, actor }: Deciding,
  decide: (inputs: Context) => Promise<T>,
): Promise<T> {
  const inputs = contextFor(context, run, actor)
  const { history, queue } = context
  const { command } = planned
  if (!asksForSession(run.family, command, inputs.policies ?? [])) return decide(inputs)
  const session = await history.sessionOf(run.head.id, command)
  if (session === null) return decide(inputs)
  return queue.inTurn(`session ${session}`, async () => {
    const past = await history.take(session, run)
    return decide({ ...contextFor(context, run, actor), session: past })
  })
}

/** The context of a decision, with a fingerprint of the workspace where a rule needs one. */
async function withWorkspace(
  context: CommandContext,
  { run, planned }: Deciding,
  inputs: Context,
): Promise<Context> {
  const { workspace: folder } = run.head
  if (folder === null) return inputs
  if (!needsWorkspace(run.family, planned, inputs.policies ?? [])) return inputs
  const policies = inputs.policies ?? []
  const wanted = wantedReports(run.family, planned, policies)
  const reports = wanted.length === 0 ? {} : { reports: readReports(folder, wanted) }
  const workspace = { ...(await context.observeWorkspace(folder)), ...reports }
  // WHY the time again: looking at many files takes a moment.
  return { ...inputs, at: timeFor(context, run), workspace }
}

export function contextFor(context: CommandContext, run: LoadedRun, actor: Actor): Context {
  const { workspace } = run.head
  const at = timeFor(context, run)
  return contextOf(context, { at, actor, workspace, library: run.library })
}

/** WHY the later: nodes have clocks of their own, and a log never goes back in time. */
function timeFor({ clock }: CommandContext, { head }: LoadedRun): number {
  return Math.max(clock.now(), head.updatedAt)
}

type CommandInputs = {
  readonly at: number
  readonly actor: Actor
  readonly workspace: string | null
  readonly library: Pins
}

export function contextOf(
  context: CommandContext,
  { at, actor, workspace, library }: CommandInputs,
): Context {
  const { approvalMs, shelf } = context
  const policies = context.policies(workspace)
  const pinned = (name: string) => {
    const hash = own(library, name)
    return hash === undefined ? undefined : shelf.get(hash)
  }
  const proof = context.passkeys.required()
  const least = proof === undefined ? {} : { proof }
  return { at, actor, policies, approvalMs, library: pinned, ...least }
}

type Decided = {
  readonly runId: string
  readonly answered: FamilyDecision
  readonly standing: LogPosition
  readonly branch: string | null
  readonly at: number
  readonly asked: unknown
}

/** Keeps a decision, then speaks; null: the log has moved on meanwhile. */
async function keep(
  context: CommandContext,
  decided: Decided,
  by: By,
): Promise<CommandOutcome | null> {
  const { runId, answered, standing, at } = decided
  if (answered.recorded.length === 0 && by.commandId === null) {
    const isTrue = await isCurrent(context, runId, standing.seq)
    return isTrue ? outcomeOf(context, decided, standing.seq) : null
  }
  // WHY: half a letter is kept as another one, which would fit neither its hash nor the same id.
  const commandId = toUSVString(by.commandId ?? context.newId())
  const isNamed = by.commandId !== null
  // WHY before files are opened for it: a command that is sent again moves nothing.
  if (isNamed && movesFiles(context, decided)) {
    const known = await findStoredReply(context.store, runId, commandId)
    if (known !== null) return repeatReply(context, decided, commandId)
  }
  const { asked } = decided
  const kept = {
    runId,
    commandId,
    isNamed,
    asked,
    at,
    actor: by.actor,
    outboxFor: context.outboxFor,
  }
  const { change, run } = buildChange(answered, standing, kept)
  let committed: Committed
  try {
    // WHY before: a stage in which nothing may be written has begun when its caller hears of it.
    if (answered.recorded.length > 0) await context.files?.follow(runId, answered.family)
    committed = await context.store.commit(change)
  } catch (fault) {
    // What was kept is not known here; the next command looks for itself, and so do listeners.
    context.cache.drop(runId)
    context.waiters.wake(runId, 0)
    await settleFiles(context, decided)
    throw fault
  }
  if (committed !== 'committed') await settleFiles(context, decided)
  if (committed === 'conflict') return null
  if (committed === 'repeated') return repeatReply(context, decided, commandId)
  context.cache.put(run)
  if (answered.recorded.length > 0) {
    context.waiters.wake(runId, run.head.seq)
    context.store.tellChange(runId, run.head.seq)
  }
  return outcomeOf(context, decided, run.head.seq)
}

/** Whether a decision opens or closes files of a box. */
function movesFiles({ files }: CommandContext, { standing, answered }: Decided): boolean {
  if (files === undefined || standing.family === null) return false
  return !isSameFiles(standing.family, answered.family)
}

/**
 * The files as the stored run says: the move that they were opened or closed for may not have
 * happened. If it cannot be read, the stricter of both.
 */
async function settleFiles(context: CommandContext, decided: Decided): Promise<void> {
  const { runId, standing, answered } = decided
  if (standing.family === null || !movesFiles(context, decided)) return
  context.cache.drop(runId)
  const stored = await openRun(context, runId).catch(() => null)
  const family = stored?.family ?? stricterFamily(standing.family, answered.family)
  await context.files?.undo(runId, family)
}

type Repeated = Pick<Decided, 'runId' | 'branch' | 'asked'>

/** The reply that this command got the first time. Fault when it was another command. */
export async function repeatReply(
  context: CommandContext,
  { runId, branch, asked }: Repeated,
  commandId: string,
): Promise<CommandOutcome> {
  const kept = await findStoredReply(context.store, runId, toUSVString(commandId))
  if (kept === null) throw new PawlError('INTERNAL', 'bug: a repeated command without a reply')
  if (!kept.isFor(asked)) {
    const hint = 'use a new id for each command; only a retry reuses it'
    throw new PawlError('REQUEST_INVALID', 'this id was used for another command', { hint })
  }
  context.cache.drop(runId)
  const { family, head } = await openRun(context, runId)
  const { seq, reply } = kept
  const placed = { family, workspace: head.workspace }
  return { runId, seq, reply, view: () => viewOf(context, placed, branch), isRepeated: true }
}

function outcomeOf(context: CommandContext, decided: Decided, seq: number): CommandOutcome {
  const { runId, answered, branch, standing } = decided
  const { reply, family } = answered
  const placed = { family, workspace: standing.beginning.workspace }
  return { runId, seq, reply, view: () => viewOf(context, placed, branch), isRepeated: false }
}

type FamilyInWorkspace = { readonly family: Family; readonly workspace: string | null }

/** What the addressed run looks like, with what is left under the policies of its workspace. */
export function viewOf(
  context: CommandContext,
  { family, workspace }: FamilyInWorkspace,
  branch: string | null,
): View {
  const engineContext = { policies: policiesToShow(context, workspace), at: context.clock.now() }
  return viewMember(family, addressedMember(family, branch), engineContext)
}

/** A policy with errors denies every call, which says so; the run can be read all the same. */
function policiesToShow(context: CommandContext, workspace: string | null): readonly Policy[] {
  try {
    return context.policies(workspace)
  } catch {
    return []
  }
}
