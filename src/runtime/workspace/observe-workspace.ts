/**
 * Looks at workspaces one after another, and not in this thread, so that a large one does not hold
 * up other decisions: by the native helper, or by a thread of Node where that is missing or fails.
 * Both end when they were not needed for a while.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkspaceState } from '../../core/evidence/meets-requirement.ts'
import { type Fingerprint, nothingKnown } from './fingerprint.ts'
import { type Looker, type SettleLook, startHelper } from './look-by-helper.ts'

/** How long one look may take; what takes longer is not fresh. */
const lookMsMax = 15_000
/** How long a look may wait for its turn. */
const queueMsMax = 60_000
/** Workspaces that may wait for the thread. */
const looksMax = 64
const idleMs = 600_000

export type WorkspaceObserver = (folder: string) => Promise<WorkspaceState>

type ObserverSettings = {
  /** Finds the native helper, at the first look; absent or rejected: there is none. */
  readonly helper?: () => Promise<string>
}

type Look = {
  readonly folder: string
  readonly done: Promise<Fingerprint>
  readonly settle: (answer: Fingerprint) => void
}

/** A way to look at workspaces. It never rejects: what cannot be told has no fingerprint. */
export function openWorkspaceObserver(settings: ObserverSettings = {}): WorkspaceObserver {
  const queue: Look[] = []
  const byThread = openLooker(startThread)
  let helperFound: Promise<AskLooker | null> | null = null
  let isBusy = false
  const work = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    for (let look = queue.shift(); look !== undefined; look = queue.shift()) {
      helperFound ??= openHelper(settings)
      const { folder } = look
      const byHelper = await helperFound.then((ask) => ask?.(folder)).catch(() => null)
      look.settle(byHelper ?? (await byThread(folder).catch(() => null)) ?? nothingKnown)
    }
    isBusy = false
  }
  return async (folder) => {
    // WHY only one that has not begun: what began before may have missed what was written since.
    let look = queue.find((one) => one.folder === folder)
    if (look === undefined) {
      if (queue.length >= looksMax) return { folder, ...nothingKnown }
      look = openLook(folder)
      queue.push(look)
      void work()
    }
    return { folder, ...(await look.done) }
  }
}

function openLook(folder: string): Look {
  let settle: Look['settle'] = () => undefined
  const done = new Promise<Fingerprint>((resolve) => {
    const timer = setTimeout(() => resolve(nothingKnown), queueMsMax).unref()
    settle = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
  })
  return { folder, done, settle }
}

/** Null: whoever was asked has failed. */
type AskLooker = (folder: string) => Promise<Fingerprint | null>

async function openHelper({ helper }: ObserverSettings): Promise<AskLooker | null> {
  const path = (await helper?.().catch(() => null)) ?? null
  return path === null ? null : openLooker((settle) => startHelper(path, settle))
}

function startThread(settle: SettleLook): Looker {
  // The compiled tree has the same files under another ending.
  const file = new URL(`./fingerprint-thread${extname(import.meta.url)}`, import.meta.url)
  const thread = new Worker(file)
  thread.on('message', settle)
  for (const end of ['error', 'exit']) thread.on(end, () => settle(null))
  // WHY after the listeners: listening for messages holds the program again.
  thread.unref()
  return { look: (folder) => thread.postMessage(folder), end: () => void thread.terminate() }
}

/** Starts it when it is needed, and anew after it has failed or taken too long. */
function openLooker(start: (settle: SettleLook) => Looker): AskLooker {
  let current: Looker | null = null
  let idle: NodeJS.Timeout | undefined
  let settle: SettleLook = () => undefined
  const stop = (answer: Fingerprint | null): void => {
    current?.end()
    current = null
    settle(answer)
  }
  const started = (): Looker => {
    if (current !== null) return current
    const next = start((answer) => {
      if (current !== next) return
      if (answer === null) stop(null)
      else settle(answer)
    })
    current = next
    return next
  }
  return async (folder) => {
    clearTimeout(idle)
    const timer = setTimeout(() => stop(nothingKnown), lookMsMax)
    const answer = await new Promise<Fingerprint | null>((resolve) => {
      settle = resolve
      started().look(folder)
    }).finally(() => clearTimeout(timer))
    idle = setTimeout(() => stop(null), idleMs).unref()
    return answer
  }
}
