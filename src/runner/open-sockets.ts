/**
 * Unix sockets of other programs that have a path. A network namespace does not hold them: whoever
 * sees the path can connect.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { isPathInside } from './job-workspace.ts'

const socketsMax = 4_000
const entriesMax = 20_000

/** Places that a box has anew, or does not show. */
const unseen = ['/run', '/tmp', '/var/run', '/var/tmp', '/dev', '/proc', '/sys']

/** Sockets that a job in this workspace could connect to, by their paths. */
export function socketsBeside(workspace: string): readonly string[] {
  const names = boundNames()
  const isSeen = (path: string): boolean =>
    isPathInside(workspace, path) || !unseen.some((one) => isPathInside(one, path))
  const absolute = names.filter((name) => isAbsolute(name) && isSeen(name) && isSocket(name))
  // Bound by a name that is seen from the folder of its program: only a walk finds those.
  const near = new Set(names.filter((name) => !isAbsolute(name)).map((name) => basename(name)))
  const found = near.size === 0 ? [] : walk(workspace).filter((path) => near.has(basename(path)))
  return [...new Set([...absolute, ...found])].slice(0, socketsMax)
}

function boundNames(): readonly string[] {
  if (!existsSync('/proc/net/unix')) return []
  return readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .slice(1)
    .flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ ([^@].*)$/.exec(line)?.[1] ?? [])
    .map((name) => Buffer.from(name, 'latin1').toString('utf8'))
}

/** Sockets in a folder, the outer ones first. */
function walk(folder: string): readonly string[] {
  const sockets: string[] = []
  const open = [folder]
  for (let count = 0; open.length > 0 && count < entriesMax; ) {
    const next = open.shift() ?? folder
    for (const entry of entriesIn(next)) {
      count += 1
      const path = join(next, entry.name)
      if (entry.isSocket()) sockets.push(path)
      if (entry.isDirectory() && entry.name !== 'node_modules') open.push(path)
    }
  }
  return sockets
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // What we cannot list, the job cannot either.
    return []
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket()
  } catch {
    // Gone: its program has ended.
    return false
  }
}
