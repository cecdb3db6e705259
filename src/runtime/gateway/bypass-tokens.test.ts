import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWaiters } from '../runs/waiters.ts'
import { openBypassTokens } from './bypass-tokens.ts'

function fileOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'passes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, name)
}

test('passes end with the daemon that gave them', () => {
  const file = fileOf('pass')
  const passes = openBypassTokens(file)
  const { word } = passes.offer()
  expect(readFileSync(file, 'utf8')).toBe(word)
  passes.close()
  expect(readFileSync(file, 'utf8')).not.toBe(word)
})

test('what is taken back after the end is written nowhere', () => {
  const passes = openBypassTokens(fileOf('pass'))
  passes.offer()
  passes.close()
  const other = fileOf('other')
  // Gets the number that was free.
  const place = openSync(other, 'w')
  onTestFinished(() => closeSync(place))
  passes.offer()
  passes.takeBack()
  passes.close()
  expect(readFileSync(other, 'utf8')).toBe('')
})

test('nobody hears of a log after the waiters were let go', () => {
  const waiters = openWaiters()
  const heard: string[] = []
  waiters.listen((runId) => heard.push(runId))
  waiters.wake('a', 1)
  waiters.close()
  waiters.wake('b', 1)
  expect(heard).toEqual(['a'])
})
