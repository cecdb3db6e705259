/**
 * Parses the two formats of multi-file changes: Codex patches and unified diffs. Strict: what is
 * not certain is a problem, never a guess.
 * Knows text. Must not know tools or workspaces.
 */
import { sizeOfChange } from './edit-size.ts'

/** Files one patch may change. */
const patchFilesMax = 500
/** Characters of one patch. */
const patchCharsMax = 1_000_000

export type Patch =
  | { readonly ok: true; readonly paths: readonly string[]; readonly lines: number | null }
  | { readonly ok: false; readonly problem: string }

/** What a patch changes: its files, and its lines; null lines: it removes a file unseen. */
export function readPatch(text: string): Patch {
  if (text.length > patchCharsMax) return bad(`a patch is longer than ${patchCharsMax} characters`)
  const lines = text.trim().split('\n')
  if (lines[0]?.trim() !== '*** Begin Patch') return bad('a patch begins with `*** Begin Patch`')
  if (lines.length < 2 || lines.at(-1)?.trim() !== '*** End Patch') {
    return bad('a patch ends with `*** End Patch`')
  }
  const draft: Draft = { paths: new Set(), lines: 0, section: null, added: 0, removed: 0 }
  for (let i = 1; i < lines.length - 1; i++) {
    const problem = takeLine(draft, lines[i] as string)
    if (problem !== null) return bad(problem)
  }
  closeHunk(draft)
  if (draft.paths.size === 0) return bad('a patch changes no file')
  return { ok: true, paths: [...draft.paths], lines: draft.lines }
}

/**
 * The patch that stands in the text of a command, such as a here-document for `apply_patch`; none:
 * an empty list. It reaches to the last end: marks in between may be lines of a file.
 */
export function patchesIn(text: string): readonly string[] {
  const patches: string[] = []
  let open: string[] | null = null
  // Behind a blank it is a line of a file, unless no other end follows.
  let indentedEnd: number | null = null
  const close = (lines: readonly string[]): void => {
    patches.push([...lines, '*** End Patch'].join('\n'))
    open = null
    indentedEnd = null
  }
  for (const line of text.split('\n')) {
    // An argument may begin in the middle of a line: `apply_patch "*** Begin Patch`.
    const start: number = open === null ? line.indexOf('*** Begin Patch') : -1
    if (start >= 0) open = []
    if (open === null) continue
    if (/^\t*\*\*\* End Patch/.test(line)) {
      close(open)
      continue
    }
    if (line.trimStart().startsWith('*** End Patch')) indentedEnd = open.length
    open.push(start >= 0 ? line.slice(start) : line)
  }
  if (open !== null && indentedEnd !== null) close(open.slice(0, indentedEnd))
  return patches
}

type Draft = {
  paths: Set<string>
  lines: number | null
  section: 'add' | 'update' | 'delete' | null
  added: number
  removed: number
}

const headers = [
  ['*** Add File: ', 'add'],
  ['*** Update File: ', 'update'],
  ['*** Delete File: ', 'delete'],
] as const

function takeLine(draft: Draft, line: string): string | null {
  const { section } = draft
  if (section === 'add' && line.startsWith('+')) {
    draft.added += 1
    return null
  }
  if (section === 'update' && /^[ +@-]/.test(line)) return takeChange(draft, line)
  const header = line.trim()
  for (const [start, kind] of headers) {
    if (header.startsWith(start)) return beginFile(draft, kind, header.slice(start.length))
  }
  if (section === 'update') {
    const isMove = header.startsWith('*** Move to: ')
    return isMove ? addPath(draft, header.slice('*** Move to: '.length)) : takeChange(draft, header)
  }
  return header === '' ? null : `a patch has a line that is not understood: \`${shown(header)}\``
}

function takeChange(draft: Draft, line: string): string | null {
  if (line.startsWith('@@')) closeHunk(draft)
  else if (line.startsWith('+')) draft.added += 1
  else if (line.startsWith('-')) draft.removed += 1
  else if (line !== '' && !line.startsWith(' ') && line !== '*** End of File') {
    return `a patch has a line that is not understood: \`${shown(line)}\``
  }
  return null
}

function beginFile(
  draft: Draft,
  section: 'add' | 'update' | 'delete',
  path: string,
): string | null {
  closeHunk(draft)
  draft.section = section
  if (section === 'delete') draft.lines = null
  return addPath(draft, path)
}

function addPath(draft: Draft, path: string): string | null {
  const name = path.trim()
  if (name === '') return 'a patch names no file'
  draft.paths.add(name)
  return draft.paths.size > patchFilesMax
    ? `a patch changes more than ${patchFilesMax} files`
    : null
}

function closeHunk(draft: Draft): void {
  if (draft.lines !== null) draft.lines += sizeOfChange(draft.removed, draft.added)
  draft.added = 0
  draft.removed = 0
}

/** What a unified diff changes: its files and lines. */
export function readDiff(text: string): Patch {
  if (text.length > patchCharsMax) return bad(`a diff is longer than ${patchCharsMax} characters`)
  if (!/^(?:\+\+\+|rename|copy|---) /m.test(text)) return bad('a diff changes no file')
  const draft: Draft = { paths: new Set(), lines: 0, section: null, added: 0, removed: 0 }
  // How many lines of the open hunk are still to come, before and after the change.
  let before = 0
  let after = 0
  for (const line of text.split(/\r\n|\n/)) {
    if (before > 0 || after > 0) {
      if (line.startsWith('+')) [after, draft.added] = [after - 1, draft.added + 1]
      else if (line.startsWith('-')) [before, draft.removed] = [before - 1, draft.removed + 1]
      else if (line === '' || line.startsWith(' ')) [before, after] = [before - 1, after - 1]
      else if (!line.startsWith('\\')) return bad(`a diff has a damaged hunk: \`${shown(line)}\``)
      continue
    }
    closeHunk(draft)
    const hunk = !line.startsWith('@@')
      ? null
      : /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
    else if (/^(?:GIT binary patch|Binary files )/.test(line)) draft.lines = null
    else for (const path of pathsOfDiffLine(line)) draft.paths.add(path)
    if (draft.paths.size > patchFilesMax)
      return bad(`a diff changes more than ${patchFilesMax} files`)
  }
  if (before > 0 || after > 0) return bad('a diff ends inside a hunk')
  closeHunk(draft)
  if (draft.paths.size === 0) return bad('a diff changes no file')
  return { ok: true, paths: [...draft.paths], lines: draft.lines }
}

function pathsOfDiffLine(line: string): readonly string[] {
  if (!/^[-+rc]/.test(line)) return []
  const side = /^(?:---|\+\+\+) ("?)(.+?)\1(?:\t.*)?$/.exec(line)
  const moved = /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)
  const path = side?.[2] ?? moved?.[1]
  if (path === undefined || path === '/dev/null') return []
  return [side === null ? path : path.replace(/^[ab]\//, '')]
}

function shown(line: string): string {
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}

function bad(problem: string): Patch {
  return { ok: false, problem }
}
