/** Quotes a command for a message: on one line, with a maximum length. */
import type { Denial } from '../engine/types.ts'

const textCharsMax = 80

/** The text on one line, cut where it gets long. */
export function quoteCommand(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > textCharsMax ? `${line.slice(0, textCharsMax)}…` : line
}

/** The denial of a text that cannot be read. */
export function denyUnreadable(problem: {
  readonly reason: string
  readonly token: string
}): Denial {
  const place = problem.token === '' ? '' : ` at \`${problem.token}\``
  const reason = `the command cannot be parsed${place}: ${problem.reason}`
  const isPattern = /[*?+@!]\(/.test(problem.token)
  const hint = isPattern ? 'choose the files with `find`' : 'write it as one plain command'
  return { code: 'COMMAND_UNREADABLE', reason, hint }
}
