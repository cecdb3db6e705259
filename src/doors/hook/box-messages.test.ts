import { expect, test } from 'vitest'
import type { View } from '../../core/dialects/run-view.ts'
import type { StageFiles } from '../../core/engine/stage-files.ts'
import type { Report } from '../../core/engine/types.ts'
import { boxRefusalText, findBoxRefusals } from './box-messages.ts'

const report: Report = { ok: true, output: '', exitCode: 1, bytes: 0, costMicroUsd: 0 }
const view = {
  ...{ runId: 'r', stage: 'reviewing', dialect: 'workflow', status: 'running' },
  ...{ signals: ['REVIEWED'], missing: [] },
} as unknown as View

function told(files: StageFiles, output: string, refused: readonly string[] = []): string {
  const found = findBoxRefusals({ ...report, output }, refused)
  return found === null ? '' : boxRefusalText({ ...found, files, view, host: 'claude' })
}

const reading: StageFiles = { mode: 'read', folders: [], programsDenied: [] }

test('a write that the kernel refused is explained, with the way on', () => {
  const text = told(reading, "Error: EROFS: read-only file system, open 'made.txt'")
  expect(text).toContain('in `reviewing` the files of the workspace are read-only')
  expect(text).toContain('`/tmp`')
  expect(text).toContain('`REVIEWED`')
})

test.for<[StageFiles, string]>([
  [{ mode: 'scratch', folders: [], programsDenied: [] }, 'other writes do not outlast `reviewing`'],
  [{ mode: 'write', folders: ['tests'], programsDenied: [] }, 'only `tests` can be written'],
  [{ mode: 'write', folders: [], programsDenied: [] }, 'are read-only in every stage'],
])('what is closed is said as it is: %o', ([files, words]) => {
  expect(told(files, 'touch: cannot touch x: Read-only file system')).toContain(words)
})

test('a server is named if the call speaks of it', () => {
  const text = told(reading, 'curl: (56) CONNECT to example.org failed', ['example.org:443'])
  expect(text).toContain('refused connections to `example.org:443`')
  expect(text).toContain('--connect')
})

test('a command that succeeds may show the text of an error', () => {
  const output = 'docs/errors.md: EROFS: read-only file system'
  expect(findBoxRefusals({ ...report, exitCode: 0, output }, [])).toBe(null)
  expect(findBoxRefusals({ ...report, exitCode: null, output }, [])?.isWrite).toBe(true)
})

test('what the host itself tried is none of the call', () => {
  expect(told(reading, '1 test failed', ['telemetry.example.org:443'])).toBe('')
})

test('a connection past the way out is explained', () => {
  expect(told(reading, 'getaddrinfo EAI_AGAIN example.org')).toContain('servers that are listed')
})

test('a program that the stage denies is named, and no other', () => {
  const programs = [
    { path: '/usr/bin/node', count: 1 },
    { path: '/usr/bin/ssh', count: 2, isDenied: true },
  ] as const
  const found = findBoxRefusals({ ...report, ran: { programs } }, [])
  expect(found?.programs).toEqual(['ssh'])
  const text = found && boxRefusalText({ ...found, files: reading, view, host: 'claude' })
  expect(text).toBe('[Pawl] `ssh` cannot be started in `reviewing`.')
})
