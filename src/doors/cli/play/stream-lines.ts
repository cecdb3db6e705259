/** Splits a stream into lines, one at a time, without buffering more than one line. */

/** The lines of a stream; of a line that is too long only so much that it is seen to be. */
export async function* linesOf(
  stream: NodeJS.ReadableStream,
  charsMax: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const parts = (rest + text).split('\n')
    rest = bounded(parts.pop() ?? '', charsMax)
    for (const part of parts) yield withoutReturn(part)
  }
  if (rest !== '') yield withoutReturn(rest)
}

function bounded(text: string, charsMax: number): string {
  return text.length > charsMax + 1 ? text.slice(0, charsMax + 1) : text
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
