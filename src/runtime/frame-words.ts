/** Words for a helper in C, as `pawl-job-words.c` reads them. Must not know what they say. */

/** Their number of bytes in a line, then each with a zero byte behind it. */
export function frameOf(words: readonly string[]): Buffer {
  const bytes = Buffer.from(words.map((word) => `${word}\0`).join(''))
  return Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes])
}
