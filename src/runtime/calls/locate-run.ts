/**
 * Which run judges a caller. The one answer for every door and the command line; the table of
 * rulings is in docs/reference/calls.md, and each of them is a line here.
 * Knows sessions, folders and marks. Must not know what the caller wants.
 */

import type { RunHead, Store } from '../ports.ts'
import { isOpen } from '../runs/open-statuses.ts'
import type { CallSignatures, PresentedSignature } from '../sessions/call-signature.ts'
import { lockedText } from '../sessions/folder-locks.ts'
import { isNear, realFolder } from '../sessions/folders.ts'
import { sameFolders } from '../sessions/repository.ts'
import { claimBranch, listRunsHere, runOfSession } from '../sessions/session-run.ts'

export type LocateRequest = {
  /** Where the caller works, as an absolute path. */
  readonly workspace: string
  /** The run that the environment names (`PAWL_RUN`); null: none. */
  readonly runId: string | null
  /** The session of a host, from its hook; null: the caller is no session. */
  readonly session: SessionCaller | null
  /** A mark in the arguments of a call; it counts only if a hook of this daemon wrote it. */
  readonly mark?: PresentedSignature | null
  /** The run that this caller was held by last; null: none. */
  readonly last?: string | null
  /** A person at the command line means a run of this folder or one above it, never one below. */
  readonly isPerson?: boolean
}

type SessionCaller = {
  /** `claude:abc`. */
  readonly name: string
  /** A sub-agent of the session; null: the main one. */
  readonly agent: string | null
  /** What a session without a run may do while other sessions have runs in its folder. */
  readonly otherSessions: 'refused' | 'free'
  /** Whether it takes the one free run of the folder; absent: yes. */
  readonly mayClaim?: boolean
}

export type LocatedRun =
  | { readonly kind: 'run'; readonly runId: string; readonly branch: string | null }
  /** No run: policies alone. `others`: open runs here that other sessions have. */
  | { readonly kind: 'none'; readonly others: readonly RunHead[] }
  /** It cannot be told, so nothing is let through. */
  | UnclearRun

export type UnclearRun = {
  readonly kind: 'unclear'
  readonly code: 'REQUEST_INVALID'
  readonly reason: string
  readonly hint: string
}

export type LocateTools = {
  readonly store: Store
  readonly marks: Pick<CallSignatures, 'isProven'>
  readonly now: () => number
  /** What is wrong with the hooks of a guarded folder; nothing: they are in force, or none are. */
  readonly brokenHooks: (workspace: string) => readonly string[]
  /** Ids of the open runs of a folder, above it and below it, as far as two of them. */
  readonly openRuns: (workspace: string) => Promise<readonly string[]>
  /** The run that has left a folder locked; null: it is not. */
  readonly lockAt: (workspace: string) => Promise<string | null>
  /** Branches of a run that somebody can work on, the one at work first. */
  readonly openBranches: (runId: string) => Promise<readonly string[]>
}

/** The run that judges this caller. */
export async function locateRun(tools: LocateTools, caller: LocateRequest): Promise<LocatedRun> {
  const { runId, session } = caller
  const workspace = realFolder(caller.workspace)
  if (runId !== null) return namedRun(tools, { ...caller, runId })
  if (session !== null) return sessionRun(tools, session, workspace)
  const marked = await markedRun(tools, caller, workspace)
  if (marked !== null) return marked
  // A hook that has no run to name still holds its session.
  const isHeld = caller.isPerson || provenMark(tools, caller) !== null
  const broken = isHeld ? [] : tools.brokenHooks(workspace)
  return broken.length > 0 ? withoutHooks(broken) : folderRun(tools, caller, workspace)
}

/** WHY: no hook has marked the call, so nothing holds the other calls of its session either. */
function withoutHooks(problems: readonly string[]): UnclearRun {
  const [first = ''] = problems
  const reason = `the hooks of this folder are not in force (${first})`
  return unclear(reason, 'ask a person to restore them with `pawl init --restore`')
}

type NamedRunRequest = LocateRequest & { readonly runId: string }

/** What the environment names was said by whoever started the host: no call says otherwise. */
async function namedRun(tools: LocateTools, caller: NamedRunRequest): Promise<LocatedRun> {
  const { runId, session } = caller
  if ((await tools.store.readHead(runId)) === null) {
    const reason = `PAWL_RUN names the run \`${runId}\`, which does not exist`
    return unclear(reason, '`pawl runs --all` lists them')
  }
  if (session !== null) return inBranch(tools, session, runId)
  const mark = provenMark(tools, caller)
  return { kind: 'run', runId, branch: mark?.run === runId ? mark.branch : null }
}

function provenMark(
  { marks }: LocateTools,
  { mark = null }: LocateRequest,
): PresentedSignature | null {
  return mark !== null && marks.isProven(mark) ? mark : null
}

