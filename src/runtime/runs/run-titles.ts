/**
 * What runs are called, so that people tell them apart: the title that was given, else the prompt
 * that began the work, else the git branch; and which host works on them. Kept beside the log:
 * nothing is decided by it.
 */
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import { readText } from '../definitions/read-definition.ts'
import type { DocumentStore } from '../ports.ts'
import { openLruMap } from './lru-map.ts'

/** Where titles are kept, by the id of their run. */
export const titleCollection = 'run-titles'
/** Where a search of runs finds their titles. */
export const titleTexts = { collection: titleCollection, field: 'title' } as const

export type RunTitles = {
  /** What is known of those runs; one of which nothing is known is not in it. */
  readonly of: (runIds: readonly string[]) => Promise<ReadonlyMap<string, RunLabel>>
  /** A person has spoken to a session, which may have a run. */
  readonly hear: (prompt: HeardPrompt) => Promise<void>
  /** A run is about to begin. */
  readonly begin: (runId: string, about: Beginning) => Promise<void>
}

export type RunLabel = {
  readonly title: string | null
  /** The host whose session works on it, as `claude`; null: none has yet. */
  readonly host: string | null
}

export type HeardPrompt = {
  readonly session: string
  readonly text: string
  /** Null: the session has no run yet. */
  readonly runId: string | null
}

type Beginning = {
  readonly title?: string
  readonly session?: string
  readonly workspace: string | null
}

/** Whoever comes first in this list is not replaced by those after it. */
type Origin = 'given' | 'prompt' | 'branch'
/** Without a title, it is empty, and from the branch. */
type KeptTitle = { readonly title: string; readonly from: Origin; readonly host?: string }

type TitleOptions = {
  readonly store: Pick<DocumentStore, 'readDocument' | 'readDocuments' | 'writeDocuments'>
  readonly clock: Clock
}

const sessionsMax = 1_000
const runsKnownMax = 10_000
const titleCharsMax = 60
/** Characters of a prompt that are looked at. */
const promptCharsMax = 10_000

export function openRunTitles({ store, clock }: TitleOptions): RunTitles {
  /** The last prompt of sessions, for the run that they may begin. */
  const prompts = openLruMap<string>(sessionsMax)
  /** Runs of which no prompt changes anything any more. */
  const settled = openLruMap<true>(runsKnownMax)
  const write = async (runId: string, kept: KeptTitle, expected: number): Promise<void> => {
    const document = { collection: titleCollection, key: runId, expected }
    await store.writeDocuments([{ ...document, data: JSON.stringify(kept), at: clock.now() }])
    if (isSettled(kept)) settled.put(runId, true)
  }
  return {
    of: async (runIds) => {
      const documents = await store.readDocuments(titleCollection, [...new Set(runIds)])
      return new Map(documents.map(({ key, data }) => [key, labelOf(keptIn(data))]))
    },
    hear: async ({ session, text, runId }) => {
      const title = titleOfPrompt(text)
      if (title === '') return
      prompts.put(session, title)
      if (runId === null || settled.get(runId)) return
      const known = await store.readDocument(titleCollection, runId)
      const kept = known === null ? null : keptIn(known.data)
      if (kept !== null && isSettled(kept)) return settled.put(runId, true)
      const named = kept === null || kept.from === 'branch' ? titled(title) : kept
      await write(runId, { ...hostOf(session), ...named }, known?.version ?? 0)
    },
    begin: async (runId, { title = '', session = '', workspace }) => {
      const given = oneLine(title)
      const host = hostOf(session)
      if (given !== '') return write(runId, { title: given, from: 'given', ...host }, 0)
      const prompt = prompts.get(session)
      if (prompt !== undefined) return write(runId, { ...titled(prompt), ...host }, 0)
      const branch = workspace === null ? '' : cut(oneLine(gitBranchOf(workspace)))
      if (branch === '' && host.host === undefined) return
      await write(runId, { title: branch, from: 'branch', ...host }, 0)
    },
  }
}

function titled(title: string): KeptTitle {
  return { title, from: 'prompt' }
}

/** Neither a better title nor the host is still to come. */
function isSettled({ from, host }: KeptTitle): boolean {
  return from !== 'branch' && host !== undefined
}

function labelOf({ title, host }: KeptTitle): RunLabel {
  return { title: title === '' ? null : title, host: host ?? null }
}

/** The host of a session, which is named `HOST:ID`. */
function hostOf(session: string): { readonly host?: string } {
  const host = /^([\w-]{1,40}):/.exec(session)?.[1]
  return host === undefined ? {} : { host }
}

/** WHY the cast: written here and nowhere else. */
function keptIn(data: string): KeptTitle {
  return JSON.parse(data) as KeptTitle
}

/** The first line that says anything; empty: there is none. */
export function titleOfPrompt(text: string): string {
  const lines = text.slice(0, promptCharsMax).split(/[\r\n]+/)
  const line = lines.map(oneLine).find((one) => one !== '') ?? ''
  // `opencode run` puts back the quotes that a shell has taken off.
  return cut(/^"([^"]+)"$/.exec(line)?.[1] ?? line)
}

/** Without anything that steers a terminal, hides or turns text around. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
}

function cut(text: string): string {
  const chars = [...text]
  return chars.length <= titleCharsMax ? text : `${chars.slice(0, titleCharsMax - 1).join('')}…`
}

const foldersMax = 64

/** The branch that is checked out in a folder or the nearest one above; empty: none. */
function gitBranchOf(workspace: string): string {
  let folder = workspace
  for (let count = 0; count < foldersMax; count += 1) {
    const branch = branchIn(join(folder, '.git'), folder)
    if (branch !== null) return branch
    if (folder === dirname(folder)) break
    folder = dirname(folder)
  }
  return ''
}

/** Null: there is no repository. Empty: no branch is checked out. */
function branchIn(git: string, folder: string): string | null {
  const head = tryRead(join(git, 'HEAD'))
  // In a worktree, `.git` is a file that says where its folder is.
  const link = head === null ? /^gitdir: (.+)$/m.exec(tryRead(git) ?? '')?.[1] : undefined
  const text = link === undefined ? head : (tryRead(resolve(folder, link, 'HEAD')) ?? '')
  if (text === null) return null
  // WHY nothing else of it: the repository may be anybody's, and lead to any file.
  return /^ref: refs\/heads\/(\S{1,200})\s*$/.exec(text)?.[1] ?? ''
}

function tryRead(path: string): string | null {
  try {
    return readText(path, path)
  } catch {
    // No such file, or none that can be read: there is another name for the run.
    return null
  }
}
