/**
 * What the runtime needs from a store: one log per run, and what is projected from it. Knows
 * records. Must not know SQL, or what an event means.
 * A run and its child runs have one log, under the id of the main run (ADR 0008): a command that
 * touches several of them is one change, and every key begins with that id.
 */
import type { RecordStore } from './record/ports.ts'

/** One line of a log. Texts are kept as they were hashed, to the letter. */
export type EventRecord = {
  /** From 1 within the log, without gaps. */
  readonly seq: number
  /** The run it is about: the main run or one of its child runs. */
  readonly member: string
  readonly type: string
  /** The event as JSON. */
  readonly data: string
  readonly at: number
  /** `kind:name` of who caused it. */
  readonly actor: string
  readonly commandId: string
  /** Hashes of the rows that were stored with it (`record/binds.ts`); null: of none. */
  readonly binds: string | null
  /** Hash of the record before and of all fields above. */
  readonly hash: string
}

/** What a list of runs shows: a projection of the log. */
export type RunHead = {
  readonly id: string
  /** Hash of the machine it is pinned to. */
  readonly machine: string
  readonly definition: string
  readonly dialect: string
  readonly status: string
  readonly stage: string
  /** Records in the log; the next one has this number plus one. */
  readonly seq: number
  /** Hash of the last record. */
  readonly hash: string
  readonly workspace: string | null
  readonly callsCount: number
  readonly costMicroUsd: number
  readonly startedAt: number
  readonly updatedAt: number
  /** Null while it goes on. */
  readonly endedAt: number | null
}

/** A question to a person: a projection of the log. */
export type ApprovalRow = {
  readonly id: string
  readonly runId: string
  /** The run of the family that asks. */
  readonly member: string
  readonly kind: 'move' | 'call'
  readonly message: string
  readonly hash: string
  readonly status: ApprovalStatus
  readonly requestedAt: number
  readonly expiresAt: number | null
  readonly decidedAt: number | null
  readonly decidedBy: string | null
  readonly note: string
  /** What waits, as JSON. */
  readonly pending: string
}
type ApprovalStatus = 'pending' | 'granted' | 'refused' | 'expired'

/** Work outside the run, delivered at least once. */
export type OutboxItem = {
  readonly id: string
  readonly runId: string
  readonly kind: string
  readonly data: string
  readonly dueAt: number
  readonly attempts: number
}

/** A fold kept so that the next one begins here; may be deleted at any time. */
export type Snapshot = {
  readonly seq: number
  /** Another version of the fold does not read it. */
  readonly version: number
  readonly state: string
}

/** One command's worth of a log, kept whole or not at all. */
export type RunChange = {
  readonly runId: string
  /** Records the log must have now; 0: there must be no such run. */
  readonly expectedSeq: number
  readonly head: RunHead
  readonly events: readonly EventRecord[]
  /** Null: nobody will ask for this reply again. */
  readonly reply: { readonly commandId: string; readonly text: string } | null
  /** Questions that were put or decided, as they are now. */
  readonly approvals: readonly ApprovalRow[]
  readonly outbox: readonly OutboxItem[]
  readonly snapshot: Snapshot | null
}

/** `conflict`: the log has moved on. `repeated`: this command has its reply already. */
export type Committed = 'committed' | 'conflict' | 'repeated'

export type StoredRun = {
  readonly head: RunHead
  readonly snapshot: Snapshot | null
  /** The record that the snapshot was taken at and what came after it, or everything. */
  readonly tail: readonly EventRecord[]
}

export type StoredMachine = {
  readonly hash: string
  readonly name: string
  readonly dialect: string
  readonly format: number
  readonly compiled: string
}

/** A version of a definition, as its author wrote it. */
export type DefinitionVersion = {
  readonly version: number
  /** Hash of the text. */
  readonly sourceHash: string
  readonly source: string
  readonly format: 'json' | 'yaml'
  /** The machine of each name in it. */
  readonly machines: Readonly<Record<string, string>>
  readonly createdAt: number
}

