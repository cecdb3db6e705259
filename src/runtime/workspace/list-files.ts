/**
 * The files of a workspace that evidence is about: in a git repository, those that git tracks and
 * new ones that are not ignored; elsewhere, those that a bounded walk finds.
 * Knows git and folders. Must not know what a file contains, or evidence.
 */
import { spawnSync } from 'node:child_process'
import { type Dirent, readdirSync } from 'node:fs'
import { placeOf } from './stat-files.ts'

/** More files than this are not compared, so nothing is fresh there. */
export const workspaceFilesMax = 200_000
const gitMsMax = 8_000
const gitOutputBytesMax = 128 * 1024 * 1024
const walkDepthMax = 64

/** What test runs write into any folder, whether or not git ignores it. */
const cacheFolders: ReadonlySet<string> = new Set([
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.hypothesis'],
  ...['.git', '.DS_Store'],
])
/** What they write at the top of a workspace. */
const topFolders: ReadonlySet<string> = new Set([
  ...['coverage', '.nyc_output', 'htmlcov', '.coverage', '.vitest', 'test-results', '.tox'],
  'node_modules',
])
/** What is installed, inside of a repository in this one and where rules hide themselves. */
export const installedFolders: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv'])
/** What is built or installed where no git says what is ignored. */
const builtFolders: ReadonlySet<string> = new Set([
  ...installedFolders,
  ...['.hg', '.svn', 'target', 'dist', 'build', '.gradle', '.next', '.turbo'],
])

/** What counts, as words for `pawl-job look`, which lists the same files. */
export const listingWords: readonly string[] = [
  `filesMax=${workspaceFilesMax}`,
  ...Object.entries({
    cache: cacheFolders,
    top: topFolders,
    installed: installedFolders,
    built: builtFolders,
  }).flatMap(([key, names]) => [...names].map((name) => `${key}=${name}`)),
]

/** The variables that git is run with. */
export function gitEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' }
}

/**
 * Paths relative to the folder, sorted, as latin1 text of their bytes: a name that is not UTF-8
 * would be read as another one. Null: they cannot be listed within the limits.
 */
export function listWorkspaceFiles(folder: string): readonly string[] | null {
  const listed = listByGit(folder)
  if (listed === null) return null
  const paths = listed === 'no repository' ? walk(folder, '', builtFolders) : listed
  if (paths === null || paths.length > workspaceFilesMax) return null
  return paths.sort().filter((path, at) => path !== paths[at - 1])
}

// WHY without the user's excludes: they are elsewhere, and who changes them changes no file here.
const gitSettings: readonly string[] = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false', '-c', 'safe.directory=*'],
]

function listByGit(folder: string): string[] | 'no repository' | null {
  const args = [
    ...gitSettings,
    ...['ls-files', '-z', '-t', '--cached', '--others', '--exclude-per-directory=.gitignore'],
  ]
  const done = runGit(folder, args)
  if (done.error !== undefined) {
    return (done.error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no repository' : null
  }
  if (done.status === 128 && /not a git repository/.test(done.stderr.toString())) {
    return 'no repository'
  }
  if (done.status !== 0) return null
  if (isIgnored(folder)) return 'no repository'
  const paths = pathsIn(folder, done.stdout.toString('latin1'))
  const hidden = paths === null ? null : hiddenIn(folder)
  return paths === null || hidden === null ? null : [...paths, ...hidden]
}

/**
 * What is in the folders of a `.gitignore` that hides itself. WHY such rules do not count: nobody
 * who looks at the repository sees them, so whoever writes one could hide any change by it.
 */
function hiddenIn(folder: string): string[] | null {
  const above = rulesAbove(folder)
  if (above === null) return null
  const done = runGit(folder, [
    ...gitSettings,
    ...['ls-files', '-z', '--others', '--ignored', '--exclude-per-directory=.gitignore'],
    ...['--directory', '--', ':(glob)**/.gitignore', ...above],
  ])
  if (done.status !== 0) return null
  const paths: string[] = []
  for (const entry of done.stdout.toString('latin1').split('\0')) {
    const at = /^(?:(.*)\/)?\.gitignore$/s.exec(entry)
    if (at === null || isCache(entry) || isInstalled(entry)) continue
    const [, within = ''] = at
    // Of rules above the workspace, all of the workspace may be hidden.
    const inner = walk(folder, within.startsWith('..') ? '' : within, installedFolders)
    if (inner === null || paths.length + inner.length > workspaceFilesMax) return null
    for (const path of inner) paths.push(path)
  }
  return paths
}

/** The rules between a workspace and the top of its repository; null: it cannot be told. */
function rulesAbove(folder: string): readonly string[] | null {
  const done = runGit(folder, ['-c', 'safe.directory=*', 'rev-parse', '--show-cdup'])
  const [, up] = /^((?:\.\.\/)*)\n$/.exec(done.stdout.toString('latin1')) ?? []
  if (done.status !== 0 || up === undefined || up.length > 3 * walkDepthMax) return null
  return Array.from({ length: up.length / 3 }, (_, at) => `${up.slice(3 * at)}.gitignore`)
}

/** Whether a path is inside of what is installed. */
export function isInstalled(path: string): boolean {
  return path.split('/').some((part) => installedFolders.has(part))
}

/** WHY: the files of a folder that the repository around it ignores are not listed by git. */
function isIgnored(folder: string): boolean {
  return runGit(folder, ['-c', 'safe.directory=*', 'check-ignore', '-q', '.']).status === 0
}

function runGit(folder: string, args: readonly string[]) {
  return spawnSync('git', args, {
    cwd: folder,
    env: gitEnvironment(),
    maxBuffer: gitOutputBytesMax,
    timeout: gitMsMax,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Entries are `H path` where git tracks the file, and `? path` where it is new. */
function pathsIn(folder: string, output: string): string[] | null {
  const paths: string[] = []
  for (const entry of output.split('\0')) {
    const path = entry.slice(2)
    if (path === '') continue
    if (entry[0] !== '?') paths.push(path)
    else if (path.endsWith('/')) {
      // A repository inside this one: git does not look into it.
      const inner = walk(folder, path.slice(0, -1), installedFolders)
      if (inner === null) return null
      paths.push(...inner)
    } else if (!isCache(path)) paths.push(path)
    if (paths.length > workspaceFilesMax) return null
  }
  return paths
}

/** Whether a path is of those that test runs write. */
export function isCache(path: string): boolean {
  const parts = path.split('/')
  return topFolders.has(parts[0] ?? '') || parts.some((part) => cacheFolders.has(part))
}

/** Every file below a folder, without folders of these names; null: too many, or unreadable. */
export function walk(root: string, from: string, without: ReadonlySet<string>): string[] | null {
  const paths: string[] = []
  const open = [{ at: from, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, depth } = next
    if (depth > walkDepthMax) return null
    let entries: Dirent[]
    try {
      const options = { withFileTypes: true, encoding: 'latin1' } as const
      entries = readdirSync(placeOf(root, at), options)
    } catch {
      // WHY nothing is fresh then: what cannot be read can be changed unseen.
      return null
    }
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (without.has(entry.name) || isCache(path)) continue
      if (entry.isDirectory()) open.push({ at: path, depth: depth + 1 })
      else paths.push(path)
      if (paths.length + open.length > workspaceFilesMax) return null
    }
  }
  return paths
}
