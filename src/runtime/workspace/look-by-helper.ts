/**
 * A fingerprint by `pawl-job look`, which lists and reads files in C on all cores. It is a process
 * that stays, because it keeps the list of files while that list is true (pawl-job-keep.c).
 * Knows its messages. Must not know what a fingerprint is made of: fingerprint.ts does the same.
 */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { frameOf } from '../frame-words.ts'
import { type Fingerprint, nothingKnown } from './fingerprint.ts'
import { gitEnvironment, listingWords } from './list-files.ts'

/** More than the helper ever says: a hash and twenty paths. */
const answerBytesMax = 256 * 1024

/** How long it holds descriptors of the files after a look (pawl-job-hold.c). */
const holdMs = 60_000

/** Whoever looks: told of a folder, it settles once. */
export type Looker = {
  readonly look: (folder: string) => void
  readonly end: () => void
}

/** Null: it has failed, and can no longer be asked. */
export type SettleLook = (answer: Fingerprint | null) => void

/** What the helper is told. */
export function lookWords(folder: string, holdMs: number): readonly string[] {
  return [`folder=${folder}`, `holdMs=${holdMs}`, ...listingWords]
}

/** Starts the helper. */
export function startHelper(path: string, settle: SettleLook): Looker {
  const child = spawn(path, ['look'], {
    ...{ argv0: 'pawl-job', cwd: '/', env: gitEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] },
  })
  let received = Buffer.alloc(0)
  const fail = (): void => {
    child.kill('SIGKILL')
    settle(null)
  }
  // Before all else: a process that cannot be started has no streams, and says so by an error.
  child.on('error', fail)
  child.on('exit', fail)
  if (child.stdout === undefined || child.stdin === undefined) {
    queueMicrotask(fail)
    return { look: () => undefined, end: () => undefined }
  }
  child.stdout.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    const words = wordsIn(received)
    if (words === 'more' && received.length <= answerBytesMax) return
    const answer = Array.isArray(words) ? readAnswer(words) : null
    received = Buffer.alloc(0)
    if (answer === null) fail()
    else settle(answer)
  })
  for (const end of [child.stdin, child.stdout]) end.on('error', fail)
  child.unref()
  for (const end of [child.stdin, child.stdout]) if (end instanceof Socket) end.unref()
  return {
    look: (folder) => void child.stdin.write(frameOf(lookWords(folder, holdMs))),
    end: () => void child.kill('SIGKILL'),
  }
}

/** The words of one whole answer, as latin1 text; null: this is none. */
function wordsIn(bytes: Buffer): string[] | 'more' | null {
  const text = bytes.toString('latin1')
  const [head] = /^\d{1,7}\n/.exec(text) ?? []
  if (head === undefined) return text.length < 8 && /^\d*$/.test(text) ? 'more' : null
  const length = Number(head)
  if (text.length < head.length + length) return 'more'
  if (text.length > head.length + length || text.at(-1) !== '\0') return null
  return text.slice(head.length, -1).split('\0')
}

function readAnswer([hash = '', ...changes]: readonly string[]): Fingerprint | null {
  if (hash === 'none') return nothingKnown
  if (!/^[0-9a-f]{64}$/.test(hash)) return null
  return {
    fingerprint: hash,
    changes: changes.map((word) => {
      const [ctimeNs = '', ...rest] = word.split(' ')
      const path = Buffer.from(rest.join(' '), 'latin1').toString()
      return { path, at: Number(ctimeNs) / 1e6 }
    }),
  }
}
