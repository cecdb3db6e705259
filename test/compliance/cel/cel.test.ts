/**
 * Our CEL against the conformance suite of cel-spec, case by case.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { casesOf, failureOf, suiteNames } from './suite.ts'

type Exceptions = {
  readonly suites: { readonly [name: string]: string }
  readonly cases: { readonly [id: string]: string }
}

const exceptions: Exceptions = JSON.parse(
  readFileSync(new URL('exceptions.json', import.meta.url), 'utf8'),
)
const applying = suiteNames.filter((name) => !Object.hasOwn(exceptions.suites, name))

test.each(applying)('the suite %s passes except for what is listed', (name) => {
  const failing = casesOf(name).filter((one) => failureOf(one) !== null)
  const listed = Object.keys(exceptions.cases).filter((id) => id.startsWith(`${name}/`))
  expect(failing.map((one) => `${one.id}: ${failureOf(one)}`).filter(isUnlisted)).toEqual([])
  const ids = new Set(failing.map((one) => one.id))
  expect(listed.filter((id) => !ids.has(id))).toEqual([])
})

test('the counts are those that docs/reference/expressions.md states', () => {
  const all = applying.flatMap((name) => casesOf(name))
  expect(applying).toHaveLength(13)
  expect(all).toHaveLength(1176)
  expect(Object.keys(exceptions.cases)).toHaveLength(81)
})

test('every suite that is left out exists', () => {
  expect(Object.keys(exceptions.suites).filter((name) => !suiteNames.includes(name))).toEqual([])
})

test('a wrong value and a missing error are both noticed', () => {
  const [sample] = casesOf('basic')
  expect(sample).toBeDefined()
  if (sample === undefined) return
  expect(failureOf(sample)).toBeNull()
  expect(failureOf({ ...sample, expected: { int64Value: '1' } })).toBe('int 0 instead of int 1')
  expect(failureOf({ ...sample, expected: { uint64Value: '0' } })).not.toBeNull()
  expect(failureOf({ ...sample, expected: null })).toBe('int 0 instead of error')
})

function isUnlisted(failure: string): boolean {
  return !Object.keys(exceptions.cases).some((id) => failure.startsWith(`${id}: `))
}
