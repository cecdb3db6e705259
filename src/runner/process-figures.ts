/**
 * What the processes of a running job have used so far, as the kernel counts it for each of them
 * (with the children that it has waited for). Where a control group counts, its figures are better.
 */
import { readFileSync } from 'node:fs'
import type { ResourceUsage } from '../runtime/jobs/jobs-port.ts'
import { findMembers, type JobMarks, type MembersBy } from './kill-leftovers.ts'

/** Linux counts processor time for programs in hundredths of a second. */
const tickMs = 10
/** Processes of one job that are looked at. */
const processesMax = 1_000

/** Null where nothing can be read: not Linux, or no process is found. */
export function processFigures(marks: JobMarks, by: MembersBy): ResourceUsage {
  const isLinux = process.platform === 'linux'
  const pids = isLinux ? [...findMembers(marks, by)].slice(0, processesMax) : []
  const read = (file: string, pattern: RegExp): readonly number[] =>
    pids.flatMap((pid) => {
      const found = pattern.exec(textOf(`/proc/${pid}/${file}`))
      return found === null ? [] : [found.slice(1).reduce((sum, one) => sum + Number(one), 0)]
    })
  // The name in `stat` may have spaces and brackets; after it come the state and 10 more fields.
  const ticks = read('stat', /\) \S(?: -?\d+){10} (\d+) (\d+) (\d+) (\d+)/)
  const kibibytes = read('status', /^VmHWM:\s+(\d+) kB$/m)
  return {
    cpu_ms: ticks.length === 0 ? null : total(ticks) * tickMs,
    memory_peak_bytes: kibibytes.length === 0 ? null : Math.max(...kibibytes) * 1024,
    io_read_bytes: totalOrNull(read('io', /^read_bytes: (\d+)$/m)),
    io_write_bytes: totalOrNull(read('io', /^write_bytes: (\d+)$/m)),
  }
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, one) => sum + one, 0)
}

function totalOrNull(figures: readonly number[]): number | null {
  return figures.length === 0 ? null : total(figures)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It has ended meanwhile, or is not ours to read.
    return ''
  }
}
