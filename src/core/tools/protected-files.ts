/**
 * Which files an agent may never change, because they guard it or run code on its behalf without
 * being asked: Pawl's own, the hooks and settings of the hosts, git's hooks, start-up files.
 * Knows names only, so that a file is protected before it exists. Must not know calls.
 */
import { pathCharsMax } from '../expr/glob.ts'
import { otherAgentFiles } from '../hosts/other-agents.ts'
import { alternationOf, fromAgentHosts } from '../hosts/registry.ts'
import { homeMark, type ResolvedPath, unknownMark } from './paths.ts'
import { trimEnd } from './trim-end.ts'

const hostFiles = fromAgentHosts((host) => host.protectedFiles.anywhere)

/** In whatever directory they stand: a nested project has its own hosts and hooks. */
const anywhere = [
  ...['.pawl/**', 'node_modules/pawl/**', 'node_modules/.bin/pawl'],
  ...hostFiles,
  ...otherAgentFiles,
  ...['.husky/**', '.envrc'],
  // They tell `rg` which hidden folders to search.
  ...['.ignore', '.rgignore'],
  ...[
    '.git/hooks/**',
    '.git/config',
    '.git/config.worktree',
    '.git/commondir',
    '.git/info/attributes',
  ],
  ...['.git/modules/**', '.git/worktrees/**'],
]

/** In a home: at the top of the workspace, which may be one, and anywhere outside of it. */
const atHome = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc'],
  ...['.login', '.inputrc', '.xprofile', '.xinitrc', '.xsession', '.xsessionrc', '.vimrc'],
  ...['.exrc', '.emacs', '.tmux.conf', '.screenrc', '.ripgreprc', '.curlrc', '.wgetrc'],
  ...['.gitconfig', '.git-credentials', '.netrc', '.pam_environment', '.pythonrc', '.pythonrc.py'],
  ...['.ssh/**', '.gnupg/**', '.config/git/**', '.config/fish/**', '.config/autostart/**'],
  ...['.config/systemd/**', '.config/environment.d/**', '.config/direnv/**', '.config/nvim/**'],
  ...['.config/pawl/**', '.local/share/pawl/**', '.local/state/pawl/**'],
  ...['library/launchagents/**', 'library/application support/pawl/**'],
  ...fromAgentHosts((host) => host.protectedFiles.home),
]

/** From the root of the disk. */
const atRoot = [
  ...[
    'etc/profile',
    'etc/profile.d/**',
    'etc/bash.bashrc',
    'etc/bashrc',
    'etc/zshrc',
    'etc/zshenv',
  ],
  ...['etc/zsh/**', 'etc/environment', 'etc/crontab', 'etc/cron.d/**', 'etc/cron.daily/**'],
  ...['etc/cron.hourly/**', 'etc/cron.weekly/**', 'etc/cron.monthly/**', 'var/spool/cron/**'],
  ...['etc/ld.so.preload', 'etc/ld.so.conf', 'etc/ld.so.conf.d/**', 'etc/sudoers'],
  ...['etc/sudoers.d/**', 'etc/gitconfig', 'etc/systemd/**'],
  ...['etc/pawl/**', 'var/lib/pawl/**', 'run/pawl/**'],
  ...fromAgentHosts((host) => host.protectedFiles.root),
]

/** The folders of hosts, or those that they are in. */
const foldersOfHosts = fromAgentHosts((host) => host.folder.split('/').slice(0, 1))

/** Directories that count themselves: who moves or removes them takes what is in them along. */
const heldWhole: ReadonlySet<string> = new Set([
  ...['.pawl', '.vscode', '.husky', '.git', '.ssh'],
  ...foldersOfHosts,
])

type Pattern = readonly string[]

function indexOf(patterns: readonly string[]): ReadonlyMap<string, readonly Pattern[]> {
  const index = new Map<string, Pattern[]>()
  for (const pattern of patterns) {
    const segments = pattern.split('/')
    const first = segments[0] as string
    index.set(first, [...(index.get(first) ?? []), segments])
  }
  return index
}

const indexes = { anywhere: indexOf(anywhere), home: indexOf(atHome), root: indexOf(atRoot) }

// INVARIANT (tested): every protected name is hit by this, and so is whatever could be folded or
// expanded into one. It spares the long way for nearly every word of nearly every command.
// A blank alone is no reason: it is trimmed only from the end of a segment, and most are in texts.
const suspect = new RegExp(
  [
    '(?:^|[^\\w.~-])\\.(?![./]|$)|[*?[{~%\\\\]|[^ -~]|pawl',
    alternationOf(visibleNames(hostFiles)),
    '(?:etc|var|run|library)[ .]*[/:]',
  ].join('|'),
  'i',
)

/** How names begin that have no dot in front: `opencode` of `opencode.json`. */
function visibleNames(patterns: readonly string[]): readonly string[] {
  const names = patterns.filter((pattern) => !pattern.startsWith('.'))
  return [...new Set(names.map((name) => name.split(/[.*/]/)[0] as string))]
}

