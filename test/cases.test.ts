/**
 * Plays every case in `cases/`, which are the law on behaviour. Cases that need the judging of
 * calls wait in `cases-pending.json` until that is built; nothing else may wait there.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findInputs } from '../src/doors/cli/inputs.ts'
import { type Loading, loadCases } from '../src/doors/cli/load-cases.ts'
import { type Played, play } from '../src/doors/cli/played.ts'
import { differenceLines } from '../src/doors/cli/test-report.ts'
import { openLibraries } from '../src/runtime/definition-library.ts'
import { isSourceName } from '../src/runtime/list-files.ts'

const root = resolve(import.meta.dirname, '..')
const pending: ReadonlySet<string> = new Set(readPending())

function readPending(): readonly string[] {
  const text = readFileSync(resolve(import.meta.dirname, 'cases-pending.json'), 'utf8')
  return (JSON.parse(text) as { pending: string[] }).pending
}

const loading: Loading = {
  cwd: root,
  libraryOf: openLibraries(),
  definitions: new Map(),
  invoked: new Map(),
}
const { inputs, faults } = findInputs(['cases'], root, isSourceName)
const files = inputs.map((input) => loadCases(input, loading))
const all = files.flatMap((file) => (file.kind === 'cases' ? file.cases.map(play) : []))

test('every file in `cases` is a file of cases, and no id stands twice', () => {
  expect(faults).toEqual([])
  expect(files.filter((file) => file.kind !== 'cases')).toEqual([])
  const ids = all.map(({ result }) => result.id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

describe.each(files.map((file) => file.shown))('%s', (shown) => {
  const played = all.filter(({ loaded }) => loaded.file.path === shown)
  for (const one of played.filter(({ result }) => result.level === 'must')) {
    const { id, title } = one.result
    if (pending.has(id)) test(`waits: ${id}`, () => expectWaits(one))
    else test(`${id}: ${title}`, () => expect(tellOf(one)).toBe(''))
  }
})

function tellOf(one: Played): string {
  return differenceLines(one, one.result.failures).join('\n')
}

/** Codes that only the judging of calls can give. */
const judgedCodes: readonly (string | undefined)[] = [
  'COMMAND_NOT_ALLOWED',
  'COMMAND_UNREADABLE',
  'SHELL_WRITE_NOT_ALLOWED',
  'ENV_BLOCKED',
  'PATH_OUT_OF_SCOPE',
  'PATH_PROTECTED',
  'EDIT_TOO_LARGE',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'POLICY_DENIED',
]

/** The first thing that goes wrong must be a call that was let through without being judged. */
function expectWaits({ loaded, result }: Played): void {
  expect(result.ok, 'it passes: take it off the list').toBe(false)
  const index = result.failures[0]?.step ?? -1
  const step = loaded.case.steps[index]
  expect(step, 'only a call may wait').toHaveProperty('call')
  const { verdict, code, input, rule } = step?.expect ?? {}
  const isShellOrUnnamed = verdict === 'deny' && code === undefined
  const isJudged =
    judgedCodes.includes(code) || verdict === 'ask' || input !== undefined || rule !== undefined
  expect(isJudged || isShellOrUnnamed, 'this needs no judging of calls').toBe(true)
}

test('every case on the list of pending ones exists and must hold', () => {
  const must = new Set(all.filter(({ result }) => result.level === 'must').map((p) => p.result.id))
  expect([...pending].filter((id) => !must.has(id))).toEqual([])
})
