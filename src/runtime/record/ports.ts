/**
 * What checking the record needs from a store: the register, and the rows that no list shows.
 * Must not know SQL, or what an entry means.
 */
import type { Claim, OutboxItem, Page, PageQuery, Snapshot, StoredMachine } from '../ports.ts'

/** One line of the register: a hash chain over the whole store. */
export type RegisterRow = {
  /** From 1, without gaps. */
  readonly seq: number
  /** An entry as JSON (`register.ts`). */
  readonly text: string
  /** Hash of the line before and of the text. */
  readonly hash: string
}

/** Where the register ends. */
export type RegisterTip = { readonly seq: number; readonly hash: string }

/** What is stored of one run beside its log, its head and its approvals. */
export type RunRows = {
  readonly replies: readonly { readonly commandId: string; readonly text: string }[]
  readonly outbox: readonly OutboxItem[]
  readonly snapshot: Snapshot | null
  /** Bytes of the log as the store counted them; null: the run has no head. */
  readonly logBytes: number | null
}

/** A row that belongs to nothing. */
export type StrayRow = { readonly table: string; readonly id: string }

export type RecordStore = {
  /** Lines after a number, in order. */
  readonly readRegister: (query: {
    readonly after: number
    readonly limit: number
  }) => Promise<readonly RegisterRow[]>
  /** Null: the register is empty. */
  readonly readRegisterTip: () => Promise<RegisterTip | null>
  /** Adds a line; durable when it resolves. */
  readonly noteInRegister: (text: string) => Promise<RegisterTip>
  readonly readRunRows: (runId: string) => Promise<RunRows>
  /** Every claim, in order of run and branch. */
  readonly listClaims: (query: PageQuery) => Promise<Page<Claim>>
  /** Every machine, in order of the hash. */
  readonly listMachines: (query: PageQuery) => Promise<Page<StoredMachine>>
  readonly listCollections: () => Promise<readonly string[]>
  /** Rows of runs without a log, and versions without a definition; not all when there are many. */
  readonly findStrays: () => Promise<readonly StrayRow[]>
}
