/**
 * Sessions in boxes that end without warning, at any moment: the daemon, the supervisor, the host,
 * whoever started it, or all at once. Afterwards nothing of a session runs, the workspace is as it
 * was, and the next daemon says what happened.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type House, openHouse, type Process } from '../../src/main/daemon.contract.ts'
import { childrenOf, processesWith } from '../../src/runner/scratch.contract.ts'

const victims = ['daemon', 'supervisor', 'host', 'caller', 'all'] as const
type Victim = (typeof victims)[number]

export type BoxFaults = {
  readonly rounds: number
  /** How many sessions were killed before their program ran. */
  readonly early: number
  readonly survivors: number
  /** Files, folders or mounts that were not there before. */
  readonly leftovers: number
  /** Sessions that did not end, or boxes that were not removed, in time. */
  readonly hangs: number
  /** Ends that no daemon told of. */
  readonly untold: number
  readonly what: readonly string[]
}

const definition = {
  id: 'boxed',
  initial: 'working',
  states: { working: { allowed_tools: ['Edit'], on: { END: 'done' } }, done: { type: 'final' } },
}
/** A box is there after about a second; on a busy machine it takes a few. */
const momentsMsMax = 4_000
const workMsMax = 500
/** More than a daemon waits for a session that was opened and never started. */
const waitMsMax = 60_000
const lookMs = 20
const told = /in a box ended while no daemon was running/g

/** Null: this machine has no boxes. `program`: the built Pawl. */
export async function boxFaults(rounds: number, program: string): Promise<BoxFaults | null> {
  const house = openHouse({}, [process.execPath, program])
  try {
    execFileSync('git', ['init', '-q'], { cwd: house.workspace })
    writeFileSync(join(house.workspace, 'boxed.json'), JSON.stringify(definition))
    writeFileSync(join(house.workspace, 'made.txt'), '')
    const started = await house.start(['start', 'boxed.json', '--json']).ended
    const { runId } = JSON.parse(started.out)
    const tried = await house.start(['run', '--run', runId, '--', 'true']).ended
    if (/has no boxes/.test(tried.err)) return null
    const sum = { early: 0, survivors: 0, leftovers: 0, hangs: 0, untold: 0 }
    const what: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const found = await killOnce(house, runId, round)
      for (const key of ['early', 'survivors', 'leftovers', 'hangs', 'untold'] as const) {
        sum[key] += found[key]
      }
      what.push(...found.what)
    }
    return { rounds, ...sum, what }
  } finally {
    await house.close()
  }
}

async function killOnce(house: House, runId: string, round: number): Promise<BoxFaults> {
  const victim = victims[round % victims.length] ?? 'all'
  const before = filesIn(house.workspace)
  const saidBefore = timesTold(house)
  const mark = `${30_000 + round}.${process.pid}${Math.floor(Math.random() * 1e6)}`
  const work = `while :; do echo x >> made.txt; sleep 0.05; done; # ${mark}`
  const program = `(setsid sleep ${mark} &); ${work}`
  const session = house.start(['run', '--run', runId, '--', 'sh', '-c', program])
  const isRunning = (): boolean => processesWith(mark).some((pid) => pid !== session.pid)
  // Every other one is killed while its program works, the rest at whatever moment it is.
  if (round % 2 === 0) await within(untilSo(isRunning))
  await sleep(Math.random() * (round % 2 === 0 ? workMsMax : momentsMsMax))
  const isEarly = !isRunning()
  const hasBox = boxesIn(house) > 0
  kill(victim, { house, session, mark })
  const what: string[] = []
  const note = (text: string): number => what.push(`round ${round}, ${victim}: ${text}`)
  // A session outlives its daemon; the next one finds it.
  if (victim === 'daemon') {
    await house.start(['state', runId]).ended
    session.child.kill('SIGTERM')
  }
  const isOver = await within(session.ended)
  await house.start(['state', runId]).ended
  const isRemoved = await within(untilSo(() => boxesIn(house) === 0))
  await within(untilSo(() => processesWith(mark).length === 0))
  const survivors = processesWith(mark).length
  const left = [
    ...filesIn(house.workspace).filter((one) => !before.includes(one)),
    ...mounts(house),
  ]
  const isTold = victim !== 'all' || !hasBox || timesTold(house) > saidBefore
  if (!isOver) note('the session did not end')
  if (!isRemoved) note('the box was not removed')
  if (survivors > 0) note(`${survivors} processes survived`)
  if (left.length > 0) note(`left behind: ${left.join(', ')}`)
  if (!isTold) note('no daemon told of it')
  return {
    ...{ rounds: 1, early: isEarly ? 1 : 0, survivors, leftovers: left.length },
    ...{ hangs: (isOver ? 0 : 1) + (isRemoved ? 0 : 1), untold: isTold ? 0 : 1, what },
  }
}

type Living = { readonly house: House; readonly session: Process; readonly mark: string }

function kill(victim: Victim, { house, session, mark }: Living): void {
  const daemon = house.note()?.pid
  const caller = session.pid
  const supervisor = childrenOf(caller)
  const hosts = processesWith(mark).filter((pid) => pid !== caller)
  const pids = {
    daemon: [daemon],
    supervisor: supervisor.length === 0 ? [caller] : supervisor,
    host: hosts.length === 0 ? [caller] : hosts,
    caller: [caller],
    all: [daemon, caller, ...supervisor, ...hosts],
  }[victim]
  for (const pid of pids) if (pid !== undefined) kill9(pid)
}

function kill9(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Also those of git, where placeholders are. */
function filesIn(workspace: string): readonly string[] {
  return [workspace, join(workspace, '.git')].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  )
}

function mounts({ workspace, folder }: House): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(workspace) || line.includes(folder))
}

function boxesIn({ folder }: House): number {
  const boxes = join(folder, 'boxes')
  return existsSync(boxes) ? readdirSync(boxes).length : 0
}

function timesTold(house: House): number {
  return [...house.log().matchAll(told)].length
}

async function untilSo(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + waitMsMax; performance.now() < end && !isSo(); ) {
    await sleep(lookMs)
  }
  if (!isSo()) throw new Error('not in time')
}

/** Whether it comes to its end, and in time. */
function within(work: Promise<unknown>): Promise<boolean> {
  const late = sleep(waitMsMax).then(() => false)
  const done = work.then(
    () => true,
    () => false,
  )
  return Promise.race([done, late])
}
