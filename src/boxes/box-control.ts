/**
 * The line to a box: over the socket that its supervisor listens on. As long as it holds, the box
 * is there; a new daemon finds it by its folder.
 */
import { closeSync, constants, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { RanPrograms } from '../core/engine/call.ts'
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

/** More than the tries of `pawl-job-session.c` can take. */
const answerMsMax = 10_000
const answerCharsMax = 64 * 1024

/** Connects to the box in a folder; null: nobody listens there. */
export function connectBox(folder: string, onEnd: () => void): Promise<BoxControl | null> {
  // WHY by an open folder: an address of a socket has at most 107 bytes, and paths may be longer.
  let place: number
  try {
    place = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  } catch {
    // Its folder is gone, and so is the box.
    return Promise.resolve(null)
  }
  return new Promise((resolve) => {
    const socket = connect(`/proc/self/fd/${place}/control`)
    socket.once('connect', () => {
      closeSync(place)
      socket.removeAllListeners('error')
      resolve(controlOver(socket, onEnd))
    })
    socket.once('error', () => {
      closeSync(place)
      socket.destroy()
      resolve(null)
    })
  })
}

type Waiter = (answer: BoxAnswer) => void
const gone: BoxAnswer = { kind: 'fault', why: 'the box has ended' }

function controlOver(socket: Socket, onEnd: () => void): BoxControl {
  let text = ''
  let isClosed = false
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
    waiter?.(gone)
    waiter = null
    if (!isClosed) onEnd()
    isClosed = true
  })
  const askNow = (words: readonly string[]): Promise<BoxAnswer> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve(gone)
      const timer = setTimeout(() => socket.destroy(), answerMsMax)
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
    close: () => {
      isClosed = true
      socket.destroy()
    },
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
