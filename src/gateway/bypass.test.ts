import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Policy } from '../core/machine/machine.ts'
import { policyOf } from '../core/policy/policy-builder.contract.ts'
import { openBypassTokens } from '../runtime/gateway/bypass-tokens.ts'
import type { Store } from '../runtime/ports.ts'
import { asAgent, type Bench, openBench, say, startRelease } from '../runtime/runtime.contract.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { type Bypass, openBypass } from './bypass.ts'

type BypassBench = Bench & {
  readonly held: Bypass
  readonly ask: (workspace?: string) => Promise<void>
}

/** A daemon's runtime, and a gateway that asks it. */
function open(policies: readonly Policy[] = [], store: Store = openMemoryStore()): BypassBench {
  const folder = mkdtempSync(join(tmpdir(), 'passes-'))
  const passes = openBypassTokens(join(folder, 'pass'))
  const bench = openBench(store, policies, passes)
  const held = openBypass()
  onTestFinished(() => {
    held.close()
    passes.close()
    rmSync(folder, { recursive: true })
  })
  const ask = async (workspace = '/work'): Promise<void> => {
    const askedAt = performance.now()
    const whose = { workspace, runId: null, mark: null, last: null, holder: 'one' }
    const server = { server: 'fs', tool: 'read_file' }
    const call = { ...whose, server, input: { path: 'a.md' } }
    held.take((await bench.runtime.gateway.check(call, asAgent)).pass, askedAt)
  }
  return { ...bench, held, ask }
}

const plain = { path: 'a.md', content: 'x' }

test('where no run and no policy has a say, the next call is not asked about', async () => {
  const { held, ask } = open()
  expect(held.covers(plain)).toBe(false)
  await ask()
  expect(held.covers(plain)).toBe(true)
  expect(held.covers({ path: '.claude/settings.json' })).toBe(false)
})

test('a pass no longer holds when whoever started a run is answered, in any folder', async () => {
  const { held, ask, runtime } = open()
  await ask()
  const runId = await startRelease(runtime)
  expect(held.covers(plain)).toBe(false)
  await ask()
  expect(held.covers(plain)).toBe(false)
  await ask('/elsewhere')
  expect(held.covers(plain)).toBe(true)
  // A run that only goes on changes nothing for others; one that ends may.
  await runtime.send(runId, say('READY'), asAgent)
  expect(held.covers(plain)).toBe(true)
  await runtime.send(runId, { kind: 'cancel', reason: '' }, asAgent)
  expect(held.covers(plain)).toBe(false)
})

test('a run that comes from elsewhere takes passes back as well', async () => {
  const other = open()
  const copy = await other.runtime.exportRun(await startRelease(other.runtime))
  const { held, ask, runtime } = open()
  await ask()
  expect(held.covers(plain)).toBe(true)
  await runtime.importRun(copy)
  expect(held.covers(plain)).toBe(false)
})

test('a start of which nobody knows whether it was kept takes passes back', async () => {
  const store = openMemoryStore()
  const commit: Store['commit'] = async (change) => {
    await store.commit(change)
    throw new Error('the disk is gone')
  }
  const { held, ask, runtime } = open([], { ...store, commit })
  await ask()
  await expect(startRelease(runtime)).rejects.toThrow('gone')
  expect(held.covers(plain)).toBe(false)
})

test('a run that begins while the daemon looks leaves no pass behind', async () => {
  const { held, ask, runtime } = open()
  const asked = ask()
  await startRelease(runtime)
  await asked
  expect(held.covers(plain)).toBe(false)
})

test('there is none under a policy, nor where other nodes may start runs', async () => {
  for (const place of [
    open([policyOf({ deny: [{ capability: 'web' }] })]),
    open([], { ...openMemoryStore(), isShared: true }),
  ]) {
    await place.ask()
    expect(place.held.covers(plain)).toBe(false)
  }
})

test('another daemon takes back what the one before has given, and a pass runs out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'passes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'pass')
  const held = openBypass()
  const first = openBypassTokens(file)
  const pass = first.offer()
  held.take(pass, performance.now())
  expect(held.covers(plain)).toBe(true)
  first.close()
  const second = openBypassTokens(file)
  expect(held.covers(plain)).toBe(false)
  held.take(pass, performance.now())
  expect(held.covers(plain)).toBe(false)
  // A file that was put in the place of the other is found.
  rmSync(file)
  second.close()
  const third = openBypassTokens(file)
  held.take(third.offer(), performance.now())
  expect(held.covers(plain)).toBe(true)
  held.take(third.offer(), performance.now() - pass.ms)
  expect(held.covers(plain)).toBe(false)
  third.close()
  held.close()
})

test('what cannot be read, or says something else, is no pass', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'other'), 'something else')
  const held = openBypass()
  for (const file of ['missing', 'other', '.']) {
    held.take({ file: join(folder, file), word: 'abcdef', ms: 1_000 }, performance.now())
    expect(held.covers(plain), file).toBe(false)
  }
  held.close()
})