/** Whether a path is worth a closer look: false is certain, true is not. */
export function isSuspect(text: string): boolean {
  return text.length <= pathCharsMax && suspect.test(text)
}

/**
 * Whether a place is protected: one inside the workspace, from there, or one outside, from the
 * root. Words of a shell may hold patterns: they count when they could stand for a protected file.
 */
export function isProtected(place: ResolvedPath, where: 'inside' | 'outside'): boolean {
  const segments = place.map(foldSegment)
  for (let start = 0; start < segments.length; start++) {
    if (isHit(indexes.anywhere, segments, start)) return true
    if ((start === 0 || where === 'outside') && isHit(indexes.home, segments, start)) return true
  }
  return where === 'outside' && segments.length > 0 && isHit(indexes.root, segments, 0)
}

/** Names of the files among them, in whatever directory: `find` asks for names. */
const fileNames: readonly string[] = anywhere
  .map((pattern) => pattern.split('/').at(-1) as string)
  .filter((name) => name !== '**')

/** Whether a name, or a pattern for names, is that of a protected file. */
export function isProtectedName(name: string): boolean {
  const folded = foldSegment(name)
  return fileNames.some((wanted) => matchesName(wanted, folded))
}

/** Where Pawl keeps its data, unless it is told otherwise. */
const dataFolders = [
  '.config/pawl',
  '.local/share/pawl',
  '.local/state/pawl',
  'library/application support/pawl',
  'var/lib/pawl',
  'run/pawl',
] as const

/** Whether a place shows what only Pawl may know: its tokens, keys and store. */
export function isSecret(place: ResolvedPath): boolean {
  const segments = place.map(foldSegment)
  if (isTokenFile(segments)) return true
  const at = segments.findIndex((segment) => matchesName('.pawl', segment))
  const end = at >= 0 ? at + 1 : dataFolderEnd(segments)
  return end > 0 && segments.slice(end).some(isSecretName)
}

/** Where a folder of data ends among the segments of a path; -1: there is none. */
function dataFolderEnd(segments: readonly string[]): number {
  for (const directory of dataFolders) {
    const folder = directory.split('/')
    const begin = segments.findIndex((_, at) => isFolderAt(folder, segments, at))
    if (begin >= 0) return begin + folder.length
  }
  return -1
}

