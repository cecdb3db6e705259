/**
 * The variable that a text sets and that makes its commands run or trust something else. Knows
 * readings. What each variable does stands in `dangerous-variables.ts`.
 */
import { changesWhatRuns } from './dangerous-variables.ts'
import type { AssignedValue, GoodReading, SimpleCommand } from './shell-reading.ts'

/** The first such assignment; undefined: none. */
export function riskyAssignment(reading: GoodReading): AssignedValue | undefined {
  if (reading.assignments.length === 0) return undefined
  return reading.assignments.find(
    (one) => changesWhatRuns(one.name, one.value) && !isForTests(reading, one),
  )
}

const pathsInside = /^(?!.*(^|:|\/)\.\.(\/|:|$))[\w.@-][\w./@-]*(:[\w.@-][\w./@-]*)*$/

/**
 * `PYTHONPATH=src pytest`: tests run what is in the workspace anyway. Only in front of them, and
 * nowhere else in the text.
 */
function isForTests({ assignments, commands }: GoodReading, { name, value }: AssignedValue) {
  if (name !== 'PYTHONPATH' || !pathsInside.test(value ?? '')) return false
  const under = commands.filter(({ assigns }) => assigns.includes(name))
  const count = assignments.filter((one) => one.name === name).length
  return under.length === count && under.every(isTestRun)
}

function isTestRun({ words }: SimpleCommand): boolean {
  const line = words
    .slice(0, 4)
    .map((word) => word ?? '')
    .join(' ')
  return /^(pytest|py\.test|((uv|poetry) run )?(pytest|python3? -m (pytest|unittest)))( |$)/.test(
    line,
  )
}
