/**
 * Our JMESPath against the official compliance cases, case by case.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { evaluateJmespath, parseJmespath } from '../../../src/core/expr/jmespath.ts'
import { equalJson, type Json } from '../../../src/core/json.ts'

type Case = { readonly expression: string; readonly result?: Json; readonly error?: string }
type Group = { readonly given: Json; readonly cases: readonly Case[] }

const files: { readonly [file: string]: readonly Group[] } = read('cases.json')
const exceptions: { readonly [id: string]: string } = read('exceptions.json')

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

type CaseResult = { readonly id: string; readonly failure: string | null }

function resultsOf(file: string): readonly CaseResult[] {
  return (files[file] ?? []).flatMap((group, g) =>
    group.cases.map((one, c) => ({
      id: `${file}/${g}/${c} ${one.expression}`,
      failure: failureOf(one, group.given),
    })),
  )
}

/** Null when our JMESPath does what the case says, else what it did instead. */
function failureOf(one: Case, given: Json): string | null {
  const found = evaluateJmespath(one.expression, given)
  if (one.error === undefined) {
    if (found.ok && equalJson(found.value, one.result ?? null)) return null
    return `${JSON.stringify(found)} instead of ${JSON.stringify(one.result)}`
  }
  if (found.ok) return `${JSON.stringify(found.value)} instead of an error`
  // A mistake in the text must be known when the definition is checked, not when it runs.
  const isLate = one.error === 'syntax' && parseJmespath(one.expression).ok
  return isLate ? 'a syntax error that is only noticed on evaluation' : null
}

test.each(Object.keys(files))('the file %s passes except for what is listed', (file) => {
  const results = resultsOf(file)
  const failing = results.filter((one) => one.failure !== null)
  const unlisted = failing.filter((one) => !Object.hasOwn(exceptions, one.id))
  expect(unlisted).toEqual([])
  const ids = new Set(failing.map((one) => one.id))
  const listed = Object.keys(exceptions).filter((id) => id.startsWith(`${file}/`))
  expect(listed.filter((id) => !ids.has(id))).toEqual([])
})

test('the counts are those that docs/reference/expressions.md states', () => {
  expect(Object.keys(files)).toHaveLength(16)
  expect(Object.keys(files).flatMap(resultsOf)).toHaveLength(863)
  expect(Object.keys(exceptions)).toHaveLength(0)
})

test('a wrong value, a missing error and a late one are all noticed', () => {
  expect(failureOf({ expression: 'a', result: 1 }, { a: 1 })).toBeNull()
  expect(failureOf({ expression: 'a', result: 2 }, { a: 1 })).not.toBeNull()
  expect(failureOf({ expression: 'a', error: 'invalid-type' }, { a: 1 })).not.toBeNull()
  expect(failureOf({ expression: 'abs(a)', error: 'syntax' }, { a: 'x' })).not.toBeNull()
})
