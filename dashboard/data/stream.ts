/**
 * Reads server-sent events of the daemon with `fetch`, because an `EventSource` cannot send the
 * key. Reconnects and resumes after a break.
 */
import type { StreamMessage } from '../../src/doors/api/contract.ts'
import { type StreamName, streams } from '../../src/doors/api/operations-table.ts'
import { ApiError, connectionState, fillPath, keyHeaders, recheckDaemon } from './api-client.ts'

type StreamOptions<Name extends StreamName> = {
  readonly input: object
  /** Messages after this id; null: those from now on. */
  readonly after: number | null
  readonly signal: AbortSignal
  /** Several messages that came together. */
  readonly onMessages: (messages: readonly StreamMessage<Name>[]) => void
  readonly onLink: (link: StreamConnection) => void
}

/** `out`: whoever asks is not signed in (any more). */
export type StreamConnection = 'live' | 'lost' | 'out'

/** A stream that says nothing for so long is dead; the daemon beats three times as often. */
const silenceMsMax = 45_000
const delaysMs = [200, 500, 1_000, 2_000, 3_000] as const
/** Messages that come within this time are handed on together, so that a burst is drawn once. */
const gatherMs = 100
const gatheredMax = 1_000
/** Characters of one message. */
const messageCharsMax = 32 * 1024 * 1024

/** Reads until the signal is raised, or until nobody is signed in any more. */
export async function followStream<Name extends StreamName>(
  name: Name,
  options: StreamOptions<Name>,
): Promise<void> {
  let { after } = options
  const { signal, onLink } = options
  const onMessages = gather(options.onMessages, signal)
  for (let breaks = 0; !signal.aborted; breaks += 1) {
    try {
      await readOnce(name, { ...options, onMessages, after }, (id) => {
        breaks = 0
        if (id !== null) after = id
      })
    } catch (thrown) {
      if (signal.aborted) return
      if (thrown instanceof ApiError && thrown.problem.status === 401) return onLink('out')
    }
    if (signal.aborted) return
    recheckDaemon()
    onLink('lost')
    await pause(delaysMs[Math.min(breaks, delaysMs.length - 1)] ?? 0, signal)
  }
}

function gather<T>(
  deliver: (messages: readonly T[]) => void,
  signal: AbortSignal,
): (messages: readonly T[]) => void {
  let gathered: readonly T[] = []
  const flush = (): void => {
    const messages = gathered
    gathered = []
    if (messages.length > 0 && !signal.aborted) deliver(messages)
  }
  return (messages) => {
    if (gathered.length === 0) setTimeout(flush, gatherMs)
    gathered = [...gathered, ...messages]
    // WHY: timers of a page in the background are slow.
    if (gathered.length >= gatheredMax) flush()
  }
}

async function readOnce<Name extends StreamName>(
  name: Name,
  options: StreamOptions<Name>,
  onBeat: (id: number | null) => void,
): Promise<void> {
  const { filled } = fillPath(streams[name].path, options.input)
  const headers: Record<string, string> = { ...keyHeaders(), accept: 'text/event-stream' }
  if (options.after !== null) headers['last-event-id'] = String(options.after)
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), silenceMsMax)
  try {
    const response = await connectionState(filled, { headers, signal })
    options.onLink('live')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (
      let chunk = await reader?.read();
      chunk?.value !== undefined;
      chunk = await reader?.read()
    ) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMsMax)
      text += chunk.value
      const end = text.lastIndexOf('\n\n')
      if (end < 0 && text.length > messageCharsMax) return
      const { id, messages } = parse<Name>(text.slice(0, Math.max(0, end)))
      text = text.slice(end < 0 ? 0 : end + 2)
      onBeat(id)
      if (messages.length > 0) options.onMessages(messages)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function parse<Name extends StreamName>(
  text: string,
): { readonly id: number | null; readonly messages: readonly StreamMessage<Name>[] } {
  let id: number | null = null
  const messages: StreamMessage<Name>[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4))
    else if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice(6)))
  }
  return { id, messages }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
