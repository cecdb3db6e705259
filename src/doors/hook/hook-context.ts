/** What answering a hook needs, and which run a hook belongs to. */
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import type { BoxHints } from '../../runtime/boxes/boxes-port.ts'
import type { LocatedRun } from '../../runtime/calls/locate-run.ts'
import type { RunHead } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { isNear, realFolder } from '../../runtime/sessions/folders.ts'
import type { GuardedFolder } from '../../runtime/sessions/guarded-folders.ts'
import { sameFolders } from '../../runtime/sessions/repository.ts'
import type { HookPairs } from './hook-pairs.ts'
import type { HookInput, HookProtocol } from './hook-protocol.ts'
import type { SessionMemory, SessionSet } from './session-memory.ts'
import type { Spending } from './spending/open-spending.ts'

type HookSettings = {
  /** How long a call may wait for a person, where its host lets it wait. */
  readonly askWaitMs: number
  readonly orderWaitMs: number
  /** How often in a row an agent that wants to stop is sent back to an unfinished run. */
  readonly stopsMax: number
  /** What a session may do that has no run, while runs of other sessions are open in its folder. */
  readonly otherSessions: 'refused' | 'free'
  /** Whether an answer at the host's own prompt decides a call that waits for a person. */
  readonly promptApprovals: boolean
}

/** Which folders are guarded. */
export type FolderGuard = {
  /** The guarded folder that a folder belongs to; null: nothing guards it. */
  readonly of: (folder: string) => GuardedFolder | null
  /** The guarded folder that a text names; null: it names none. */
  readonly namedIn: (text: string) => GuardedFolder | null
}

/** A session was stopped, because the hooks of its folder are gone. */
export type GuardAlarm = {
  readonly workspace: string
  readonly host: AgentHostId
  readonly problems: readonly string[]
}

export type HookOptions = {
  readonly runtime: Runtime
  readonly settings: HookSettings
  /** What is wrong with the hooks of a folder, of one host or all; nothing: they are in force. */
  readonly checkHooks: (workspace: string, host: AgentHostId | null) => readonly string[]
  readonly guard: FolderGuard
  /** Tells a person of something that is wrong with the guard itself. Returns at once. */
  readonly report: (alarm: GuardAlarm) => void
  readonly log: (what: string, about: JsonObject) => void
  /** Lets runs pay for their models; absent: nobody counts. */
  readonly spending?: Spending
}

export type HookContext = HookOptions & {
  readonly memory: SessionMemory
  readonly pairs: HookPairs
  /** Sessions that the hooks of their folder have asked for. */
  readonly withHooks: SessionSet
}

/** A hook's question, once it is read. */
export type HookRequest = {
  readonly heard: HookInput
  readonly protocol: HookProtocol
  readonly workspace: string
  /** The run that the host's environment names; null: none. */
  readonly runId: string | null
  /** Whether its session may take a run that is free. */
  readonly mayClaim: boolean
  /** Whether the hook is one of the folder, or of the user. */
  readonly scope: 'project' | 'user'
  /** The box that its host is in; null: in none. */
  readonly box: BoxHints | null
  /** Raised when whoever asks is gone; null: it waits. */
  readonly signal: AbortSignal | null
}

/** The run that judges this session. */
export async function locateSession(
  { runtime, settings }: HookContext,
  request: HookRequest,
): Promise<LocatedRun> {
  const { heard, workspace, runId, mayClaim } = request
  const { otherSessions } = settings
  const session = { name: sessionName(heard), agent: heard.agent, otherSessions, mayClaim }
  const located = await runtime.calls.locate({ workspace, runId, session })
  if (located.kind !== 'run') return located
  return speaksFor(request, await runtime.readHead(located.runId)) ? located : foreignRun
}

/**
 * Whether a hook speaks for a run: the hooks of a folder have a secret for that folder alone, and
 * those of a user for every folder.
 */
export function speaksFor(
  { workspace, scope }: Pick<HookRequest, 'workspace' | 'scope'>,
  head: Pick<RunHead, 'workspace'> | null,
): boolean {
  const where = head?.workspace ?? null
  if (scope === 'user' || where === null || isNear(where, workspace)) return true
  return sameFolders(realFolder(workspace)).some((folder) => isNear(where, folder))
}

const foreignRun: LocatedRun = {
  kind: 'unclear',
  code: 'REQUEST_INVALID',
  reason: 'the hooks of this folder speak for a session that works on a run of another folder',
  hint: 'start a new session here, or set PAWL_RUN to a run of this folder',
}

/** A session under the name that claims use. */
export function sessionName({ host, session }: HookInput): string {
  return `${host}:${session}`
}

/** Whoever speaks: a session, or a sub-agent of it. */
export function speakerName({ heard }: HookRequest): string {
  const session = sessionName(heard)
  return heard.agent === null ? session : `${session}/${heard.agent}`
}

/**
 * Whether the host's own user may decide about a call of a run.
 * WHY not by default: Pawl learns of the answer from a report of the host's hook alone.
 */
export function mayDecideAtPrompt(
  { settings }: Pick<HookContext, 'settings'>,
  { protocol }: Pick<HookRequest, 'protocol'>,
): boolean {
  return protocol.asks && settings.promptApprovals
}

/** The name under which a decision at the host's own prompt is recorded. */
export function promptName({ heard }: HookRequest): string {
  // WHY not the name of a person: nobody knows who sat there, only what the host did.
  return `the prompt of ${heard.host}, reported by its hook`
}

/** The agent of a host. */
export const hookAgent = { kind: 'agent', name: 'agent' } as const
