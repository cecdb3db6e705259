/**
 * Keys with which the agent of a run uses the proxy. A person creates one for a run; only its hash
 * is stored, and it ends with the run.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { Store } from '../ports.ts'

export type ProxyKeys = {
  /** A new key; one before it counts no longer. Faults `RUN_UNKNOWN`, `REQUEST_INVALID`. */
  readonly make: (runId: string) => Promise<string>
  /** False: there was none. */
  readonly revoke: (runId: string) => Promise<boolean>
  /** The open run that a key is for; null: none. */
  readonly runOf: (presented: string) => Promise<string | null>
}

type ProxyKeyContext = {
  readonly store: Pick<Store, 'readDocument' | 'writeDocuments' | 'readHead'>
  readonly clock: Clock
  readonly newId: () => string
}

/** By the id of the run. */
export const proxyKeyCollection = 'proxy-keys'
const collection = proxyKeyCollection
const keyForm = /^pawl_([\w-]{1,100})\.([a-z0-9]{1,100})$/

export function openProxyKeys({ store, clock, newId }: ProxyKeyContext): ProxyKeys {
  return {
    make: async (runId) => {
      await refuseEnded(store, runId)
      // WHY two: one id is 100 random bits.
      const key = `pawl_${runId}.${newId()}${newId()}`
      const data = JSON.stringify({ hash: hash('sha256', key) })
      await store.writeDocuments([
        { collection, key: runId, expected: null, data, at: clock.now() },
      ])
      return key
    },
    revoke: async (runId) => {
      if ((await store.readDocument(collection, runId)) === null) return false
      await store.writeDocuments([
        { collection, key: runId, expected: null, data: null, at: clock.now() },
      ])
      return true
    },
    runOf: async (presented) => {
      const runId = keyForm.exec(presented)?.[1]
      const document = runId === undefined ? null : await store.readDocument(collection, runId)
      if (runId === undefined || document === null) return null
      // WHY the cast: this file alone writes these documents.
      const kept = Buffer.from((JSON.parse(document.data) as { hash: string }).hash, 'hex')
      if (!timingSafeEqual(kept, hash('sha256', presented, 'buffer'))) return null
      return (await store.readHead(runId))?.endedAt === null ? runId : null
    },
  }
}

async function refuseEnded(store: ProxyKeyContext['store'], runId: string): Promise<void> {
  const head = await store.readHead(runId)
  if (head === null) {
    const hint = '`pawl runs --all` lists them'
    throw new PawlError('RUN_UNKNOWN', `there is no run \`${runId}\``, { hint })
  }
  if (head.endedAt === null) return
  const hint = 'start another run and create a key for it'
  throw new PawlError('REQUEST_INVALID', `the run \`${runId}\` has ended`, { hint })
}
