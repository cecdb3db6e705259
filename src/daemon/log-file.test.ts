/** The daemon's log: one object per line, turned before it grows, and never a reason to fall. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from './log-file.ts'

function logPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'daemon.log')
}

function linesOf(path: string): { message: string; n?: number }[] {
  const text = readFileSync(path, 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line))
}

test('each line is one object with its moment, whatever its text holds', () => {
  const path = logPath()
  const heard: string[] = []
  const log = openLog(path, { onLine: (line) => heard.push(line) })
  log.line('info', 'one\ntwo\u001b[31m', { n: 1 })
  log.line('error', 'three')
  log.close()
  expect(linesOf(path)).toMatchObject([
    { level: 'info', message: 'one\ntwo\u001b[31m', n: 1 },
    { level: 'error', message: 'three' },
  ])
  expect(readFileSync(path, 'utf8')).toBe(heard.join(''))
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a log that grows is turned, three are kept, and no line is torn or lost before them', () => {
  const path = logPath()
  const log = openLog(path, { bytesMax: 1_000 })
  for (let n = 0; n < 200; n += 1) log.line('info', 'x'.repeat(100), { n })
  log.close()
  const paths = [`${path}.3`, `${path}.2`, `${path}.1`, path]
  for (const one of paths) expect(statSync(one).size).toBeLessThanOrEqual(1_000)
  expect(existsSync(`${path}.4`)).toBe(false)
  const numbers = paths.flatMap(linesOf).map((one) => one.n ?? -1)
  expect(numbers).toEqual(numbers.map((_, index) => 200 - numbers.length + index))
})

test('an opened log goes on where the last one ended', () => {
  const path = logPath()
  for (const message of ['one', 'two']) {
    const log = openLog(path, { bytesMax: 1_000 })
    log.line('info', message)
    log.close()
  }
  expect(linesOf(path).map((one) => one.message)).toEqual(['one', 'two'])
})

const hasFullDisk = existsSync('/dev/full')
test.runIf(hasFullDisk)('a line that cannot be written is counted and told by the next', () => {
  const heard: string[] = []
  const log = openLog('/dev/full', { onLine: (line) => heard.push(line) })
  log.line('info', 'one')
  log.line('info', 'two')
  log.close()
  expect(JSON.parse(heard[1] ?? '')).toMatchObject({ message: 'two', linesLost: 1 })
})
