/**
 * Kills what is left of a job whose helper was killed: the members of its groups, and processes
 * that carry its mark. The weakest way, and only for this case: a process can remove its mark, but
 * cannot leave a pid namespace or a group.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobNote } from './job-files.ts'

/** The variable that every process of a job begins with. */
export const markName = 'PAWL_JOB'

const roundsMax = 20

/** By which the processes of a job are known. */
export type JobMarks = Pick<JobNote, 'id' | 'cgroups'>

/**
 * The processes of a job: the members of its groups, or where it has none, those with its mark.
 * `groups` looks for no marks, which takes a look at every process of the machine.
 */
export function findMembers({ id, cgroups }: JobMarks, by: MembersBy): ReadonlySet<number> {
  const members = cgroups.flatMap(membersOf)
  return new Set(members.length > 0 || by === 'groups' ? members : markedBy(id))
}

export type MembersBy = 'groups' | 'groups or marks'

/** What there is of a job, but for its supervisor, which carries no mark and is in no group. */
export function findLeftovers({ id, cgroups }: JobMarks): ReadonlySet<number> {
  const found = new Set([...cgroups.flatMap(membersOf), ...markedBy(id)])
  found.delete(process.pid)
  return found
}

export function killLeftovers(marks: JobMarks): void {
  if (process.platform !== 'linux') return
  for (let round = 0; round < roundsMax; round += 1) {
    const found = findLeftovers(marks)
    if (found.size === 0) return
    for (const pid of found) end(pid)
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function membersOf(folder: string): readonly number[] {
  return readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

function markedBy(id: string): readonly number[] {
  const mark = `${markName}=${id}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readText(`/proc/${name}/environ`).split('\0').includes(mark))
    .map(Number)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // Gone meanwhile, or not ours to read: then it is not ours to end.
    return ''
  }
}
