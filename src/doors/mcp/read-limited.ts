/** Reads the bytes of a body, up to a limit. */

/**
 * How much more than allowed is read and dropped.
 * WHY: closing a connection while the client still sends can lose the answer on its way.
 */
const droppedBytesMax = 16 * 1024 * 1024

export type SizedBody = {
  readonly parts: AsyncIterable<Uint8Array>
  /** As the client says; null: it does not. */
  readonly length: string | null
}

/** Null: there are more than that. */
export async function readLimited(
  { parts, length }: SizedBody,
  bytesMax: number,
): Promise<Buffer | null> {
  if (Number(length ?? 0) > bytesMax) {
    // Answered at once; a client that sends all the same reads the answer afterwards.
    void drop(parts).catch(() => undefined)
    return null
  }
  const kept: Uint8Array[] = []
  let count = 0
  for await (const part of parts) {
    count += part.byteLength
    if (count > bytesMax + droppedBytesMax) return null
    if (count <= bytesMax) kept.push(part)
  }
  return count > bytesMax ? null : Buffer.concat(kept, count)
}

async function drop(parts: AsyncIterable<Uint8Array>): Promise<void> {
  let count = 0
  for await (const part of parts) {
    count += part.byteLength
    if (count > droppedBytesMax) return
  }
}
