/**
 * The command line of a job: its supervisor, perhaps bubblewrap, the helper that starts the
 * program, and the program.
 * Knows mechanisms. Must not know jobs or files of jobs.
 */
import { statSync } from 'node:fs'
import { foldersBetween, guidePaths, visiblePaths } from './hidden-paths.ts'
import { isPathInside } from './job-workspace.ts'
import type { VisibleHome } from './visible-home.ts'

/** What holds the program: from the strongest to the weakest. */
export type Mechanism =
  | { readonly kind: 'bubblewrap'; readonly path: string }
  | { readonly kind: 'spaces' }
  | { readonly kind: 'landlock' }
  | { readonly kind: 'plain' }

/** What the helper is told of a job. */
export type LaunchArgv = {
  readonly mechanism: Mechanism
  readonly folder: string
  readonly workspace: string
  readonly cwd: string
  /** Where an unboxed job keeps its own files. */
  readonly scratch: string
  /** A file that is read by the job and then gone; null: nothing comes in. */
  readonly input: string | null
  readonly environment: Readonly<Record<string, string>>
  readonly hidden: readonly string[]
  readonly home: VisibleHome
  /** `some`: nothing but a way out to its daemon. */
  readonly network: 'none' | 'some' | 'all'
  readonly program: readonly string[]
  /** Absent or 0: none. */
  readonly numbers: {
    readonly timeoutMs: number
    readonly graceMs: number
    readonly leaseMs: number
    readonly outputBytesMax: number
    readonly segmentBytes: number
    readonly tmpBytes: number
    readonly fileBytes: number
    readonly cpuSeconds: number
    readonly dataBytes: number
    readonly processes: number
  }
}

export function isBoxed({ kind }: Mechanism): boolean {
  return kind === 'bubblewrap' || kind === 'spaces'
}

/** What a supervisor is told of its job. */
export function launchArgvOf(chain: LaunchArgv): readonly string[] {
  const { numbers, mechanism, environment, input } = chain
  return [
    `folder=${chain.folder}`,
    `timeout=${numbers.timeoutMs}`,
    `grace=${numbers.graceMs}`,
    `lease=${numbers.leaseMs}`,
    `output=${numbers.outputBytesMax}`,
    `segment=${numbers.segmentBytes}`,
    ...(input === null ? [] : [`input=${input}`]),
    ...Object.entries(environment).map(([name, value]) => `variable=${name}=${value}`),
    ...(isBoxed(mechanism) ? ['pidspace=1'] : []),
    ...(chain.network === 'some' ? ['relay=1'] : []),
    ...(mechanism.kind === 'bubblewrap'
      ? bubblewrapOf(chain).map((word) => `boxword=${word}`)
      : []),
    '--',
    // Its words by an open file, since a job reads its arguments. The helper once more in the same
    // way: its path is hidden from the job.
    ...(mechanism.kind === 'bubblewrap'
      ? [mechanism.path, '--args', '7', '--', '/proc/self/fd/5']
      : []),
    ...innerOf(chain),
    '--',
    ...chain.program,
  ]
}

/** The helper that starts the program. */
function innerOf(chain: LaunchArgv): readonly string[] {
  const { mechanism, numbers, workspace, hidden, home } = chain
  return [
    'inner',
    `cwd=${chain.cwd}`,
    ...(chain.network === 'all' ? ['network=1'] : []),
    ...(chain.network === 'some' ? ['relay=1'] : []),
    `file=${numbers.fileBytes}`,
    `cpu=${numbers.cpuSeconds}`,
    `data=${numbers.dataBytes}`,
    `processes=${numbers.processes}`,
    ...(mechanism.kind === 'plain' ? [] : ['filter=1']),
    ...(mechanism.kind === 'spaces'
      ? [
          'box=1',
          `tmp=${numbers.tmpBytes}`,
          `workspace=${workspace}`,
          ...home.covered.map((path) => `covered=${path}`),
          ...home.kept.map((path) => `kept=${path}`),
          ...pinsOf(chain).map((path) => `pinned=${path}`),
          ...guidePaths(workspace).map((path) => `readonly=${path}`),
          ...hidden.map((path) => `hidden=${path}`),
        ]
      : []),
    ...(mechanism.kind === 'landlock'
      ? [
          'landlock=1',
          ...readablePaths(chain).map((path) => `reads=${path}`),
          `writes=${workspace}`,
          `writes=${chain.scratch}`,
        ]
      : []),
  ]
}

/** WHY a kept path may be left out: Landlock opens all of a folder or nothing of it. */
function readablePaths({ hidden, home: { covered, kept } }: LaunchArgv): readonly string[] {
  const isWhole = (path: string): boolean => !hidden.some((one) => isPathInside(path, one))
  return [...visiblePaths([...hidden, ...covered]), ...kept.filter(isWhole)]
}

/** The least that a file system in memory can have. */
const pageBytes = 4096
/** As in `pawl-job-box.c`. */
const runBytes = 4 * 1024 * 1024
const homeBytes = 65_536

function bubblewrapOf(chain: LaunchArgv): readonly string[] {
  const { workspace, hidden, numbers, home } = chain
  // Each is a file system of its own here, so they share by halves and quarters.
  const folder = (path: string, bytes: number): readonly string[] =>
    isFolder(path) ? ['--perms', '1777', '--size', String(bytes), '--tmpfs', path] : []
  const quarter = Math.max(pageBytes, Math.floor(numbers.tmpBytes / 4))
  const hasAll = chain.network === 'all'
  return [
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'job'],
    ...(hasAll ? ['--share-net'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--perms', '1777', '--size', String(quarter), '--tmpfs', '/dev/shm'],
    // Else it holds as much as the memory of the machine does.
    ...['--remount-ro', '/dev'],
    ...folder('/tmp', 2 * quarter),
    ...folder('/var/tmp', quarter),
    ...(isFolder('/run') ? ['--size', String(runBytes), '--tmpfs', '/run'] : []),
    ...(hasAll ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...home.covered.flatMap((one) => ['--size', String(homeBytes), '--tmpfs', one]),
    ...home.kept.flatMap((one) => ['--ro-bind', one, one]),
    ...['--bind', workspace, workspace],
    ...pinsOf(chain).flatMap((one) => ['--bind', one, one]),
    ...guidePaths(workspace).flatMap((one) => ['--ro-bind', one, one]),
    ...hidden.flatMap((one) =>
      isFolder(one)
        ? ['--perms', '0000', '--size', String(pageBytes), '--tmpfs', one]
        : ['--ro-bind', '/dev/null', one],
    ),
    ...home.covered.flatMap((one) => ['--remount-ro', one]),
  ]
}

/** Bound onto themselves: what something is mounted on cannot be renamed. */
function pinsOf({ workspace, hidden }: LaunchArgv): readonly string[] {
  return foldersBetween(workspace, [...hidden, ...guidePaths(workspace)])
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
