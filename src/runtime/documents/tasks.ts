/**
 * Tasks for any run to claim: a task is open, then claimed by a run, then done. Knows documents,
 * and which runs are open. Must not know who may ask.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore, RunHead, StoredDocument } from '../ports.ts'
import { isOpen } from '../runs/open-statuses.ts'
import {
  type DocumentScope,
  type DocumentWriter,
  dataOf,
  documentsOf,
  prefixOf,
  tooMuch,
} from './scoped-documents.ts'

export type Task = {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly status: TaskStatus
  /** The run that has it; null: none does. */
  readonly run: string | null
  /** What came of it. */
  readonly result: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly by: DocumentWriter
}
type TaskStatus = 'open' | 'claimed' | 'done'

/** Under one id a task is made and claimed once, however often it is asked for. */
type TaskBy = DocumentWriter & { readonly commandId: string }

export type Tasks = {
  /** Fault `REQUEST_INVALID`: one too many. */
  readonly create: (scope: DocumentScope, wish: TaskWish, by: TaskBy) => Promise<Task>
  /** The oldest first. */
  readonly list: (scope: DocumentScope, status: TaskStatus | null) => Promise<readonly Task[]>
  /**
   * Takes a task, or the oldest that is free; null: none is. What a run had that has ended is free
   * again. Faults `TASK_UNKNOWN`, `TASK_TAKEN`.
   */
  readonly claim: (scope: DocumentScope, id: string | null, by: TaskBy) => Promise<Task | null>
  /** Only by the run that has it. Faults `TASK_UNKNOWN`, `TASK_TAKEN`. */
  readonly update: (scope: DocumentScope, change: TaskChange, by: TaskBy) => Promise<Task>
}

type TaskWish = { readonly title: string; readonly note: string }
type TaskChange = {
  readonly id: string
  readonly title?: string
  readonly note?: string
  readonly result?: string
  /** `open`: it is given back. */
  readonly status?: TaskStatus
}

const collection = 'tasks'
/** Tasks of one scope; while there are more, the oldest that are done make room. */
export const tasksMax = 1_000
/** How often a write that came second is tried anew. */
const triesMax = 20

type Options = {
  readonly store: DocumentStore & { readonly readHead: (runId: string) => Promise<RunHead | null> }
  readonly clock: Clock
}

type StoredTask = Omit<Task, 'id' | 'updatedAt'> & { readonly claimId: string | null }

export function openTasks(options: Options): Tasks {
  const { store, clock } = options
  const list = async (scope: DocumentScope): Promise<readonly Task[]> => {
    const documents = await documentsOf(store, collection, scope)
    return documents
      .map((document) => taskOf(document, scope))
      .sort((a, b) => a.createdAt - b.createdAt)
  }
  return {
    list: async (scope, status) =>
      (await list(scope)).filter((task) => status === null || task.status === status),
    create: async (scope, wish, { commandId, ...by }) => {
      const id = idOf(scope, commandId)
      const key = prefixOf(scope) + id
      const kept: StoredTask = {
        ...wish,
        status: 'open',
        run: null,
        result: '',
        createdAt: clock.now(),
        by,
        claimId: null,
      }
      const all = await list(scope)
      const at = clock.now()
      const room = makeRoom(all, id).map((old) => ({
        ...{ collection, key: prefixOf(scope) + old, expected: null, data: null, at },
      }))
      const change = { collection, key, expected: 0, data: JSON.stringify(kept), at }
      await store.writeDocuments([...room, change])
      // A conflict means that this very task is there already.
      return taskOf(await mustRead(store, scope, id), scope)
    },
    claim: async (scope, id, by) => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const document = await choose(options, { scope, id }, by)
        if (document === null) return null
        const kept = keptIn(document)
        if (kept.status === 'claimed' && kept.claimId === by.commandId)
          return taskOf(document, scope)
        const mine: StoredTask = { ...kept, status: 'claimed', run: by.run, claimId: by.commandId }
        const written = await write(options, document, mine)
        if (written !== null) return taskOf(written, scope)
      }
      throw overloaded()
    },
    update: async (scope, { id, ...change }, by) => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const document = await mustRead(store, scope, id)
        const kept = keptIn(document)
        if (kept.run !== by.run) throw taken(id, kept)
        const run = change.status === 'open' ? null : kept.run
        const written = await write(options, document, { ...kept, ...change, run })
        if (written !== null) return taskOf(written, scope)
      }
      throw overloaded()
    },
  }
}

