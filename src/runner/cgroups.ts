/**
 * Control groups of Linux: the only limits that apply to a whole tree of processes. Both versions
 * are used if this user may write them, which is found out by trying. The second version with its
 * controllers was written from its documentation: no machine to test it on had them.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmdir, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

type GroupLimits = {
  readonly memoryBytes: number
  readonly cpus: number
  readonly processes: number
}

export type Groups = {
  readonly version: 1 | 2
  readonly has: { readonly memory: boolean; readonly pids: boolean; readonly cpu: boolean }
  /** Folders of a new group, which limits nothing yet. */
  readonly make: (name: string) => readonly string[]
  readonly hold: (name: string, limits: GroupLimits) => void
}

const quotaPeriodUs = 100_000

/** What there is to hold jobs with; null: no group that limits memory and processes. */
export function findGroups(trial: string): Groups | null {
  if (process.platform !== 'linux') return null
  const found = [groupsOf(1, basesOfFirst()), groupsOf(2, basesOfSecond())]
  return found.find((groups) => groups !== null && isUsable(groups, trial)) ?? null
}

/** Controller → folder of this process. */
type Bases = ReadonlyMap<string, string>

function groupsOf(version: 1 | 2, bases: Bases): Groups | null {
  if (bases.size === 0) return null
  const has = { memory: bases.has('memory'), pids: bases.has('pids'), cpu: bases.has('cpu') }
  const make: Groups['make'] = (name) => {
    const made: string[] = []
    try {
      for (const base of new Set(bases.values())) {
        const folder = join(base, name)
        mkdirSync(folder)
        made.push(folder)
      }
      return made
    } catch (fault) {
      removeGroups(made)
      throw fault
    }
  }
  const hold: Groups['hold'] = (name, limits) => {
    for (const [controller, base] of bases) {
      setLimits(join(base, name), { version, controller }, limits)
    }
  }
  return { version, has, make, hold }
}

type Kind = { readonly version: 1 | 2; readonly controller: string }

function setLimits(folder: string, { version, controller }: Kind, limits: GroupLimits): void {
  const write = (name: string, value: string): void => writeFileSync(join(folder, name), value)
  const quota = Math.max(1_000, Math.round(limits.cpus * quotaPeriodUs))
  if (controller === 'pids') write('pids.max', String(limits.processes))
  if (controller === 'memory') {
    write(version === 1 ? 'memory.limit_in_bytes' : 'memory.max', String(limits.memoryBytes))
    // A job that swaps instead would hold up the whole machine.
    const swap = version === 1 ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max'
    const value = version === 1 ? String(limits.memoryBytes) : '0'
    if (exists(join(folder, swap))) write(swap, value)
  }
  // All cores are no limit.
  if (controller !== 'cpu' || limits.cpus >= availableParallelism()) return
  if (version === 2) return write('cpu.max', `${quota} ${quotaPeriodUs}`)
  write('cpu.cfs_period_us', String(quotaPeriodUs))
  write('cpu.cfs_quota_us', String(quota))
}

const mebibyte = 1024 * 1024

const joinAll = 'for one; do echo 0 > "$one/cgroup.procs" || exit 1; done'
const joinMsMax = 10_000

function isUsable({ has, make, hold }: Groups, trial: string): boolean {
  if (!has.memory || !has.pids) return false
  let made: readonly string[] = []
  try {
    made = make(trial)
    hold(trial, { memoryBytes: 64 * mebibyte, cpus: 0.5, processes: 10 })
    // To make a group does not mean that processes may be moved there: that takes more rights.
    execFileSync('/bin/sh', ['-c', joinAll, 'sh', ...made], { stdio: 'ignore', timeout: joinMsMax })
    return true
  } catch {
    // Read-only, not ours, or without its controllers: the next best is used, and told.
    return false
  } finally {
    removeGroups(made)
  }
}

/** The same without waiting for it. */
export function letGroupsGo(folders: readonly string[]): void {
  // What is still dying in there, or gone already, is nobody's loss.
  for (const folder of folders) rmdir(folder, () => undefined)
}

/** Empty groups go away; one with a process in it stays. */
function removeGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch {
      // The helper was faster, or something is still dying in there; nothing depends on it.
    }
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not Linux, or hidden from us: then there are no groups.
    return ''
  }
}

/** `memory` → `/sys/fs/cgroup/memory/…`: each controller has a tree of its own. */
function basesOfFirst(): Bases {
  const bases = new Map<string, string>()
  const mounts = readText('/proc/self/mounts').split('\n')
  for (const line of readText('/proc/self/cgroup').split('\n')) {
    const [, names = '', path = ''] = line.match(/^\d+:([^:]*):(.*)$/) ?? []
    for (const name of names.split(',')) {
      if (!['memory', 'pids', 'cpu', 'cpuacct'].includes(name)) continue
      const mount = mounts.find((one) => {
        const [, , type, options = ''] = one.split(' ')
        return type === 'cgroup' && options.split(',').includes(name)
      })
      const top = mount?.split(' ')[1]
      if (top === undefined) continue
      const own = join(top, path)
      bases.set(name, exists(own) ? own : top)
    }
  }
  return bases
}

function basesOfSecond(): Bases {
  const mount = readText('/proc/self/mounts')
    .split('\n')
    .find((one) => one.split(' ')[2] === 'cgroup2')
  const top = mount?.split(' ')[1]
  if (top === undefined) return new Map()
  const path = readText('/proc/self/cgroup').match(/^0::(.*)$/m)?.[1] ?? '/'
  return basesBelow(exists(join(top, path)) ? join(top, path) : top, top)
}

/**
 * Where groups with controllers can be made: in the group of this process, or beside it. A group
 * other than the root that has processes gives its controllers to no group in it, and the group of
 * this process has one; so where a session manager gives them to all in a slice, it is beside.
 */
export function basesBelow(own: string, top: string): Bases {
  const inside = enabledIn(own, 'enable')
  if (own === top || inside.has('memory')) return inside
  return enabledIn(dirname(own), 'look')
}

/** Of a group above we only look: what its other groups are held by is not ours to change. */
function enabledIn(folder: string, how: 'enable' | 'look'): Bases {
  const listed = (file: string): readonly string[] =>
    readText(join(folder, file)).trim().split(/\s+/)
  const has = listed('cgroup.controllers')
  const given = listed('cgroup.subtree_control')
  const bases = new Map<string, string>()
  for (const name of ['memory', 'pids', 'cpu'].filter((one) => has.includes(one))) {
    try {
      if (!given.includes(name)) {
        if (how === 'look') continue
        writeFileSync(join(folder, 'cgroup.subtree_control'), `+${name}`)
      }
      bases.set(name, folder)
    } catch {
      // Not delegated to us, or the group holds processes itself.
    }
  }
  return bases
}

/** A figure of a running group; null: it cannot be read. */
export function readFigure(
  folders: readonly string[],
  names: readonly { readonly file: string; readonly key: string }[],
): number | null {
  for (const { file, key } of names) {
    for (const folder of folders) {
      const line = readText(join(folder, file))
        .split('\n')
        .find((one) => one !== '' && one.startsWith(key))
      const figure = line === undefined ? Number.NaN : Number(line.slice(key.length).trim())
      if (Number.isFinite(figure)) return figure
    }
  }
  return null
}
