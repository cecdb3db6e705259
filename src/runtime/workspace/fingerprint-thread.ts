/** The thread that takes fingerprints, one after another. Knows messages only. */
import { parentPort } from 'node:worker_threads'
import { takeFingerprint } from './fingerprint.ts'

parentPort?.on('message', (folder: string) => {
  parentPort?.postMessage(takeFingerprint(folder))
})
