/**
 * What runs are called, so that people tell them apart: the title that was given, else the prompt
 * that began the work, else the git branch. Kept beside the log: nothing is decided by it.
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
  /** The titles of those runs that have one. */
  readonly of: (runIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** A person has spoken to a session, which may have a run. */
  readonly hear: (prompt: HeardPrompt) => Promise<void>
  /** A run is about to begin. */
  readonly begin: (runId: string, about: Beginning) => Promise<void>
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
type KeptTitle = { readonly title: string; readonly from: Origin }

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
  /** Runs whose title no prompt changes any more. */
  const settled = openLruMap<true>(runsKnownMax)
  const write = async (runId: string, kept: KeptTitle, expected: number): Promise<void> => {
    const document = { collection: titleCollection, key: runId, expected }
    await store.writeDocuments([{ ...document, data: JSON.stringify(kept), at: clock.now() }])
    if (kept.from !== 'branch') settled.put(runId, true)
  }
  return {
    of: async (runIds) => {
      const documents = await store.readDocuments(titleCollection, [...new Set(runIds)])
      return new Map(documents.map(({ key, data }) => [key, keptIn(data).title]))
    },
    hear: async ({ session, text, runId }) => {
      const title = titleOfPrompt(text)
      if (title === '') return
      prompts.put(session, title)
      if (runId === null || settled.get(runId)) return
      const known = await store.readDocument(titleCollection, runId)
      if (known !== null && keptIn(known.data).from !== 'branch') settled.put(runId, true)
      else await write(runId, { title, from: 'prompt' }, known?.version ?? 0)
    },
    begin: async (runId, { title = '', session = '', workspace }) => {
      const given = oneLine(title)
      if (given !== '') return write(runId, { title: given, from: 'given' }, 0)
      const prompt = prompts.get(session)
      if (prompt !== undefined) return write(runId, { title: prompt, from: 'prompt' }, 0)
      const branch = workspace === null ? '' : cut(oneLine(gitBranchOf(workspace)))
      if (branch !== '') await write(runId, { title: branch, from: 'branch' }, 0)
    },
  }
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
