import { expect, test } from 'vitest'
import { appended, type JobLog } from './job-log.ts'

const empty: JobLog = { parts: [], end: 0, sizes: null, dropped: 0, problem: null }

function answer(stdout: string, size: number, dropped = 0) {
  return {
    ...{ stdout, stderr: '', stdout_size: size, stderr_size: 3, truncated: false },
    ...{ process_id: 'job_1', state: 'running' as const, next_offset: null },
    ...{ stdout_next_offset: 0, stderr_next_offset: 0 },
    ...{ stdout_dropped_bytes: dropped, stderr_dropped_bytes: 0 },
  }
}

test('what is read is put behind what was read, at its byte', () => {
  const first = appended(empty, answer('ab', 4), { stream: 'stdout', at: 0, next: 2 })
  const both = appended(first, answer('cd', 4), { stream: 'stdout', at: 2, next: 4 })
  expect(both.parts).toEqual([
    { offset: 0, text: 'ab' },
    { offset: 2, text: 'cd' },
  ])
  expect(both).toMatchObject({ end: 4, sizes: { stdout: 4, stderr: 3 } })
})

test('a letter that reading began in the middle of is left out, others are not', () => {
  const read = { stream: 'stdout', at: 7, next: 12 } as const
  expect(appended(empty, answer('\ufffd\ufffdab', 12), read).parts[0]?.text).toBe('ab')
  const whole = appended(empty, answer('\ufffdab', 12), { ...read, at: 0 })
  expect(whole.parts[0]?.text).toBe('\ufffdab')
})

test('bytes that are gone are not asked for again, and what is too much goes', () => {
  const late = appended(empty, answer('x', 99, 50), { stream: 'stdout', at: 0, next: 51 })
  expect(late.parts[0]?.offset).toBe(50)
  const long = 'x'.repeat(300 * 1024)
  let log = empty
  for (let at = 0; at < 4; at += 1) {
    log = appended(log, answer(long, 9e9), { stream: 'stdout', at, next: at + 1 })
  }
  expect(log.parts.map((one) => one.offset)).toEqual([3])
})
