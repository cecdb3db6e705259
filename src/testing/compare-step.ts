/**
 * Compares what a step did with what its author expects. Only named fields are compared.
 */
import type { View } from '../core/dialects/run-view.ts'
import type { Recorded } from '../core/engine/family.ts'
import type { Reply } from '../core/engine/types.ts'
import type { Finding } from '../core/finding.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { equalJson, own } from '../core/json.ts'
import type { Case, CaseStep } from './case-schema.ts'

export type Failure = {
  /** Index of the step; null when it is about the definition. */
  readonly step: number | null
  readonly path: string
  readonly expected: Json
  readonly actual: Json
}

export type ObservedStep = {
  readonly step: CaseStep
  readonly index: number
  readonly reply: Reply
  readonly recorded: readonly Recorded[]
  readonly view: View
}

type Expect = NonNullable<CaseStep['expect']>
type Difference = { readonly path: string; readonly expected: Json; readonly actual: Json }

/** The failures of one step. */
export function compareStep(seen: ObservedStep): Failure[] {
  const expect = seen.step.expect ?? {}
  const differences = [
    ...compareReply(seen, expect),
    ...compareValues(seen.view, expect),
    ...compareView(seen.view, expect),
    ...compareMissing(seen, expect),
    ...compareRecord(seen.recorded, expect),
  ]
  return differences.map((difference) => ({ step: seen.index, ...difference }))
}

function differ(path: string, expected: Json, actual: Json): Difference[] {
  return equalJson(expected, actual) ? [] : [{ path, expected, actual }]
}

function compareReply({ step, reply }: ObservedStep, expect: Expect): Difference[] {
  if (reply.kind === 'verdict') {
    const found: Difference[] = []
    if (expect.verdict !== undefined)
      found.push(...differ('verdict', expect.verdict, reply.verdict))
    if (expect.code !== undefined) found.push(...compareCode(expect.code, reply.code))
    if (expect.rule !== undefined) found.push(...differ('rule', expect.rule, reply.rule))
    if (expect.input !== undefined)
      found.push(...differ('input', expect.input as Json, reply.input))
    return found
  }
  const code = reply.kind === 'refused' ? reply.code : null
  if ('call' in step) return differ('verdict', expect.verdict ?? 'allow', code)
  if (expect.code !== undefined) return compareCode(expect.code, code)
  if (reply.kind === 'accepted') return []
  return [{ path: 'code', expected: 'accepted', actual: `${reply.code}: ${reply.reason}` }]
}

function compareCode(expected: string, actual: string | null): Difference[] {
  if (expected === 'any') return actual === null ? [{ path: 'code', expected, actual }] : []
  return differ('code', expected, actual)
}

function compareValues(view: View, expect: Expect): Difference[] {
  const found: Difference[] = []
  for (const scope of ['vars', 'local', 'inputs'] as const) {
    for (const [key, expected] of Object.entries((expect[scope] ?? {}) as JsonObject)) {
      found.push(...differ(`${scope}.${key}`, expected, own(view[scope], key) ?? null))
    }
  }
  for (const [name, status] of Object.entries(expect.branches ?? {})) {
    found.push(...differ(`branches.${name}`, status, own(view.branches, name) ?? null))
  }
  return found
}

function compareView(view: View, expect: Expect): Difference[] {
  const found: Difference[] = []
  if (expect.stage !== undefined) found.push(...differ('stage', expect.stage, view.stage))
  if (expect.status !== undefined) found.push(...differ('status', expect.status, view.status))
  if (expect.tools !== undefined)
    found.push(...differ('tools', sorted(expect.tools), sorted(view.tools)))
  if (expect.signals !== undefined) {
    found.push(...differ('signals', sorted(expect.signals), sorted(view.signals)))
  }
  for (const text of textsOf(expect.brief_contains)) {
    if (!view.brief.includes(text))
      found.push({ path: 'brief_contains', expected: text, actual: view.brief })
  }
  if (expect.pending_call !== undefined) {
    found.push(...compareSubset('pending_call', expect.pending_call as Json, view.pendingCall))
  }
  if (expect.approval !== undefined) {
    found.push(...compareSubset('approval', expect.approval as Json, view.approval))
  }
  return found
}

