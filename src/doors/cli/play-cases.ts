/** Runs loaded cases and keeps their results. A bug in one case is a failure of that case. */

import { compareCheck, type Failure } from '../../testing/compare-step.ts'
import { type Coverage, mergeCoverage } from '../../testing/coverage.ts'
import { type CaseResult, playCase } from '../../testing/play-case.ts'
import { definitionKey, type LoadedCase } from './load-cases.ts'

export type PlayedCase = {
  readonly loaded: LoadedCase
  readonly result: CaseResult
  readonly durationMs: number
}

/** Plays one case; whatever happens, there is a result. */
export function playCases(loaded: LoadedCase): PlayedCase {
  const begin = performance.now()
  let result: CaseResult
  try {
    result = loaded.source === null ? refused(loaded) : playCase(loaded.source)
  } catch (bug) {
    const actual = `internal fault: ${bug instanceof Error ? bug.message : String(bug)}`
    const failure = { step: null, path: 'pawl', expected: 'no fault in Pawl itself', actual }
    result = resultOf(loaded, [failure])
  }
  return { loaded, result, durationMs: performance.now() - begin }
}

/** A definition whose text has errors never starts; that may be what the case is about. */
function refused(loaded: LoadedCase): CaseResult {
  const { failures, mayRefuse } = compareCheck(loaded.case.check, loaded.findings)
  const actual = loaded.findings.map((one) => `${one.code}: ${one.message}`)
  const unasked: Failure = {
    step: null,
    path: 'definition',
    expected: 'a definition that starts',
    actual,
  }
  return resultOf(loaded, mayRefuse ? failures : [...failures, unasked])
}

function resultOf(loaded: LoadedCase, failures: readonly Failure[]): CaseResult {
  const { id, title, level } = loaded.case
  return {
    id,
    title,
    level: level ?? 'must',
    ok: failures.length === 0,
    failures,
    findings: loaded.findings,
    coverage: null,
    log: [],
    family: null,
  }
}

export type DefinitionCoverage = { readonly coverage: Coverage; readonly path: string | null }

/** What all cases together have walked, per definition, in the order of first use. */
export function coverageOf(all: readonly PlayedCase[]): readonly DefinitionCoverage[] {
  const byKey = new Map<string, DefinitionCoverage>()
  for (const { loaded, result } of all) {
    const { coverage } = result
    if (coverage === null) continue
    const key = definitionKey(loaded)
    const before = byKey.get(key)
    const path = loaded.definitionPath
    const merged = before === undefined ? coverage : mergeCoverage(before.coverage, coverage)
    byKey.set(key, { coverage: merged, path })
  }
  return [...byKey.values()]
}
