/**
 * The fuzz loop: judges candidates, runs the allowed ones, and compares what ran with the list.
 */
import { readShell } from '../../src/core/shell/read-shell.ts'
import { ruleOnCommands } from '../../src/core/shell/rule-on-commands.ts'
import { ruleOnShellWrites } from '../../src/core/shell/rule-on-shell-writes.ts'
import { type ListName, lists } from './allow-lists.ts'
import { type Candidate, candidates, isUnsafeToRun, namesStranger } from './command-source.ts'
import { type Sandbox, type Traced, traceCommand, unlistedIn } from './trace.ts'

/** `ran`: programs on no entry; in a stage that only reads, what was changed. */
export type Violation = Candidate & { readonly ran: readonly string[] }

export type FuzzResult = {
  /** Candidates that were judged. */
  readonly judged: number
  readonly denied: number
  /** Allowed and run. */
  readonly run: number
  /** Of those: judged by a stage that only reads. */
  readonly reading: number
  /** Of those: name a stranger somewhere, and started at least one program. */
  readonly namingStrangers: number
  readonly starting: number
  readonly violations: readonly Violation[]
}

export type FuzzPlan = {
  readonly sandbox: Sandbox
  readonly seed: number
  /** How many allowed commands are run. */
  readonly runs: number
  /** How many at the same time. */
  readonly workersCount: number
  /** What the commands are judged by; both, unless told. */
  readonly kind?: 'lists' | 'reading' | 'both'
}

/** Of this many candidates at least one is allowed, or something is broken. */
const judgedPerRunMax = 200

/** Whether Pawl lets it through. */
export function isAllowed(command: string, list: ListName): boolean {
  const reading = readShell(command)
  if (list === 'reading') return ruleOnShellWrites(reading) === null
  return ruleOnCommands(reading, lists[list]) === null
}

/** Runs as many allowed commands as planned. */
export async function runFuzz({
  sandbox,
  seed,
  runs,
  workersCount,
  kind,
}: FuzzPlan): Promise<FuzzResult> {
  const candidate = candidates(seed, kind)
  const counts = { judged: 0, denied: 0, run: 0, reading: 0, namingStrangers: 0, starting: 0 }
  const violations: Violation[] = []
  const seen = new Set<string>()
  const next = (): Candidate | null => {
    while (counts.run < runs) {
      if (counts.judged >= judgedPerRunMax * runs) throw new Error('hardly anything is allowed')
      const found = candidate(counts.judged)
      counts.judged += 1
      if (!isAllowed(found.command, found.list)) counts.denied += 1
      else if (!seen.has(found.command) && !isUnsafeToRun(found.command)) {
        seen.add(found.command)
        counts.run += 1
        return found
      }
    }
    return null
  }
  const work = async (): Promise<void> => {
    for (let found = next(); found !== null; found = next()) {
      const { started, changed } = await traceCommand(sandbox, found.command, found.list)
      if (namesStranger(found.command)) counts.namingStrangers += 1
      if (found.list === 'reading') counts.reading += 1
      if (started.length > 0) counts.starting += 1
      const ran = wrongIn(sandbox, found.list, { started, changed })
      if (ran.length > 0) violations.push({ ...found, ran })
    }
  }
  await Promise.all(Array.from({ length: workersCount }, work))
  return { ...counts, violations }
}

const nothing: Traced = { started: [], changed: [] }

/** What the command did that it may not. */
function wrongIn(sandbox: Sandbox, list: ListName, { started, changed }: Traced): string[] {
  if (list === 'reading') return [...changed]
  return unlistedIn(sandbox, started, lists[list])
}

/** Tries to make a violation shorter; gives up after this many runs. */
const triesMax = 400

/** The shortest text found that is still allowed and still runs what it may not. */
export async function minimise(sandbox: Sandbox, violation: Violation): Promise<Violation> {
  let best = violation
  let tries = 0
  let size = Math.ceil(best.command.length / 2)
  while (size >= 1 && tries < triesMax) {
    let isShorter = false
    for (let at = 0; at < best.command.length && tries < triesMax; ) {
      const command = best.command.slice(0, at) + best.command.slice(at + size)
      const isWorthRunning = isAllowed(command, best.list) && !isUnsafeToRun(command)
      tries += isWorthRunning ? 1 : 0
      const traced = isWorthRunning ? await traceCommand(sandbox, command, best.list) : nothing
      const ran = wrongIn(sandbox, best.list, traced)
      if (ran.length > 0) {
        best = { ...best, command, ran }
        isShorter = true
      } else at += size
    }
    if (!isShorter || size > best.command.length) size = Math.floor(size / 2)
  }
  return best
}
