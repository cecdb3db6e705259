/** The lock of a data directory: one holder at a time, freed by whatever ends it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PawlError } from '../runtime/pawl-error.ts'
import { processStartOf } from './daemon-file.ts'
import { takeLock } from './daemon-lock.ts'

function lockPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'daemon.lock')
}

test('the lock has one holder, and the next may have it when it was released', () => {
  const path = lockPath()
  const first = takeLock(path)
  expect(first).not.toBeNull()
  expect(takeLock(path)).toBeNull()
  first?.release()
  const second = takeLock(path)
  expect(second).not.toBeNull()
  second?.release()
})

test('the lock of a process that was killed is free at once', async () => {
  const path = lockPath()
  const module = join(import.meta.dirname, 'daemon-lock.ts')
  const code = `const { takeLock } = await import(${JSON.stringify(module)})
    globalThis.lock = takeLock(${JSON.stringify(path)})
    process.stdout.write(globalThis.lock === null ? 'busy' : 'held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code])
  const [word] = await once(holder.stdout, 'data')
  expect(String(word)).toBe('held')
  expect(takeLock(path)).toBeNull()
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = takeLock(path)
  expect(lock).not.toBeNull()
  lock?.release()
})

test('a lock that cannot be made is a fault, not a daemon that runs', () => {
  expect(() => takeLock('/nowhere/daemon.lock')).toThrow(PawlError)
})

test('a living process has a birth that stays, and a dead one has none', async () => {
  expect(processStartOf(process.pid)).toBe(processStartOf(process.pid))
  expect(processStartOf(process.pid)).not.toBe('')
  const short = spawn(process.execPath, ['-e', ''])
  const pid = short.pid ?? 0
  await once(short, 'exit')
  expect(processStartOf(pid)).toBeNull()
})
