/**
 * A block of our lines between two marker comments in someone else's file. For files with `#`
 * comments.
 */
import { PawlError } from '../../runtime/pawl-error.ts'

const end = '# <<< pawl'
const endLine = /^# <<< pawl[ \t]*$/
/** What we write between the marks: a path, the header of a table of ours, and its members. */
const ownLine = /^(?:\/.*|\[mcp_servers\.pawl[\].].*|[\w"'.-]+[ \t]*=.*|[ \t]*)$/

export type MarkedBlock = { readonly start: number; readonly end: number; readonly text: string }

type BlockName = {
  /** What messages name the file. */
  readonly path: string
  /** Null: whichever comes first. */
  readonly name: string | null
}

/** Our block of a name in a text; null: there is none. An error: not all of it is ours. */
export function blockIn(text: string, { path, name }: BlockName): MarkedBlock | null {
  const named = name === null ? '.*' : `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}: .*`
  const found = new RegExp(`^# >>> pawl ${named}$`, 'm').exec(text)
  if (found === null) return null
  const start = found.index
  const lines = text.slice(start).split(/(?<=\n)/)
  let length = lines[0]?.length ?? 0
  for (const line of lines.slice(1)) {
    const bare = line.replace(/\r?\n$/, '')
    length += line.length
    if (endLine.test(bare)) {
      return { start, end: start + length, text: text.slice(start, start + length).trimEnd() }
    }
    if (!ownLine.test(bare)) break
  }
  const at = text.slice(0, start).split('\n').length
  throw new PawlError('CONFIG_INVALID', `${path}:${at}: the lines of Pawl have no end mark`, {
    hint: `put \`${end}\` behind the last of them and try again. Nothing was written`,
  })
}

/** Whether a line is a mark of ours. */
export function isMark(line: string): boolean {
  return /^# >>> pawl .*written by `pawl init`|^# <<< pawl[ \t]*\r?\n?$/.test(line)
}

/** The text with a block as its last lines. */
export function addBlock(text: string, name: string, lines: readonly string[]): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || /\n$/.test(text) ? '' : newline
  const begin = `# >>> pawl ${name}: written by \`pawl init\`; \`pawl uninit\` removes it`
  return `${text}${gap}${[begin, ...lines, end, ''].join(newline)}`
}

/** The text without a block. */
export function removeBlock(text: string, which: BlockName): string {
  const block = blockIn(text, which)
  return block === null ? text : `${text.slice(0, block.start)}${text.slice(block.end)}`
}
