/**
 * Where anchors are kept outside of the store: written and read as lines in a file, or as messages
 * of empty commits under a git ref. Must not know what an anchor contains.
 */
import { execFile } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { PawlError } from '../runtime/pawl-error.ts'

const run = promisify(execFile)
const gitMsMax = 10_000
const textBytesMax = 64 * 1_048_576
const fileMode = 0o600
const folderMode = 0o700
/** The tree without files, which every repository knows. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const gitMark = 'git:'

/** Adds a line to a file; durable when it returns. */
export function appendToFile(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode })
  const file = openSync(path, 'a', fileMode)
  try {
    writeSync(file, line)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export type GitRef = { readonly repository: string; readonly ref: string }

/** Adds an empty commit with this message to a ref, which is made if it is not there. */
export async function commitToRef({ repository, ref }: GitRef, message: string): Promise<void> {
  const old = await git(repository, ['rev-parse', '--verify', '--quiet', ref]).catch(() => '')
  const parent = old === '' ? [] : ['-p', old]
  await git(repository, ['hash-object', '-t', 'tree', '-w', '/dev/null'])
  const commit = await git(repository, ['commit-tree', emptyTree, ...parent, '-m', message])
  // WHY the old one: another program that moved it meanwhile is not overwritten.
  await git(repository, ['update-ref', ref, commit, old === '' ? '0'.repeat(commit.length) : old])
}

async function git(repository: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const name = { GIT_AUTHOR_NAME: 'pawl', GIT_AUTHOR_EMAIL: 'pawl@localhost' }
  const committer = { GIT_COMMITTER_NAME: 'pawl', GIT_COMMITTER_EMAIL: 'pawl@localhost' }
  // WHY no hooks: an agent may have written one into the repository.
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-C', repository]
  const { stdout } = await run('git', [...safe, ...args], {
    env: { PATH, HOME, ...name, ...committer, GIT_TERMINAL_PROMPT: '0' },
    timeout: gitMsMax,
    maxBuffer: textBytesMax,
  })
  return stdout.trim()
}

/** The text at a path, or under `git:FOLDER#REF`. Fault `FILE_UNREADABLE`. */
export async function readAnchorText(where: string): Promise<string> {
  try {
    if (!where.startsWith(gitMark)) return readText(where)
    const at = where.lastIndexOf('#')
    const repository = where.slice(gitMark.length, at < 0 ? undefined : at)
    const ref = at < 0 ? 'refs/pawl/anchors' : where.slice(at + 1)
    return await git(repository, ['log', '--format=%B', '--end-of-options', ref, '--'])
  } catch (cause) {
    const hint = 'give the file that has them, or `git:FOLDER#REF`'
    const message = `the anchors in \`${where}\` cannot be read`
    throw new PawlError('FILE_UNREADABLE', message, { hint, cause })
  }
}

function readText(path: string): string {
  if (statSync(path).size > textBytesMax) throw new Error('the file is too large')
  return readFileSync(path, 'utf8')
}
