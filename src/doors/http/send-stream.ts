/**
 * Sends a stream as server-sent events at the reader's pace. A reader that stops reading is
 * disconnected and can resume with `Last-Event-ID`.
 */
import type { ServerResponse } from 'node:http'
import type { AnyBeat } from '../api/api.ts'
import { waitForDrain } from '../api/wait-for-drain.ts'
import { safeHeaders } from './send.ts'

/** Writes until the reader or the stream is gone. */
export async function sendStream(
  response: ServerResponse,
  stream: AsyncGenerator<AnyBeat>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream' })
  try {
    for await (const beat of stream) {
      if (signal.aborted) break
      if (!response.write(sseText(beat)) && !(await waitForDrain(response, signal))) break
    }
  } catch {
    // Told to the log where it happened. There is no way to say it here any more: the reader sees
    // the stream end, and asks again.
  }
  response.end()
  // WHY: an end that is stuck behind unread messages never comes.
  if (response.writableNeedDrain || signal.aborted) response.destroy()
}

function sseText(beat: AnyBeat): string {
  return beat === null ? ': here\n\n' : `id: ${beat.id}\ndata: ${JSON.stringify(beat.message)}\n\n`
}
