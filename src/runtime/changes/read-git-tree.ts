/**
 * The files of a commit, read with git but without anything that the repository says about git.
 * WHY a folder of our own as GIT_DIR: an agent may have written the repository's configuration,
 * hooks, attributes and filters, each of which can name a program. Only its objects are used, and
 * those are data.
 */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type TreeFile = {
  readonly path: string
  /** `100644`, `100755` for programs, `120000` for links, `160000` for other repositories. */
  readonly mode: string
  readonly id: string
  readonly bytes: number
}

export type GitTree = {
  readonly files: readonly TreeFile[]
  /**
   * Files beside them that git would add, and every new list of what git ignores. A name that ends
   * with `/` is another repository.
   */
  readonly untracked: readonly string[]
  /** The contents of a file of the commit; null: too large, or not what its id says. */
  readonly read: (file: TreeFile) => Promise<Buffer | null>
  readonly close: () => void
}

const timeoutMs = 10_000
/** Of lists; more files than fit are too many to compare. */
const listBytesMax = 16 * 1024 * 1024
export const comparedBytesMax = 1024 * 1024

type Repository = {
  readonly root: string
  readonly commonDir: string
  readonly commit: string
  /** More that git is to ignore; null: nothing. */
  readonly excludes: Buffer | null
}

/** Lists a commit; null: git is not there, or does not know it, or it is too large. */
export async function readGitTree(repository: Repository): Promise<GitTree | null> {
  const { root, commonDir, commit, excludes } = repository
  const folder = mkdtempSync(join(tmpdir(), 'pawl-git-'))
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  writeGitFolder(folder, commit)
  const excludeFile = join(folder, 'excludes')
  writeFileSync(excludeFile, excludes ?? '')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
    GIT_INDEX_FILE: join(folder, 'index'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  }
  const git = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const options = { env: { ...env, ...more }, cwd: folder, encoding: 'buffer' } as const
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: listBytesMax } as const
    return (await run('git', [...safe, ...args], { ...options, ...limits })).stdout
  }
  try {
    const listed = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit])
    const files = filesIn(listed.toString('utf8'))
    await git(['read-tree', commit])
    const tree = { GIT_WORK_TREE: root }
    const others = ['ls-files', '--others', '-z']
    const ignored = [`--exclude-from=${excludeFile}`, '--exclude-per-directory=.gitignore']
    const added = await git([...others, ...ignored], tree)
    // WHY apart: a new list of what is ignored can hide itself.
    const lists = await git([...others, '--', ':(glob)**/.gitignore'], tree)
    const untracked = [...new Set([...namesIn(added), ...namesIn(lists)])]
    const read = async (file: TreeFile): Promise<Buffer | null> => {
      if (file.bytes > comparedBytesMax) return null
      const bytes = await git(['cat-file', 'blob', file.id])
      return blobIdOf(bytes, file.id.length) === file.id ? bytes : null
    }
    return { files, untracked, read, close }
  } catch {
    // No git, a commit that is gone, a time that is up: there is nothing to compare with.
    close()
    return null
  }
}

const safe = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'],
  ...['-c', 'core.attributesFile=/dev/null', '-c', 'core.excludesFile=/dev/null'],
  ...['-c', 'core.untrackedCache=false', '-c', 'protocol.allow=never', '--no-pager'],
]

/** As little as git needs to see a repository. */
function writeGitFolder(folder: string, commit: string): void {
  mkdirSync(join(folder, 'refs'))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  const isLong = commit.length === 64
  const format = isLong ? '[extensions]\n\tobjectformat = sha256\n' : ''
  writeFileSync(
    join(folder, 'config'),
    `[core]\n\trepositoryformatversion = ${isLong ? 1 : 0}\n\tbare = false\n${format}`,
  )
}

function filesIn(list: string): readonly TreeFile[] {
  return list.split('\0').flatMap((line) => {
    const found = /^(\d{6}) (\w+) ([0-9a-f]+)\s+(-|\d+)\t([\s\S]+)$/.exec(line)
    if (found === null) return []
    const [, mode = '', , id = '', size = '', path = ''] = found
    return [{ mode, id, path, bytes: size === '-' ? 0 : Number(size) }]
  })
}

function namesIn(list: Buffer): readonly string[] {
  return list
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
}

/** What git calls some contents. */
export function blobIdOf(bytes: Buffer, idLength: number): string {
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
  return hash(idLength === 64 ? 'sha256' : 'sha1', whole, 'hex')
}
