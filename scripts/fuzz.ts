/**
 * Long fuzz runs by hand: `node scripts/fuzz.ts --runs 10000 --seed 1`, or one `--kind` only.
 * Reports crashes, broken properties and the slowest definition. Ends with 1 when anything failed.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { draw, exercise, load } from '../test/fuzz/exercise.ts'
import { type StepPlan, steps } from '../test/generators/commands.ts'
import { prepare } from '../test/generators/compile-generated.ts'
import { type DefinitionSet, definitionSet } from '../test/generators/definitions.ts'
import { large } from '../test/generators/large-definitions.ts'
import { type Mutant, mutant } from '../test/generators/mutate.ts'
import { walk } from '../test/generators/walk.ts'
import { brokenBy } from '../test/properties/checks.ts'

/** Time of the processor in which a definition is read, compiled, checked and linked. */
const loadMsMax = 1_000
const batchSize = 100
const failuresShownMax = 20

type Kind = 'grammar' | 'mutation' | 'large'
type Failure = {
  readonly what: string
  readonly seed: number
  readonly index: number
  readonly input: unknown
}
type Slowest = { ms: number; readonly where: string; readonly bytes: number }
type Report = {
  runs: number
  started: number
  failures: Failure[]
  crashes: number
  slowLoad: Slowest
  slowDraw: Slowest
  slowWalk: Slowest
  loadMs: number
  tooSlow: number
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    out: { type: 'string' },
  },
})

const sources = {
  grammar: fc.tuple(definitionSet, steps),
  mutation: fc.tuple(mutant, steps),
  large: fc.tuple(large, fc.constant<StepPlan[]>([])),
} as const

function emptyReport(): Report {
  const slow = { ms: 0, where: '', bytes: 0 }
  return {
    ...{ runs: 0, started: 0, failures: [], crashes: 0 },
    ...{ slowLoad: slow, slowDraw: slow, slowWalk: slow, loadMs: 0, tooSlow: 0 },
  }
}

type Subject = DefinitionSet | Mutant

function textOf(subject: Subject): Mutant {
  return 'text' in subject ? subject : { text: JSON.stringify(subject.main), format: 'json' }
}

function play(
  subject: Subject,
  plans: readonly StepPlan[],
): { started: boolean; complaint: string | null } {
  if ('text' in subject) {
    const { machinesCount, complaint } = exercise(subject, plans)
    return { started: machinesCount > 0, complaint }
  }
  const { setup } = prepare(subject)
  if (setup === null) return { started: false, complaint: null }
  return { started: true, complaint: brokenBy(walk(setup, plans)) }
}

/** WHY not the clock on the wall: on a busy machine it would blame whatever happened to run. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

type FuzzPosition = { readonly seed: number; readonly index: number }

function examine(
  report: Report,
  [subject, plans]: [Subject, StepPlan[]],
  place: FuzzPosition,
): void {
  const text = textOf(subject)
  const where = `seed ${place.seed} index ${place.index}`
  const kind = 'kind' in subject ? subject.kind : text.format
  const fail = (what: string): void => {
    report.failures.push({ what, ...place, input: [subject, plans] })
  }
  report.runs += 1
  try {
    const begun = cpuMs()
    const machines = load(text)
    const ms = cpuMs() - begun
    report.loadMs += ms
    const bytes = text.text.length
    if (ms > report.slowLoad.ms) report.slowLoad = { ms, where: `${kind}, ${where}`, bytes }
    if (ms > loadMsMax) {
      report.tooSlow += 1
      fail(`loading took ${Math.round(ms)} ms`)
    }
    const drawn = cpuMs()
    draw(machines)
    const drawMs = cpuMs() - drawn
    if (drawMs > report.slowDraw.ms)
      report.slowDraw = { ms: drawMs, where: `${kind}, ${where}`, bytes }
    const played = cpuMs()
    const { started, complaint } = play(subject, plans)
    const walkMs = cpuMs() - played
    if (walkMs > report.slowWalk.ms)
      report.slowWalk = { ms: walkMs, where: `${kind}, ${where}`, bytes }
    if (started) report.started += 1
    if (complaint !== null) fail(complaint)
  } catch (thrown) {
    report.crashes += 1
    fail(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  }
}

function fuzz(kind: Kind, runs: number, seed: number): Report {
  const report = emptyReport()
  // Loading the code is no part of the first definition's time.
  load({
    text: '{"id": "warm", "initial": "a", "states": {"a": {"type": "final"}}}',
    format: 'json',
  })
  for (let batch = 0; batch * batchSize < runs; batch += 1) {
    // Neighbouring seeds give alike samples; far ones do not.
    const batchSeed = (seed * 1_000_003 + batch * 7_919) | 0
    const numRuns = Math.min(batchSize, runs - batch * batchSize)
    const samples = fc.sample<[Subject, StepPlan[]]>(sources[kind], { seed: batchSeed, numRuns })
    for (const [index, sample] of samples.entries())
      examine(report, sample, { seed: batchSeed, index })
  }
  return report
}

function told({ ms, where, bytes }: Slowest): string {
  return `${ms.toFixed(1)} ms (${where}, ${bytes} characters)`
}

function tell(kind: Kind, report: Report): void {
  const { runs, started, crashes, failures, tooSlow } = report
  console.log(`${kind}: ${runs} definitions, ${started} of them started`)
  console.log(`  crashes ${crashes}, broken properties ${failures.length - crashes - tooSlow}`)
  console.log(
    `  over ${loadMsMax} ms: ${tooSlow}; mean ${(report.loadMs / Math.max(1, runs)).toFixed(2)} ms`,
  )
  console.log(`  slowest to load ${told(report.slowLoad)}`)
  console.log(`  slowest to draw ${told(report.slowDraw)}`)
  console.log(`  slowest walk ${told(report.slowWalk)}`)
  for (const failure of failures.slice(0, failuresShownMax)) {
    console.log(`  seed ${failure.seed} index ${failure.index}: ${failure.what}`)
  }
}

const kinds: readonly Kind[] =
  values.kind === undefined ? ['grammar', 'mutation', 'large'] : [values.kind as Kind]
const reports = kinds.map((kind) => {
  // A large definition costs a hundred times as much as another.
  const count = kind === 'large' ? Math.ceil(Number(values.runs) / 100) : Number(values.runs)
  const report = fuzz(kind, count, Number(values.seed))
  tell(kind, report)
  return report
})
if (values.out !== undefined) {
  writeFileSync(values.out, JSON.stringify(reports.flatMap((one) => one.failures)))
}
process.exitCode = reports.some((one) => one.failures.length > 0) ? 1 : 0
