/**
 * Splits a stream of messages into whole lines. A line that is too long is dropped as it arrives
 * and reported once, and the next one is read.
 */

const newline = 10

/** Takes bytes as they come. */
export function openMessageLines(
  lineBytesMax: number,
  take: (line: Buffer | 'too long') => void,
): (bytes: Buffer) => void {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const push = (piece: Buffer): void => {
    const isNews = waitingBytes <= lineBytesMax
    waitingBytes += piece.length
    if (waitingBytes <= lineBytesMax) return void waiting.push(piece)
    waiting = []
    // WHY before its end: who floods may never come to one.
    if (isNews) take('too long')
  }
  return (bytes) => {
    let begin = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, begin)) {
      push(bytes.subarray(begin, at))
      const isTooLong = waitingBytes > lineBytesMax
      const line = waiting.length === 1 ? waiting[0] : undefined
      const whole = line ?? Buffer.concat(waiting)
      waiting = []
      waitingBytes = 0
      begin = at + 1
      if (!isTooLong) take(whole)
    }
    if (begin < bytes.length) push(bytes.subarray(begin))
  }
}
