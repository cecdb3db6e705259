/**
 * Ends a program with all that it has started: a starter such as `npx` has children, and they may
 * outlive it.
 * WHY not always a group of its own: that is a session of its own as well, and Linux gives each
 * session a share of the processor by itself, which a call through the gateway waits for (0.03 ms).
 * There all that a program starts is known by a mark in its environment.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const markName = 'PAWL_UPSTREAM'
const isMarked = process.platform === 'linux'

/** How a program is started so that it can be ended. */
export type Leash = {
  readonly detached: boolean
  readonly env: Readonly<Record<string, string>>
  /** Tells all of them. */
  readonly kill: (child: ChildProcess, signal: NodeJS.Signals) => void
}

export function openLeash(): Leash {
  const mark = `${markName}=${randomUUID()}`
  const [name = '', value = ''] = mark.split('=')
  return {
    detached: !isMarked && process.platform !== 'win32',
    env: isMarked ? { [name]: value } : {},
    kill: (child, signal) => {
      for (const pid of isMarked ? withMark(mark) : [-(child.pid ?? 0)]) tell(pid, signal)
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

/** Processes with a mark in their environment. */
function withMark(mark: string): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)
    } catch {
      // It has ended, or is somebody else's.
      return false
    }
  })
}

/** How long a program may take to end once its input is closed, and once it is told to. */
const endMsMax = 1_000

/** Closes its input, then tells it to end, then ends it. */
export async function endProgram(child: ChildProcess, { kill }: Leash): Promise<void> {
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