export type DefinitionRow = {
  readonly id: string
  /** Unique within its workspace; never changed. */
  readonly name: string
  /** The folder whose file it is; empty: it was stored through the API. */
  readonly workspace: string
  readonly dialect: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly latest: DefinitionVersion
}

/** `after` is what the page before gave as `next`; null: the first page, or there is no other. */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | null }
export type PageQuery = { readonly after: string | null; readonly limit: number }

export type RunQuery = PageQuery & {
  readonly statuses: readonly string[] | null
  readonly workspace: string | null
  /** Runs of this folder, of those above it and of those below it; absent: of any. */
  readonly near?: string
  readonly definition: string | null
  readonly stage?: string
  /**
   * All of them stand in its id, definition, status, stage or workspace, or in what is kept beside
   * it; case counts for letters beyond a to z only. Absent: any run.
   */
  readonly words?: readonly string[]
  /** Documents with the ids of runs as keys, and a text in them that words may stand in too. */
  readonly beside?: { readonly collection: string; readonly field: string }
}
export type ApprovalQuery = PageQuery & {
  readonly status: ApprovalStatus | null
  readonly runId: string | null
}

/** A run as it is carried from one store to another. */
export type RunCopy = {
  readonly head: RunHead
  readonly events: readonly EventRecord[]
  readonly approvals: readonly ApprovalRow[]
  readonly machines: readonly StoredMachine[]
  /** The log of passkeys, by which signatures in it can be checked; absent: there are none. */
  readonly passkeys?: readonly EventRecord[] | undefined
}

export type Store = RunStore &
  DefinitionStore &
  ClaimStore &
  DocumentStore &
  StoreMaintenance &
  RecordStore

