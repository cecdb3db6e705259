/**
 * Definitions that each break one thing: the right code at the right line.
 * What is expected stands beside them, in `definitions/broken/expected.json`.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes, warningCodes } from '../src/core/errors.ts'
import { loadFolder, tellFindings } from './definitions/load.ts'

type Expected = { readonly code: string; readonly line: number; readonly column?: number }

const folder = join(import.meta.dirname, 'definitions', 'broken')
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Readonly<
  Record<string, Expected>
>
const loaded = loadFolder(folder)

test('the index names every broken definition and no other', () => {
  expect(Object.keys(expected).sort()).toEqual(loaded.map((one) => basename(one.file)).sort())
  expect(loaded.length).toBeGreaterThanOrEqual(30)
})

test.each(loaded.map((one) => [basename(one.file), one] as const))('%s is told', (name, one) => {
  const wanted = expected[name]
  const told = tellFindings(one)
  const places = told.map(({ code, line, column }) => {
    return wanted?.column === undefined ? { code, line } : { code, line, column }
  })
  expect(places).toContainEqual(wanted)
})

test.each(loaded.map((one) => [basename(one.file), one] as const))(
  '%s breaks no other thing',
  (name, one) => {
    const wanted = expected[name]
    const codes = one.findings.map(({ code }) => code).filter((code) => code !== wanted?.code)
    expect(codes).toEqual(alsoTold[name] ?? [])
  },
)

/** What follows from the one mistake, and is told as well. */
const alsoTold: Readonly<Record<string, readonly string[]>> = {
  'field-misspelt.json': ['OPEN_STAGE'],
  'workflow-no-final.yaml': ['NO_PATH_TO_FINAL'],
}

test('a definition with an error gives no machine, one with a warning does', () => {
  for (const one of loaded) {
    // What it invokes is looked up after it was compiled.
    const own = one.findings.filter((finding) => !finding.code.startsWith('INVOKE_'))
    const hasError = own.some((finding) => finding.severity === 'error')
    expect([basename(one.file), one.machines.length > 0]).toEqual([basename(one.file), !hasError])
  }
})

test('every message is for people: lower case and without a full stop', () => {
  for (const { message, hint } of loaded.flatMap((one) => one.findings)) {
    expect(message).not.toMatch(/^[A-Z][a-z]|\.$|^$/)
    expect(hint).not.toMatch(/^[A-Z][a-z]|\.$/)
  }
})

test('nearly every code of findings has a broken definition', () => {
  const codes = new Set(Object.values(expected).map((one) => one.code))
  const missing = [...errorCodes, ...warningCodes].filter((code) => !codes.has(code))
  // SIZE_EXCEEDED needs megabytes, TOOL_UNKNOWN a host that lists its tools.
  expect(missing).toEqual(['SIZE_EXCEEDED', 'TOOL_UNKNOWN'])
})