/** A refusal names what this submission lacked, which may be more than the stage always asks. */
function compareMissing({ reply, view }: ObservedStep, expect: Expect): Difference[] {
  if (expect.missing === undefined) return []
  const lacked = reply.kind === 'refused' ? reply.missing : undefined
  return differ('missing', expect.missing, lacked ?? view.missing)
}

function sorted(names: 'all' | readonly string[]): Json {
  return names === 'all' ? 'all' : [...names].sort()
}

function textsOf(texts: string | readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return []
  return typeof texts === 'string' ? [texts] : texts
}

/** Null means there is none; an object is compared in the fields it names. */
function compareSubset(path: string, expected: Json, actual: JsonObject | null): Difference[] {
  if (expected === null || actual === null) return differ(path, expected, actual)
  return Object.entries(expected as JsonObject).flatMap(([key, value]) =>
    differ(`${path}.${key}`, value, own(actual, key) ?? null),
  )
}

function compareRecord(recorded: readonly Recorded[], expect: Expect): Difference[] {
  const found: Difference[] = []
  const events = recorded.map((one) => one.event)
  if (expect.says !== undefined) {
    const said = events.flatMap((event) => (event.type === 'text.said' ? [event.text] : []))
    found.push(...differ('says', expect.says, said))
  }
  if (expect.warnings !== undefined) {
    const raised = events.flatMap((event) => (event.type === 'warning.raised' ? [event.code] : []))
    const absent = expect.warnings.filter((code) => !raised.some((one) => one === code))
    if (absent.length > 0)
      found.push({ path: 'warnings', expected: expect.warnings, actual: raised })
  }
  if (expect.events !== undefined) {
    const types = events.map((event) => event.type)
    if (!isSubsequence(expect.events, types)) {
      found.push({ path: 'events', expected: expect.events, actual: types })
    }
  }
  return found
}

function isSubsequence(wanted: readonly string[], types: readonly string[]): boolean {
  let next = 0
  for (const type of types) if (type === wanted[next]) next += 1
  return next === wanted.length
}

type CheckCompared = {
  readonly failures: readonly Failure[]
  /** Not starting is what the case is about, or is right too. */
  readonly mayRefuse: boolean
}

/** Compares findings with what the case says `pawl check` must contain. */
export function compareCheck(check: Case['check'], findings: readonly Finding[]): CheckCompared {
  const errors = findings.filter((one) => one.severity === 'error').map((one) => one.code)
  const warnings = findings.filter((one) => one.severity === 'warning').map((one) => one.code)
  const failures: Failure[] = []
  const wanted = check?.errors
  const missed = (path: string, expected: Json, actual: Json): void => {
    failures.push({ step: null, path, expected, actual })
  }
  if (wanted === 'any' && errors.length === 0) missed('check.errors', 'any', [])
  if (Array.isArray(wanted)) {
    if (wanted.length === 0 && errors.length > 0) missed('check.errors', [], findingTexts(findings))
    const absent = wanted.filter((code: string) => !errors.some((one) => one === code))
    if (absent.length > 0) missed('check.errors', absent, findingTexts(findings))
  }
  const absent = (check?.warnings ?? []).filter((code) => !warnings.some((one) => one === code))
  if (absent.length > 0) missed('check.warnings', absent, findingTexts(findings))
  return {
    failures,
    mayRefuse: wanted !== undefined && (typeof wanted === 'string' || wanted.length > 0),
  }
}

function findingTexts(findings: readonly Finding[]): Json {
  return findings.map((one) => `${one.code} at ${one.pointer}: ${one.message}`)
}