export type RunStore = {
  /** Durable when it resolves. Faults: `STORE_UNAVAILABLE`, and then nothing of it is kept. */
  readonly commit: (change: RunChange) => Promise<Committed>
  readonly loadRun: (runId: string) => Promise<StoredRun | null>
  readonly readHead: (runId: string) => Promise<RunHead | null>
  /** How far these logs are; unknown runs are left out. */
  readonly readSeqs: (runIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly findReply: (runId: string, commandId: string) => Promise<string | null>
  /** Records after a number, in order. */
  readonly readEvents: (
    runId: string,
    query: { readonly after: number; readonly limit: number },
  ) => Promise<readonly EventRecord[]>
  /** Latest change first. */
  readonly listRuns: (query: RunQuery) => Promise<Page<RunHead>>
  /** Oldest question first. */
  readonly listApprovals: (query: ApprovalQuery) => Promise<Page<ApprovalRow>>
  readonly readApproval: (id: string) => Promise<ApprovalRow | null>
  /** Pending ones whose time is over. */
  readonly dueApprovals: (at: number, limit: number) => Promise<readonly ApprovalRow[]>
  /** Takes work that is due for a while; nobody else gets it before `at + leaseMs`. */
  readonly takeOutbox: (query: {
    readonly at: number
    readonly leaseMs: number
    readonly limit: number
  }) => Promise<readonly OutboxItem[]>
  readonly settleOutboxItem: (id: string) => Promise<void>
  readonly delayOutboxItem: (id: string, dueAt: number) => Promise<void>
}

export type DefinitionStore = {
  readonly putMachines: (machines: readonly StoredMachine[], at: number) => Promise<void>
  readonly readMachine: (hash: string) => Promise<StoredMachine | null>
  /** Null: the name is taken in that workspace. */
  readonly createDefinition: (row: DefinitionRow) => Promise<DefinitionRow | null>
  /** Adds a version if the latest one is `expected`; null: it is not, or it was deleted. */
  readonly addVersion: (
    id: string,
    expected: number,
    next: DefinitionVersion,
  ) => Promise<DefinitionRow | null>
  readonly readDefinition: (id: string) => Promise<DefinitionRow | null>
  readonly findDefinition: (name: string, workspace: string) => Promise<DefinitionRow | null>
  readonly listVersions: (id: string) => Promise<readonly DefinitionVersion[]>
  /** By name. */
  readonly listDefinitions: (query: PageQuery) => Promise<Page<DefinitionRow>>
  /** Machines stay: runs are pinned to them. */
  readonly deleteDefinition: (id: string) => Promise<'deleted' | 'unknown'>
}

/** Which conversation of a host works on which run. */
export type Claim = {
  readonly runId: string
  /** The name of a branch; empty: the main run. */
  readonly branch: string
  readonly session: string
  readonly at: number
}

export type ClaimStore = {
  /** The session that has it now: the one that asks, unless another was first. */
  readonly claim: (claim: Claim) => Promise<string>
  /** What a session has, the latest first. */
  readonly claimsOf: (session: string) => Promise<readonly Claim[]>
  /** Who has a run and its branches, in order of the branch. */
  readonly claimsOn: (runId: string) => Promise<readonly Claim[]>
  /** Lets go of what a session has; it may not have any. */
  readonly releaseSession: (session: string) => Promise<void>
  /** Lets go of a run and its branches, whoever has them. */
  readonly releaseRun: (runId: string) => Promise<void>
}

/**
 * A small record beside the runs: a memory, a task, the pin of a tool. Which collections there are
 * is up to the code that uses them.
 */
export type StoredDocument = {
  readonly collection: string
  /** Unique within its collection. */
  readonly key: string
  /** 1, and one more with each writing. */
  readonly version: number
  /** JSON. */
  readonly data: string
  /** When it was written last. */
  readonly at: number
}

export type DocumentChange = {
  readonly collection: string
  readonly key: string
  /** The version that there must be now; 0: no such document; null: whatever there is. */
  readonly expected: number | null
  /** Null: the document is removed. */
  readonly data: string | null
  readonly at: number
}

export type DocumentStore = {
  readonly readDocument: (collection: string, key: string) => Promise<StoredDocument | null>
  /** Those of these keys that there are, in order of the key. */
  readonly readDocuments: (
    collection: string,
    keys: readonly string[],
  ) => Promise<readonly StoredDocument[]>
  /** Those whose key begins with a prefix, in order of the key. */
  readonly listDocuments: (
    query: PageQuery & { readonly collection: string; readonly prefix: string },
  ) => Promise<Page<StoredDocument>>
  readonly countDocuments: (collection: string, prefix: string) => Promise<number>
  /**
   * Each document at most once; all of them or none, durable when it resolves. After the fault
   * `STORE_UNAVAILABLE` they may have been written: whoever must know reads them again.
   */
  readonly writeDocuments: (changes: readonly DocumentChange[]) => Promise<'written' | 'conflict'>
}

export type StoreMaintenance = {
  readonly kind: 'memory' | 'sqlite' | 'postgres'
  /** Whether other processes may change the same logs. */
  readonly isShared: boolean
  /** Hears of changes that other processes made; a hint that may be lost or come twice. */
  readonly onChange: (listener: (runId: string, seq: number) => void) => () => void
  /** Why no such hints come in; null: they do, or there are no other processes. */
  readonly listenError: () => string | null
  /** Says through the hint channel that a log has grown. Never fails. */
  readonly tellChange: (runId: string, seq: number) => void
  /** Puts projections of one run in the place of what is there. */
  readonly replaceProjections: (
    head: RunHead,
    approvals: readonly ApprovalRow[],
    snapshot: Snapshot | null,
  ) => Promise<void>
  /** `exists`: there is a run of that id already; nothing was changed. */
  readonly importRun: (copy: RunCopy) => Promise<'imported' | 'exists'>
  /** Ids of all runs, in order of the id. */
  readonly listRunIds: (query: PageQuery) => Promise<Page<string>>
  /** Ended runs, the longest ended first, with the bytes of their logs. */
  readonly listEnded: (query: {
    readonly before: number
    readonly limit: number
  }) => Promise<
    readonly { readonly id: string; readonly bytes: number; readonly endedAt: number }[]
  >
  /** Removes runs with everything that is kept of them. */
  readonly removeRuns: (runIds: readonly string[]) => Promise<void>
  readonly countBytes: () => Promise<number>
  /** What is wrong; null: it can be read and written. */
  readonly findTrouble: () => Promise<string | null>
  readonly close: () => Promise<void>
}