/** Whether a folder stands there; a pattern may stand for a part of it. */
function isFolderAt(folder: readonly string[], segments: readonly string[], at: number): boolean {
  if (at + folder.length >= segments.length) return false
  return folder.every((name, i) => {
    const segment = segments[at + i] ?? ''
    if (matchesName(name, segment)) return true
    // In a home, a pattern for every folder means that of Pawl as well.
    const isLast = i > 0 && folder[0]?.startsWith('.') === true && i === folder.length - 1
    return isLast && /[*?[]/.test(segment) && standsFor(segment, name)
  })
}

/** Whether a place is a home, or a folder in it that has Pawl's data somewhere below. */
export function isAboveSecrets(place: ResolvedPath): boolean {
  const path = place.map(foldSegment).join('/')
  const [home = ''] = /^(?:root|(?:home|users)\/[^/]+)(?=\/|$)/.exec(path) ?? []
  const start = place[0] === homeMark ? homeMark : home
  if (start === '') return false
  const rest = path.slice(start.length + 1)
  return (
    rest === '' || dataFolders.some((one) => /^\.local/.test(one) && one.startsWith(`${rest}/`))
  )
}

const tokenFiles: readonly Pattern[] = fromAgentHosts((host) => host.tokenFile).map((path) =>
  path.split('/'),
)

/** Where `pawl init` has to write down a token; a pattern may stand for it. */
function isTokenFile(segments: readonly string[]): boolean {
  return segments.some((segment, i) => {
    const next = segments[i + 1]
    if (next === undefined) return false
    return tokenFiles.some(([folder = '', name = '']) => {
      return matchesName(folder, segment) && (matchesName(name, next) || standsFor(next, name))
    })
  })
}

/** Whether a place is the directory that holds Pawl's secrets, or a directory right above. */
export function holdsSecrets(place: ResolvedPath): boolean {
  if (matchesName('.pawl', foldSegment(place.at(-1) ?? ''))) return true
  const text = `/${place.map(foldSegment).join('/')}`
  return dataFolders.some((directory) => text.endsWith(`/${directory}`))
}

// `gateway.json`: its entries may hold secrets as they are.
const secretName =
  /token|secret|credential|passw|cookie|^auth|^keys?$|\.(?:key|pem|p12)$|^gateway\.json$/
const storeName = /\.(?:db|sqlite3?|sock|socket)(?:-wal|-shm|-journal)?$|^(?:store|events|runs)$/

function isSecretName(segment: string): boolean {
  return secretName.test(segment) || storeName.test(segment) || /[*?[]/.test(segment)
}

function isHit(
  index: ReadonlyMap<string, readonly Pattern[]>,
  segments: Pattern,
  start: number,
): boolean {
  const first = segments[start] as string
  if (!/[*?[~]/.test(first)) {
    return (index.get(first) ?? []).some((pattern) => matches(pattern, segments, start))
  }
  for (const [name, patterns] of index) {
    if (!matchesName(name, first)) continue
    if (patterns.some((pattern) => matches(pattern, segments, start))) return true
  }
  return false
}

function matches(pattern: Pattern, segments: Pattern, start: number): boolean {
  for (const [i, wanted] of pattern.entries()) {
    if (wanted === '**') return true
    const segment = segments[start + i]
    const isHeld = heldWhole.has(pattern[0] as string)
    if (segment === undefined) return isHeld
    if (!matchesName(wanted, segment) && !(isHeld && i > 0 && matchesInside(wanted, segment))) {
      return false
    }
  }
  return segments.length - start === pattern.length
}

/** Whether a protected name is this segment, or could be: by a pattern, or by a short name. */
function matchesName(wanted: string, segment: string): boolean {
  if (wanted === segment) return true
  if (wanted.includes('*')) {
    const [before = '', after = ''] = wanted.split('*')
    const isLike =
      segment.length >= wanted.length - 1 && segment.startsWith(before) && segment.endsWith(after)
    return isLike || matchesName(before + after, segment)
  }
  if (/[*?[]/.test(segment)) return couldBe(segment, wanted)
  return segment.includes('~') && isShortName(segment, wanted)
}

/** Inside a directory that is held whole, a pattern for every name means these as well. */
function matchesInside(wanted: string, segment: string): boolean {
  if (!/[*?[]/.test(segment)) return false
  const names = wanted.includes('*')
    ? [wanted.replace('*', ''), wanted.replace('*', '.local')]
    : [wanted]
  return names.some((name) => (segment[0] === '.' || name[0] !== '.') && standsFor(segment, name))
}

/** `GIT~1`, as old Windows file systems call `.git`. */
function isShortName(segment: string, wanted: string): boolean {
  const found = /^([^~]{1,6})~\d+(?:\.(.{1,3}))?$/.exec(segment)
  if (found === null) return false
  const [stem = '', ending = ''] = wanted.replace(/^\.+/, '').split(/\.(?=[^.]*$)/)
  const short = (found[1] ?? '').replaceAll('.', '')
  return stem.replaceAll('.', '').startsWith(short) && ending.startsWith(found[2] ?? '')
}

/**
 * Whether a shell pattern could stand for a name. A leading dot is only matched by a dot; and a
 * pattern for every name, such as `*.json`, is not meant for this one.
 */
function couldBe(pattern: string, name: string): boolean {
  return (pattern[0] === name[0] || pattern[0] === '[') && standsFor(pattern, name)
}

function standsFor(pattern: string, name: string): boolean {
  const parts = pattern.replace(/\[[^\]]*\]?/g, '?')
  let at = 0
  let star = -1
  let starAt = 0
  // The usual walk with one way back: at most pattern times name steps.
  for (let i = 0; i < name.length; ) {
    if (parts[at] === '*') [star, starAt, at] = [at, i, at + 1]
    else if (parts[at] === '?' || parts[at] === name[i]) [at, i] = [at + 1, i + 1]
    else if (star >= 0) [starAt, i, at] = [starAt + 1, starAt + 1, star + 1]
    else return false
  }
  return /^\**$/.test(parts.slice(at))
}

/** A name as file systems that ignore case, invisible letters and trailing dots would take it. */
function foldSegment(segment: string): string {
  if (segment === homeMark || segment === unknownMark) return segment
  if (/^[a-z0-9._-]*[a-z0-9_-]$/.test(segment)) return segment
  const folded = segment
    .normalize('NFKC')
    .replace(/\p{Cf}|\p{Cc}|\u034F/gu, '')
    .toLowerCase()
  return trimEnd(folded.replace(/(.):.*$/, '$1'), '. ').trim()
}

/** The beginnings of all protected names, without what may follow. */
export const protectedLiterals: readonly string[] = [...anywhere, ...atHome, ...atRoot].map(
  (pattern) => (pattern.split('*')[0] ?? '').replace(/\/$/, ''),
)
const homeNames = atHome.filter((name) => !name.includes('/'))
const otherLiterals = protectedLiterals.filter((literal) => !homeNames.includes(literal))
// `.profile.name` is a field of something, or another file, and so with every name in a home.
const hostFolders = ['.pawl', '.husky', ...foldersOfHosts]
const mention = new RegExp(
  `(?:^|[^a-z0-9_.-])(?:${alternationOf(otherLiterals)}|` +
    `(?:${alternationOf(hostFolders)})(?=/?(?:["'\\s);]|$))|` +
    `(?:${alternationOf(homeNames)})(?!\\.[a-z0-9_]))(?![a-z0-9_-])`,
)

/** Whether a text that cannot be read any better speaks of a protected file. */
export function mentionsProtected(text: string): boolean {
  return mention.test(text.normalize('NFKC').toLowerCase().replaceAll('\\', '/'))
}
