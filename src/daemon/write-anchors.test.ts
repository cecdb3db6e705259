/** Anchors are written to a file, a webhook and a git ref, and prove the store later. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AnchorTarget } from '../home/config-anchors.ts'
import { openMachineCache } from '../runtime/definitions/machine-cache.ts'
import type { Store } from '../runtime/ports.ts'
import { parseAnchors } from '../runtime/record/anchor.ts'
import { checkRecord } from '../runtime/record/check-record.ts'
import { asAgent, openBench, say, startMs, startRelease } from '../runtime/runtime.contract.ts'
import { readAnchorText } from './anchor-targets.ts'
import { maintainStore } from './store-maintenance.ts'
import { openAnchorWriter } from './write-anchors.ts'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-anchors-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

type Writing = {
  readonly store: Store
  readonly targets: readonly AnchorTarget[]
  readonly post?: (target: unknown, line: string) => Promise<void>
  readonly logged?: string[]
}

function write({ store, targets, post = async () => undefined, logged = [] }: Writing) {
  return openAnchorWriter({
    ...{ store, post, now: Date.now, settings: { everyMs: 60_000, targets } },
    log: (_, what) => void logged.push(what),
  })
}

const linesIn = (text: string): number => text.split('\n').filter((line) => line !== '').length

test('a file gets an anchor at the start and at the end, and both prove the store', async () => {
  const path = join(scratch(), 'anchors.jsonl')
  const { runtime, store } = openBench()
  const runId = await startRelease(runtime)
  const close = write({ store, targets: [{ type: 'file', path }] })
  await expect.poll(() => linesIn(readFileSync(path, 'utf8'))).toBe(1)
  await runtime.send(runId, say('READY'), asAgent)
  await close()
  const anchors = parseAnchors(await readAnchorText(path))
  expect(anchors).toHaveLength(2)
  const checked = { shelf: openMachineCache(store), anchors, now: startMs }
  expect((await checkRecord(store, checked)).problems).toEqual([])
  const other = openBench().store
  await startRelease(openBench(other).runtime)
  const { problems } = await checkRecord(other, { ...checked, shelf: openMachineCache(other) })
  expect(problems.length).toBeGreaterThan(0)
})

test('nothing is written while nothing changes', async () => {
  const path = join(scratch(), 'anchors.jsonl')
  const { runtime, store } = openBench()
  await startRelease(runtime)
  const close = write({ store, targets: [{ type: 'file', path }] })
  await expect.poll(() => linesIn(readFileSync(path, 'utf8'))).toBe(1)
  await close()
  expect(linesIn(readFileSync(path, 'utf8'))).toBe(1)
})

test('a git ref gets a commit for each anchor, and no hook of the repository runs', async () => {
  const repository = scratch()
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
  git('init', '-q')
  const hook = join(repository, '.git', 'hooks', 'reference-transaction')
  writeFileSync(hook, `#!/bin/sh\ntouch ${join(repository, 'ran')}\n`)
  chmodSync(hook, 0o755)
  const { runtime, store } = openBench()
  const runId = await startRelease(runtime)
  const ref = 'refs/pawl/anchors'
  const close = write({ store, targets: [{ type: 'git', repository, ref }] })
  const where = `git:${repository}#${ref}`
  const read = async () => linesIn(await readAnchorText(where).catch(() => ''))
  await expect.poll(read).toBe(1)
  await runtime.send(runId, say('READY'), asAgent)
  await close()
  const anchors = parseAnchors(await readAnchorText(where))
  expect(anchors).toHaveLength(2)
  expect((await maintainStore(store, 'check', anchors)).problems).toEqual([])
  expect(execFileSync('ls', [repository], { encoding: 'utf8' })).toBe('')
})

test('a webhook that fails is tried again, and the failure is logged once', async () => {
  const { runtime, store } = openBench()
  await startRelease(runtime)
  const posted: string[] = []
  const logged: string[] = []
  let tries = 0
  const post = async (_: unknown, line: string) => {
    tries += 1
    if (tries === 1) throw new Error('it is down')
    posted.push(line)
  }
  const url = 'http://127.0.0.1:1/'
  const close = write({
    store,
    targets: [{ type: 'webhook', url, secretFile: null }],
    post,
    logged,
  })
  await expect.poll(() => posted.length).toBe(1)
  await close()
  expect(parseAnchors(posted.join(''))).toHaveLength(1)
  expect(logged).toEqual(['an anchor could not be written', 'anchors are written again'])
})

test('`pawl db anchor` gives a line that `--against` takes', async () => {
  const { runtime, store } = openBench()
  await startRelease(runtime)
  const { anchor } = await maintainStore(store, 'anchor')
  const report = await maintainStore(store, 'check', parseAnchors(anchor ?? ''))
  expect(report).toMatchObject({ anchorsCount: 1, problems: [] })
})

test.each(['', 'x', '{"seq":1}', '{"store":"a","seq":1,"hash":"b","at":1}'])(
  'a text that is not an anchor is refused: %s',
  (text) => {
    expect(() => parseAnchors(text)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
  },
)
