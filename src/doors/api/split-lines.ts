/** Splits a stream of bytes into lines. An incomplete line is buffered up to a limit. */

const newline = 10

type LineCutter = {
  /** The lines that these bytes complete, without their ends; null: a line is too long. */
  readonly push: (bytes: Buffer, lineBytesMax: number) => readonly Buffer[] | null
}

/** Opens a cutter for one stream. */
export function openLineSplitter(): LineCutter {
  // WHY a list: joining at every piece would copy a long line again and again.
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const take = (end: Buffer): Buffer => {
    if (waitingBytes === 0) return end
    const line = Buffer.concat([...waiting, end])
    waiting = []
    waitingBytes = 0
    return line
  }
  return {
    push: (bytes, lineBytesMax) => {
      const lines: Buffer[] = []
      let begin = 0
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, begin)) {
        if (waitingBytes + end - begin > lineBytesMax) return null
        lines.push(take(bytes.subarray(begin, end)))
        begin = end + 1
      }
      if (begin < bytes.length) {
        waiting.push(bytes.subarray(begin))
        waitingBytes += bytes.length - begin
      }
      return waitingBytes > lineBytesMax ? null : lines
    },
  }
}