/** The run of the session whose hook marked the call; null: it names none. */
async function markedRun(
  tools: LocateTools,
  caller: LocateRequest,
  workspace: string,
): Promise<LocatedRun | null> {
  const mark = provenMark(tools, caller)
  if (mark === null || mark.run === null) return null
  const where = (await tools.store.readHead(mark.run))?.workspace ?? null
  if (where !== null && sameFolders(workspace).some((folder) => isNear(where, folder))) {
    return { kind: 'run', runId: mark.run, branch: mark.branch }
  }
  // WHY: a mark can be read in the transcript of a session and shown in another folder.
  const reason =
    'the hook names a run that belongs to another folder than the one the caller works in'
  return unclear(reason, 'a person sets the run with PAWL_RUN, or the folder with --workspace')
}

/** No session is known: the only run that is open here, above or below. */
async function folderRun(
  tools: LocateTools,
  { last = null, isPerson }: LocateRequest,
  workspace: string,
): Promise<LocatedRun> {
  const here = isPerson ? await idsAbove(tools, workspace) : await tools.openRuns(workspace)
  const [only, second] = here
  if (second !== undefined) {
    const names = `\`${only}\`, \`${second}\` or others`
    return unclear(
      `several runs are open in this folder, above it or below it: ${names}`,
      'a person chooses one with PAWL_RUN, or ends the others with `pawl cancel RUN`',
    )
  }
  // WHY the last one: who could end its run would choose what it is held by.
  const runId = only ?? last
  if (runId !== null) return { kind: 'run', runId, branch: null }
  return (isPerson ? null : await lockedFolder(tools, workspace)) ?? { kind: 'none', others: [] }
}

/** Nothing is let through in a folder that an agent has left; null: it is not locked. */
async function lockedFolder(
  { lockAt }: LocateTools,
  workspace: string,
): Promise<UnclearRun | null> {
  const runId = await lockAt(workspace)
  if (runId === null) return null
  const { reason, hint } = lockedText(runId)
  return unclear(reason, hint)
}

async function idsAbove({ store }: LocateTools, workspace: string): Promise<readonly string[]> {
  const { own, all } = await listRunsHere(store, workspace, 'anybody')
  return (own.length > 0 ? own : all).map(({ id }) => id)
}

/** The run that the session works on; else the one free run of its folder, from now on. */
async function sessionRun(
  tools: LocateTools,
  session: SessionCaller,
  workspace: string,
): Promise<LocatedRun> {
  const head = await runOfSession(tools.store, session.name)
  if (head !== null && isOpen(head.status)) return inBranch(tools, session, head.id)
  // WHY: who could give up one run and start another would choose what it is held by.
  const begunBy = head === null || head.status === 'completed' ? 'anybody' : 'person'
  const { all, free } = await listRunsHere(tools.store, workspace, begunBy)
  const [only, second] = free
  if (second !== undefined) return severalFree(free)
  if (only !== undefined && session.mayClaim === false) {
    return { kind: 'run', runId: only.id, branch: null }
  }
  if (only !== undefined) {
    const wish = { runId: only.id, branch: '', session: session.name, at: tools.now() }
    // Another session was faster: there is one free run less.
    const isMine = (await tools.store.claim(wish)) === session.name
    return isMine ? inBranch(tools, session, only.id) : sessionRun(tools, session, workspace)
  }
  // A run that has ended still says what may be done after it, until there is another.
  if (head !== null) return inBranch(tools, session, head.id)
  const locked = await lockedFolder(tools, workspace)
  if (locked !== null) return locked
  // WHY: an agent that could begin a second session, or end its own, would be free of its run.
  return all.length > 0 && session.otherSessions === 'refused'
    ? othersOpen(all)
    : { kind: 'none', others: all }
}

/** The main agent works on the main run, a sub-agent on the branch that is its own. */
async function inBranch(
  { store, now, openBranches }: LocateTools,
  { name, agent }: SessionCaller,
  runId: string,
): Promise<LocatedRun> {
  if (agent === null) return { kind: 'run', runId, branch: null }
  const claim = { runId, session: `${name}/${agent}`, at: now() }
  const branch = await claimBranch(store, await openBranches(runId), claim)
  return { kind: 'run', runId, branch }
}

const listedMax = 12

function severalFree(free: readonly RunHead[]): UnclearRun {
  const names = free.map(({ id, definition, stage }) => `${id} (${definition}, \`${stage}\`)`)
  return unclear(
    `${free.length} runs are open in this folder, and it is not clear which one this session ` +
      `works on: ${names.slice(0, listedMax).join(', ')}`,
    'a person sets PAWL_RUN in the environment of the agent, or ends the others with ' +
      '`pawl cancel RUN`',
  )
}

function othersOpen(others: readonly RunHead[]): UnclearRun {
  const names = others.slice(0, listedMax).map(({ id, definition }) => `${id} (${definition})`)
  return unclear(
    'this session has no run, and other sessions have runs open in this folder: ' +
      names.join(', '),
    'start your own run with pawl_load_workflow of the MCP server pawl, or ask a person to ' +
      'release one with `pawl release RUN`',
  )
}

function unclear(reason: string, hint: string): UnclearRun {
  return { kind: 'unclear', code: 'REQUEST_INVALID', reason, hint }
}
