/**
 * The line to a box: over the socket that its supervisor listens on. As long as it holds, the box
 * is there; a new daemon finds it by its folder.
 */
import { closeSync, constants, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RanPrograms } from '../core/engine/call.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { frameOf } from '../runtime/frame-words.ts'

export type BoxAnswer =
  | { readonly kind: 'ok' }
  /** Programs that have started since the box began, and those after the number that was named. */
  | ({ readonly kind: 'ran'; readonly total: number } & Pick<RanPrograms, 'programs'>)
  /** Lines of a process number, a name and a file. */
  | {
      readonly kind: 'busy'
      readonly holders: readonly string[]
      /** How long it took to find them; the tries before it take longer. */
      readonly foundMs: number
    }
  | { readonly kind: 'fault'; readonly why: string }

export type BoxControl = {
  readonly ask: (words: readonly string[]) => Promise<BoxAnswer>
  readonly close: () => void
}

/** What becomes of a line that is lost: whoever listens is found again, or is there no more. */
type LineEvents = { readonly onAgain: () => void; readonly onEnd: () => void }

/** `answerMs`: more than the tries of `pawl-job-session.c` can take. */
const usualWaits = { answerMs: 10_000, retryMs: 1_000 }
const answerCharsMax = 64 * 1024

/** Connects to the box in a folder; null: nobody listens there. */
export async function connectBox(
  folder: string,
  events: LineEvents,
  waits = usualWaits,
): Promise<BoxControl | null> {
  const first = await connectTo(folder)
  return first === 'gone' ? null : controlOver({ folder, first, events, waits })
}

/** `stuck`: somebody listens, and takes no more callers for now. */
type Found = Socket | 'gone' | 'stuck'

function connectTo(folder: string): Promise<Found> {
  // WHY by an open folder: an address of a socket has at most 107 bytes, and paths may be longer.
  let place: number
  try {
    place = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  } catch (fault) {
    // Without its folder there is no box.
    return Promise.resolve(goneCodes.has(errorCodeOf(fault)) ? 'gone' : 'stuck')
  }
  return new Promise((resolve) => {
    const socket = connect(`/proc/self/fd/${place}/control`)
    socket.once('connect', () => {
      closeSync(place)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (fault) => {
      closeSync(place)
      socket.destroy()
      resolve(goneCodes.has(errorCodeOf(fault)) ? 'gone' : 'stuck')
    })
  })
}

const goneCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTDIR'])

type Line = Pick<BoxControl, 'ask'> & { readonly close: () => void }
type LinePlace = {
  readonly folder: string
  readonly first: Exclude<Found, 'gone'>
  readonly events: LineEvents
  readonly waits: typeof usualWaits
}

const lost: BoxAnswer = { kind: 'fault', why: 'the box does not answer' }

/**
 * WHY a lost line is no end: code in the box can keep its supervisor busy for longer than a reply
 * may take. A box that was forgotten for that would keep its files open in every later stage.
 */
function controlOver({ folder, first, events, waits }: LinePlace): BoxControl {
  let isClosed = false
  let line: Line | null = null
  const take = (found: Found): boolean => {
    if (typeof found === 'string') return false
    line = lineOver(found, waits.answerMs, () => void findAgain())
    return true
  }
  const findAgain = async (): Promise<void> => {
    line = null
    for (;;) {
      const found: Found = isClosed ? 'gone' : await connectTo(folder)
      if (isClosed && typeof found !== 'string') found.destroy()
      if (isClosed) return
      if (found === 'gone') return events.onEnd()
      if (take(found)) return events.onAgain()
      await sleep(waits.retryMs, undefined, { ref: false })
    }
  }
  if (!take(first)) void findAgain()
  return {
    ask: async (words) => line?.ask(words) ?? lost,
    close: () => {
      isClosed = true
      line?.close()
    },
  }
}

type Waiter = (answer: BoxAnswer) => void

function lineOver(socket: Socket, answerMs: number, onLost: () => void): Line {
  let text = ''
  let waiter: Waiter | null = null
  let last: Promise<unknown> = Promise.resolve()
  socket.unref()
  socket.on('data', (part) => {
    text += String(part)
    const end = text.indexOf('\n\n')
    // INVARIANT: one reply for one request. Whatever is left over could pass for the next reply.
    if (waiter === null || (end >= 0 && end + 2 < text.length) || text.length > answerCharsMax) {
      socket.destroy()
    } else if (end >= 0) {
      const wake = waiter
      waiter = null
      const answer = answerOf(text.slice(0, end))
      text = ''
      wake(answer)
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    waiter?.(lost)
    waiter = null
    onLost()
  })
  const askNow = (words: readonly string[]): Promise<BoxAnswer> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve(lost)
      const timer = setTimeout(() => socket.destroy(), answerMs)
      waiter = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      socket.write(frameOf(words))
    })
  return {
    ask: (words) => {
      const answer = last.then(() => askNow(words))
      last = answer
      return answer
    },
    close: () => socket.destroy(),
  }
}

function answerOf(text: string): BoxAnswer {
  const [first = '', ...rest] = text.split('\n')
  if (first === 'ok' || first.startsWith('ok ')) return { kind: 'ok' }
  if (first.startsWith('ran ')) {
    const programs = rest.filter((line) => line !== '').map(programOf)
    return { kind: 'ran', total: Number(first.slice('ran '.length)), programs }
  }
  if (first.startsWith('busy ')) {
    const holders = rest.filter((line) => line !== '')
    return { kind: 'busy', holders, foundMs: Number(first.slice('busy '.length)) }
  }
  return { kind: 'fault', why: first.replace(/^fault /, '') }
}

function programOf(line: string): RanPrograms['programs'][number] {
  const [count, isDenied, path = ''] = line.split('\t')
  return { path, count: Number(count), ...(isDenied === '1' ? { isDenied: true } : {}) }
}
