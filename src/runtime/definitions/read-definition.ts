/**
 * Reads an author's file: its text, its tree, and the findings about it as text.
 * Knows files and limits. Must not know what a definition does, or the caller.
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { extname, join, sep } from 'node:path'
import { readDefinitionSource } from '../../core/dialects/definition-wrapper.ts'
import type { Finding } from '../../core/finding.ts'
import { jsonBytesMax } from '../../core/source/limits.ts'
import type { SourceFormat } from '../../core/source/read-source.ts'
import { type LineIndex, lineIndex, type Node } from '../../core/source/source.ts'
import { errorCodeOf } from '../error-code.ts'
import { PawlError } from '../pawl-error.ts'

/** A file as it was read. The path is the one that was asked for, for messages. */
export type SourceFile = {
  readonly path: string
  readonly lines: LineIndex
  /** Null when the text is no tree at all; then there is an error among the findings. */
  readonly root: Node | null
  readonly findings: readonly Finding[]
}

/** No file larger than this is opened at all. */
export const fileBytesMax = jsonBytesMax

/** The tree of a file, JSON or YAML by its name, else by how it begins. */
export function readDefinition(path: string, shownPath: string = path): SourceFile {
  return sourceFile(path, shownPath, readText(path, shownPath))
}

/** The tree of a file in `.pawl`; a fault where a link leads out of it. */
export function readWorkspaceDefinition(path: string, workspace: string): SourceFile {
  return sourceFile(path, path, readWorkspaceText(path, workspace))
}

function sourceFile(path: string, shownPath: string, text: string): SourceFile {
  const { root, findings } = readDefinitionSource(text, formatOf(path))
  return { path: shownPath, lines: lineIndex(text), root, findings }
}

/** The format that the name of a file tells; undefined when it tells none. */
export function formatOf(path: string): SourceFormat | undefined {
  const extension = extname(path).toLowerCase()
  if (extension === '.json' || extension === '.jsonc') return 'json'
  return extension === '.yaml' || extension === '.yml' ? 'yaml' : undefined
}

/** The text of a file; a fault when it is no file, too large or not UTF-8. */
export function readText(path: string, shownPath: string = path): string {
  return decode(readBytes(path, shownPath), shownPath)
}

/**
 * The text of a file in the `.pawl` of a workspace; a fault where a link leads out of it.
 * WHY: whoever writes there could have Pawl read a file that is closed to them, and quote it.
 */
export function readWorkspaceText(path: string, workspace: string): string {
  return decode(readBytes(path, path, workspace), path)
}

function decode(bytes: Uint8Array, shownPath: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new PawlError('FILE_UNREADABLE', `\`${shownPath}\` is not UTF-8 text`, {
      hint: 'save it as UTF-8 and try again',
      cause,
    })
  }
}

function readBytes(path: string, shownPath: string, within: string | null = null): Uint8Array {
  // WHY before opening: opening a pipe would wait for ever for somebody to write into it.
  refuseUnfit(statOf(path, shownPath), shownPath)
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    throw unreadable(shownPath, cause)
  }
  try {
    const opened = fstatSync(file)
    refuseUnfit(opened, shownPath)
    if (within !== null && !isInside(path, within, opened)) throw outside(shownPath)
    return readBounded(file, shownPath)
  } catch (cause) {
    throw cause instanceof PawlError ? cause : unreadable(shownPath, cause)
  } finally {
    closeSync(file)
  }
}

/**
 * Whether an open file really lies in the `.pawl` of a workspace: it is looked at after it was
 * opened. WHY not anywhere in the workspace: the agent may write elsewhere.
 */
function isInside(path: string, workspace: string, { dev, ino }: Stats): boolean {
  const real = realpathSync(path)
  const found = statSync(real)
  const isSame = found.dev === dev && found.ino === ino
  return isSame && real.startsWith(`${join(realpathSync(workspace), '.pawl')}${sep}`)
}

function outside(shownPath: string): PawlError {
  return new PawlError('FILE_UNREADABLE', `\`${shownPath}\` is a link out of \`.pawl\``, {
    hint: 'replace the symbolic link with a file',
  })
}

/** What the file system says about a path; a fault when there is nothing to say. */
export function statOf(path: string, shownPath: string = path): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    throw unreadable(shownPath, cause)
  }
}

function refuseUnfit(stats: Stats, shownPath: string): void {
  if (stats.isDirectory()) {
    throw new PawlError('FILE_UNREADABLE', `\`${shownPath}\` is a folder, not a file`, {
      hint: 'name a file in it',
    })
  }
  if (!stats.isFile()) {
    throw new PawlError('FILE_UNREADABLE', `\`${shownPath}\` is not a regular file`, {
      hint: 'save the text in a file and name that',
    })
  }
  if (stats.size > fileBytesMax) throw tooLarge(shownPath, stats.size)
}

/** WHY bounded again: a file may grow between the look at its size and its reading. */
function readBounded(file: number, shownPath: string): Uint8Array {
  const parts: Uint8Array[] = []
  let count = 0
  for (;;) {
    const part = new Uint8Array(64 * 1024)
    const got = readSync(file, part)
    if (got === 0) return Buffer.concat(parts)
    parts.push(part.subarray(0, got))
    count += got
    if (count > fileBytesMax) throw tooLarge(shownPath, count)
  }
}

function tooLarge(shownPath: string, bytes: number): PawlError {
  const message = `\`${shownPath}\` has ${bytes} bytes; the limit is ${fileBytesMax}`
  const hint = 'split it, or remove generated parts'
  return new PawlError('FILE_UNREADABLE', message, { hint })
}

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['there is no', 'check the spelling and the folder you are in'],
  ENOTDIR: ['there is no', 'a part of the path is a file, not a folder'],
  EACCES: ['no permission to read', 'change its permissions or run as its owner'],
  EPERM: ['no permission to read', 'change its permissions or run as its owner'],
  ELOOP: ['symbolic links form a loop at', 'fix the symbolic link'],
  ENAMETOOLONG: ['the name is too long:', 'check how the name was built'],
}

function unreadable(shownPath: string, cause: unknown): PawlError {
  const code = errorCodeOf(cause)
  const [what, hint] = reasons[code] ?? ['cannot read', `the system says ${code}`]
  const shown = shownPath.length > 200 ? `${shownPath.slice(0, 200)}…` : shownPath
  return new PawlError('FILE_UNREADABLE', `${what} \`${shown}\``, { hint, cause })
}
