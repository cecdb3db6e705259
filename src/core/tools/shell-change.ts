/**
 * What a shell command changes, judged by its text: the files it writes, those of a patch it
 * contains, and how many lines it adds.
 * Knows readings and patches. Must not know stages or hosts.
 */
import type { CallPath } from '../engine/types.ts'
import { seenFrom } from '../shell/leaves-workspace.ts'
import { shellEdits } from '../shell/shell-paths.ts'
import type { GoodReading, ShellReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import { countLines } from './edit-size.ts'
import { type Patch, patchesIn, readDiff, readPatch } from './patch.ts'

export type FileChanges = {
  /** Files it is told to write by a redirection or a patch: the scope of file tools holds there. */
  readonly writes: readonly CallPath[]
  /** Files inside the workspace that it changes, also by operands of programs such as `cp`. */
  readonly edits: readonly string[]
  /** Null: the text does not tell, as for any program that writes by itself. */
  readonly lines: number | null
  readonly problem: string | null
}

const nothing: FileChanges = { writes: [], edits: [], lines: null, problem: null }

/** The change a command makes. `locate` finds a path, with the links behind it. */
export function changeByShell(
  reading: ShellReading,
  workspace: string,
  locate: (path: string) => readonly CallPath[],
): FileChanges {
  if (!reading.ok) return nothing
  const patches = reading.commands.filter(isPatching).map((one) => patchBy(one))
  const problem = patches.find((patch) => patch.problem !== null)?.problem ?? null
  const patched = patches.flatMap((patch) => patch.paths.flatMap(locate))
  const all = [...editsOf(reading, workspace), ...patched]
  if (all.length === 0 && patches.length === 0) return nothing
  const writes = [...editsOf({ ...reading, commands: [] }, workspace), ...patched]
  const edits = all.map((path) => path.inside).filter((path) => path !== null)
  if (patches.length > 0) return { writes, edits, lines: sumOf(patches), problem }
  const lines = edits.length === 0 ? null : linesCarried(reading)
  return { writes, edits, lines, problem: null }
}

const streams = /^\/dev\/(?:null|stdout|stderr|tty|fd\/[0-2])$/

function editsOf(reading: GoodReading, workspace: string): readonly CallPath[] {
  return shellEdits(reading, workspace).filter((path) => !streams.test(path.written))
}

type Patched = {
  readonly paths: readonly string[]
  readonly lines: number | null
  readonly problem: string | null
}

function isPatching({ words }: SimpleCommand): boolean {
  const name = baseName(words[0] ?? '')
  return name === 'apply_patch' || name === 'applypatch' || isDiffing(words)
}

function isDiffing(words: SimpleCommand['words']): boolean {
  const name = baseName(words[0] ?? '')
  return name === 'patch' || (name === 'git' && words[1] === 'apply')
}

function patchBy(command: SimpleCommand): Patched {
  const { words, stdin } = command
  if (isDiffing(words)) {
    // A diff that stands in a file shows only when it is applied.
    return stdin === null ? noPatch : patchedBy(readDiff(stdin), command)
  }
  const texts = [stdin ?? '', ...words.slice(1).map((word) => word ?? '')].flatMap(patchesIn)
  const problem = '`apply_patch` without a patch that can be parsed'
  if (texts.length === 0) return { ...noPatch, problem }
  const patches = texts.map((text) => patchedBy(readPatch(text), command))
  const paths = patches.flatMap((patch) => patch.paths)
  const failed = patches.find((patch) => patch.problem !== null)
  return { paths, lines: sumOf(patches), problem: failed?.problem ?? null }
}

const noPatch: Patched = { paths: [], lines: null, problem: null }

function patchedBy(patch: Patch, { dirs }: SimpleCommand): Patched {
  if (!patch.ok) return { ...noPatch, problem: patch.problem }
  if (dirs.includes(null)) return { ...noPatch, problem: 'it is unclear where a patch is applied' }
  const paths = patch.paths.flatMap((path) => seenFrom(dirs, path)).filter((path) => path !== null)
  return { paths, lines: patch.lines, problem: null }
}

function sumOf(patches: readonly Patched[]): number | null {
  let sum = 0
  for (const { lines } of patches) {
    if (lines === null) return null
    sum += lines
  }
  return sum
}

/** Lines that the text itself brings along: here-documents, long words, what is echoed. */
function linesCarried(reading: GoodReading): number | null {
  let lines = 0
  for (const { words, stdin, isInner } of reading.commands) {
    lines += stdin === null ? 0 : countLines(stdin)
    const said = linesSaid(words)
    lines += said ?? 0
    if (isInner || said !== null) continue
    for (const word of words) if (word?.includes('\n')) lines += countLines(word)
  }
  return lines === 0 ? null : lines
}

/** How many lines `echo` and `printf` say; null: it is neither. */
function linesSaid([name, ...args]: SimpleCommand['words']): number | null {
  const texts = args.map((word) => word ?? '')
  if (name === 'echo') {
    const isEscaped = /^-\w*e/.test(texts[0] ?? '')
    return countLines(`${texts.map(isEscaped ? unescaped : String).join(' ')} `)
  }
  if (name !== 'printf') return null
  const format = unescaped(texts[0] ?? '')
  const values = texts.slice(1)
  const places = format.match(/%[^%]/g)?.length ?? 0
  // The format is used again until every value has had its place.
  const timesCount = places === 0 ? 1 : Math.max(1, Math.ceil(values.length / places))
  const breaks = values.join('').split('\n').length - 1
  return countLines(format) * timesCount + breaks
}

function unescaped(text: string): string {
  return text.replaceAll('\\n', '\n')
}
