/**
 * Looks at workspaces in a thread of its own, one after another, so that a large one does not hold
 * up other decisions. The thread ends when it was not needed for a while.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkspaceState } from '../../core/evidence/meets-requirement.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { LookRequest } from './fingerprint-thread.ts'

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
  const thread = openThread()
  let helperFound: Promise<string | null> | null = null
  let isBusy = false
  const work = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    for (let look = queue.shift(); look !== undefined; look = queue.shift()) {
      helperFound ??= settings.helper?.().catch(() => null) ?? Promise.resolve(null)
      look.settle(await thread.look({ folder: look.folder, helper: await helperFound }))
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

const nothingKnown: Fingerprint = { fingerprint: null, changes: [] }

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

type LookThread = { readonly look: (request: LookRequest) => Promise<Fingerprint> }

/** The thread, started when it is needed, and anew after a look that took too long. */
function openThread(): LookThread {
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let settle: (answer: Fingerprint) => void = () => undefined
  const stop = (): void => {
    void thread?.terminate()
    thread = null
    settle(nothingKnown)
  }
  const started = (): Worker => {
    if (thread !== null) return thread
    // The compiled tree has the same files under another ending.
    const file = new URL(`./fingerprint-thread${extname(import.meta.url)}`, import.meta.url)
    const next = new Worker(file)
    next.unref()
    const isCurrent = (): boolean => thread === next
    next.on('message', (answer: Fingerprint) => isCurrent() && settle(answer))
    for (const end of ['error', 'exit']) next.on(end, () => isCurrent() && stop())
    thread = next
    return next
  }
  return {
    look: async (request) => {
      clearTimeout(idle)
      const timer = setTimeout(stop, lookMsMax)
      const answer = await new Promise<Fingerprint>((resolve) => {
        settle = resolve
        started().postMessage(request)
      })
      clearTimeout(timer)
      idle = setTimeout(stop, idleMs).unref()
      return answer
    },
  }
}
