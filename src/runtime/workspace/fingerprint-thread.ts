/** The thread that takes fingerprints, one after another. Knows messages only. */
import { parentPort } from 'node:worker_threads'
import { takeFingerprint } from './fingerprint.ts'

export type LookRequest = {
  readonly folder: string
  /** The path of the native helper; null: there is none. */
  readonly helper: string | null
}

parentPort?.on('message', ({ folder, helper }: LookRequest) => {
  parentPort?.postMessage(takeFingerprint(folder, helper))
})
