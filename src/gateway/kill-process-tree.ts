/**
 * Ends a program with everything it has started: a launcher such as `npx` has children, and they
 * may outlive it.
 * WHY not always a process group of its own: that is also a session of its own, and Linux
 * schedules each session separately, which delays a call through the gateway (0.03 ms). On Linux,
 * processes are found by a mark in their environment, or by their parent.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const markName = 'PAWL_UPSTREAM'
const isMarked = process.platform === 'linux'

/** How a program is started so that it can be ended. */
type ProcessTree = {
  readonly detached: boolean
  readonly env: Readonly<Record<string, string>>
  /** Tells all of them. */
  readonly kill: (child: ChildProcess, signal: NodeJS.Signals) => void
}

export function watchProcesses(): ProcessTree {
  const id = randomUUID()
  return {
    detached: !isMarked && process.platform !== 'win32',
    env: isMarked ? { [markName]: id } : {},
    kill: (child, signal) => {
      const pid = child.pid ?? 0
      for (const one of isMarked ? startedBy(pid, `${markName}=${id}`) : [-pid]) tell(one, signal)
      child.kill(signal)
    },
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid !== 0) process.kill(pid, signal)
  } catch {
    // It was faster, or there are no groups here.
  }
}

/** Processes with a mark in their environment, and those below them or below this one. */
function startedBy(root: number, mark: string): ReadonlySet<number> {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const hasMark = (pid: number): boolean => fileOf(pid, 'environ').split('\0').includes(mark)
  const found = new Set(pids.filter(hasMark))
  if (pids.includes(root)) found.add(root)
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]))
  // Who starts in front of whom is not told by their numbers: looked at until nobody is new.
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return found
}

/** The name in it may have any letters, also brackets; the parent comes behind the last one. */
function parentOf(pid: number): number {
  const stat = fileOf(pid, 'stat')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** Empty: the process has ended, or is somebody else's. */
function fileOf(pid: number, name: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** How long a program may take to end once its input is closed, and once it is told to. */
const endMsMax = 1_000

/** Closes its input, then tells it to end, then ends it. */
export async function killProcessTree(child: ChildProcess, { kill }: ProcessTree): Promise<void> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  if (child.pid === undefined) return
  child.stdin?.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const over = performance.now() + endMsMax; performance.now() < over; ) {
      if (hasEnded()) break
      await sleep(20)
    }
    if (hasEnded() && signal === 'SIGTERM') return
    kill(child, signal)
  }
}