/** WHY of the command: a task that is asked for twice under one id is one. */
function idOf(scope: DocumentScope, commandId: string): string {
  const hash = createHash('sha256')
    .update(`${prefixOf(scope)}${commandId}`)
    .digest('hex')
  return `t_${hash.slice(0, 20)}`
}

/** Ids of tasks that have to go for one more. */
function makeRoom(all: readonly Task[], id: string): readonly string[] {
  if (all.length < tasksMax || all.some((task) => task.id === id)) return []
  const done = all.filter((task) => task.status === 'done')
  const [oldest] = done
  if (oldest !== undefined) return [oldest.id]
  throw tooMuch(`there are already ${tasksMax} unfinished tasks`, 'complete some of them first')
}

type TaskQuery = { readonly scope: DocumentScope; readonly id: string | null }

/** The document to be claimed; null: none is free. */
async function choose(
  options: Options,
  { scope, id }: TaskQuery,
  by: TaskBy,
): Promise<StoredDocument | null> {
  const { store } = options
  if (id !== null) {
    const document = await mustRead(store, scope, id)
    const kept = keptIn(document)
    if (kept.run === by.run && kept.status === 'claimed') return document
    if (await isFree(options, kept)) return document
    throw taken(id, kept)
  }
  const documents = [...(await documentsOf(store, collection, scope))]
  const mine = documents.find((document) => keptIn(document).claimId === by.commandId)
  if (mine !== undefined) return mine
  documents.sort((left, right) => keptIn(left).createdAt - keptIn(right).createdAt)
  for (const document of documents) if (await isFree(options, keptIn(document))) return document
  return null
}

async function isFree({ store }: Options, { status, run }: StoredTask): Promise<boolean> {
  if (status !== 'claimed' || run === null) return status === 'open'
  const head = await store.readHead(run)
  return head === null || !isOpen(head.status)
}

/** Null: somebody else has changed it meanwhile. */
async function write(
  { store, clock }: Options,
  document: StoredDocument,
  kept: StoredTask,
): Promise<StoredDocument | null> {
  const next = { ...document, data: JSON.stringify(kept), at: clock.now() }
  const { key, data, at } = next
  const written = await store.writeDocuments([
    { collection, key, expected: document.version, data, at },
  ])
  return written === 'written' ? { ...next, version: document.version + 1 } : null
}

async function mustRead(
  store: DocumentStore,
  scope: DocumentScope,
  id: string,
): Promise<StoredDocument> {
  const document = await store.readDocument(collection, prefixOf(scope) + id)
  if (document !== null) return document
  const hint = '`task_list` lists them'
  throw new PawlError('TASK_UNKNOWN', `there is no task \`${id}\``, { hint })
}

function taken(id: string, { status, run }: StoredTask): PawlError {
  const whose = run === null ? 'nobody has claimed it' : `run \`${run}\` has it`
  const message = `task \`${id}\` is ${status} and not yours: ${whose}`
  const hint = status === 'open' ? '`task_claim` it first' : 'claim another one'
  return new PawlError('TASK_TAKEN', message, { hint })
}

function overloaded(): PawlError {
  return new PawlError('OVERLOADED', 'too many agents are trying to claim this task', {
    hint: 'try again',
  })
}

function keptIn(document: StoredDocument): StoredTask {
  // WHY the cast: it was written above.
  return dataOf(document) as JsonObject & StoredTask
}

function taskOf(document: StoredDocument, scope: DocumentScope): Task {
  const { claimId: _, ...task } = keptIn(document)
  return { ...task, id: document.key.slice(prefixOf(scope).length), updatedAt: document.at }
}
