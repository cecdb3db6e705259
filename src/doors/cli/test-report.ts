/** Results of cases, for people and programs. */

import type { Json } from '../../core/json.ts'
import { positionAt } from '../../core/source/source.ts'
import type { CaseStep } from '../../testing/case-schema.ts'
import type { Failure } from '../../testing/compare-step.ts'
import { ansiFor, counted, plain } from './ansi.ts'
import { shownPath } from './find-inputs.ts'
import type { Io } from './io.ts'
import type { DefinitionCoverage, PlayedCase } from './play-cases.ts'

/** Characters of a value that a difference shows. */
const valueCharsMax = 600

/** A failing case: its name and place, then each difference. */
export function failureText(played: PlayedCase, io: Io): string {
  const { id, title, level, failures } = played.result
  const word = level === 'should' ? ansiFor(io, 'yellow', 'SHOULD') : ansiFor(io, 'red', 'FAIL')
  const head = `${word} ${ansiFor(io, 'bold', plain(id))}  ${plain(title)}  (${placeText(played)})`
  return `${[head, ...differenceLines(played, failures)].join('\n')}\n`
}

/** `cases/deploy.json:12`. */
export function placeText({ loaded }: PlayedCase): string {
  const { line } = positionAt(loaded.file.lines, loaded.node.start)
  return plain(`${loaded.file.path}:${line}`)
}

/** The differences of a case, without colours. */
export function differenceLines({ loaded }: PlayedCase, failures: readonly Failure[]): string[] {
  return failures.flatMap((failure) => {
    const where =
      failure.step === null ? '' : `${stepText(failure.step, loaded.case.steps[failure.step])}: `
    return [
      `  ${where}${plain(failure.path)}`,
      `    expected ${valueText(failure.expected)}`,
      `    actual   ${valueText(failure.actual)}`,
    ]
  })
}

/** ``step 2 `signal READY` ``; steps are counted from 1. */
function stepText(index: number, step: CaseStep | undefined): string {
  return `step ${index + 1} \`${plain(step === undefined ? '?' : verbText(step))}\``
}

function verbText(step: CaseStep): string {
  const run = step.run === undefined ? '' : ` in ${step.run}`
  if ('signal' in step) return `signal ${step.signal}${run}`
  if ('answer' in step) return `answer ${step.answer}${run}`
  if ('call' in step) return `call ${step.call.tool}${run}`
  if ('force' in step) return `force ${step.force.stage}${run}`
  if ('wait' in step) return `wait ${step.wait}`
  if ('change' in step) return `change ${step.change}`
  const verbs = ['submit', 'report', 'approve', 'refuse', 'pause', 'resume', 'look']
  return `${verbs.find((verb) => verb in step) ?? 'step'}${run}`
}

function valueText(value: Json): string {
  const text = plain(JSON.stringify(value) ?? 'nothing')
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text
}

/** One line of JSON per case. */
export function jsonLine({ loaded, result }: PlayedCase): string {
  const { id, ok, level, failures } = result
  return `${JSON.stringify({ id, ok, failures, level, file: loaded.file.path })}\n`
}

/** `12 passed, 1 failed`, and what of level `should` failed on a line of its own. */
export function summaryText(all: readonly PlayedCase[]): string {
  const passed = all.filter(({ result }) => result.ok).length
  const isOnlyWanted = ({ result }: PlayedCase): boolean => !result.ok && result.level === 'should'
  const wanted = all.filter(isOnlyWanted).length
  const failed = all.length - passed - wanted
  const apart = wanted === 0 ? '' : `${counted(wanted, 'case')} of level should failed\n`
  return `${apart}${passed} passed, ${failed} failed\n`
}

/** Stages and routes that the cases have walked, and the names of those they have not. */
export function coverageText(all: readonly DefinitionCoverage[], cwd: string): string {
  return all
    .map(({ coverage, path }) => {
      const { stages, routes } = coverage
      const file = path === null ? '' : ` (${shownPath(path, cwd)})`
      const head =
        `coverage of \`${coverage.name}\`${file}: ` +
        `stages ${stages.seen.length}/${stages.all.length}, ` +
        `routes ${routes.seen.length}/${routes.all.length}`
      const lines = [head, ...absentLine('stages', stages), ...absentLine('routes', routes)]
      return `${plain(lines.join('\n'))}\n`
    })
    .join('')
}

type Walked = { readonly all: readonly string[]; readonly seen: readonly string[] }

function absentLine(what: string, walked: Walked): readonly string[] {
  const absent = absentOf(walked)
  return absent.length === 0 ? [] : [`  ${what} not covered: ${absent.join(', ')}`]
}

function absentOf({ all, seen }: Walked): readonly string[] {
  const known = new Set(seen)
  return all.filter((one) => !known.has(one))
}

/** One line of JSON per definition. */
export function coverageJson(all: readonly DefinitionCoverage[], cwd: string): string {
  return all
    .map(({ coverage, path }) => {
      const walk = (walked: Walked): unknown => ({
        all: walked.all.length,
        covered: walked.seen.length,
        absent: absentOf(walked),
      })
      const value = {
        definition: coverage.name,
        file: path === null ? null : shownPath(path, cwd),
        stages: walk(coverage.stages),
        routes: walk(coverage.routes),
      }
      return `${JSON.stringify({ coverage: value })}\n`
    })
    .join('')
}
