/** From a debt in the store to what people get: at least once, and decided by a link once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../runtime/clock.ts'
import { type OpenRuntime, openRuntime } from '../runtime/open-runtime.ts'
import type { Store } from '../runtime/ports.ts'
import {
  asAgent,
  asPerson,
  release,
  say,
  startMs,
  startRelease,
} from '../runtime/runtime.contract.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { type ApprovalLinks, linkCollection, openApprovalLinks } from './approval-links.ts'
import { notificationsFor } from './notifications-for.ts'
import { notificationCollection, openNotifier } from './open-notifier.ts'
import { openPostOffice, type PostOffice } from './receivers.contract.ts'
import type { NotifySettings, Routes } from './settings.ts'

type Bench = {
  readonly runtime: OpenRuntime
  readonly store: Store
  readonly links: ApprovalLinks
  readonly pass: (ms: number) => void
  /** A restart on the same store, perhaps with other settings. */
  readonly again: (settings?: Partial<NotifySettings>) => Bench
  readonly logged: readonly string[]
}

type Ground = {
  readonly store: Store
  readonly clock: Clock & { pass: (ms: number) => void }
  readonly office: PostOffice
  readonly wishes: (workspace: string) => Routes | null
}

function openOn(ground: Ground, more: Partial<NotifySettings>): Bench {
  const { store, clock, office } = ground
  const hook = { type: 'webhook', person: 'ada', shows: 'all' } as const
  const settings: NotifySettings = {
    channels: [
      { ...hook, name: 'one', url: `${office.url}/one` },
      { ...hook, name: 'two', url: `${office.url}/two`, person: 'bob' },
      { ...hook, name: 'boss', url: `${office.url}/boss`, shows: 'question' },
    ],
    when: { gate: ['one', 'two'], budget: ['one'], run: ['two'] },
    quiet: null,
    remindMs: null,
    escalate: null,
    ...more,
  }
  const logged: string[] = []
  let count = 0
  const links: ApprovalLinks = openApprovalLinks({
    documents: store,
    clock,
    runtime: lateRuntime(),
  })
  const notifier = openNotifier({
    settings,
    documents: store,
    clock,
    runtime: lateRuntime(),
    links,
    machine: { platform: 'linux', env: {} },
    baseUrl: () => 'http://127.0.0.1:1',
    projectRoutes: ground.wishes,
    log: (what, fields) => void logged.push(`${what}: ${fields.channel}`),
  })
  const runtime = openRuntime({
    store,
    clock,
    newId: () => {
      count += 1
      return `id${startMs}${count}`
    },
    policies: () => [],
    approvalMs: 24 * 3_600_000,
    retention: { days: null, megabytes: null },
    deliver: notifier.deliver,
    outboxFor: notificationsFor(new Set(['budget', 'run'])),
    log: (what, fault) => logged.push(`${what} ${String(fault)}`),
  })
  function lateRuntime(): Pick<OpenRuntime, 'readQuestion' | 'readHead' | 'resolve' | 'passkeys'> {
    return {
      get passkeys() {
        return runtime.passkeys
      },
      readQuestion: (id) => runtime.readQuestion(id),
      readHead: (id) => runtime.readHead(id),
      resolve: (id, decision, by) => runtime.resolve(id, decision, by),
    }
  }
  const again = (other: Partial<NotifySettings> = more): Bench => openOn(ground, other)
  return { runtime, store, links, pass: clock.pass, again, logged }
}

async function openBench(
  more: Partial<NotifySettings> = {},
  wishes: Ground['wishes'] = () => null,
): Promise<Bench & { readonly office: PostOffice }> {
  const office = await openPostOffice()
  onTestFinished(office.close)
  let now = startMs
  const clock = {
    now: () => now,
    pass: (ms: number) => {
      now += ms
    },
  }
  return { ...openOn({ store: openMemoryStore(), clock, office, wishes }, more), office }
}

/** A run that asks; gives the id of the question. */
async function ask(runtime: OpenRuntime): Promise<string> {
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  await runtime.send(runId, say('SHIP', { version: '1' }), asAgent)
  const query = { status: 'pending', runId, after: null, limit: 1 } as const
  return (await runtime.listApprovals(query)).items[0]?.id ?? ''
}

const paths = (office: PostOffice): readonly string[] => office.posts.map((post) => post.path)
const bodies = (office: PostOffice) =>
  office.posts.map((post) => JSON.parse(post.body) as { link: string | null; id: string })

test('a message about a question begins with the title of its run', async () => {
  const { runtime, office } = await openBench()
  const id = await ask(runtime)
  const { runId } = await runtime.readApproval(id)
  await runtime.titles.hear({ session: 'claude:s', text: 'Fix the login', runId })
  await runtime.deliverOwed()
  const [post] = office.posts
  expect(JSON.parse(post?.body ?? '{}').title).toBe('Fix the login: ship it?')
})

test('a channel that is down is told later, and the other is not told again', async () => {
  const bench = await openBench()
  const { office } = bench
  await ask(bench.runtime)
  office.answer(200, 503)
  await bench.runtime.deliverOwed()
  expect(paths(office).toSorted()).toEqual(['/one', '/two'])
  const [failed] = bench.logged
  expect(failed).toMatch(/could not be delivered: (one|two)/)
  // A restart in between changes nothing, and what was told stays told.
  const later = bench.again()
  await later.runtime.deliverOwed()
  expect(office.posts).toHaveLength(2)
  bench.pass(2_000)
  await later.runtime.deliverOwed()
  expect(office.posts).toHaveLength(3)
  const ids = bodies(office).map((body) => body.id)
  expect(new Set(ids).size).toBe(2)
  bench.pass(3_600_000)
  expect(await later.runtime.deliverOwed()).toBe(0)
  expect(await bench.store.countDocuments(notificationCollection, '')).toBe(0)
})

test('reminders and the escalation survive restarts, and end with the decision', async () => {
  const settings = { remindMs: 600_000, escalate: { afterMs: 900_000, to: ['boss'] } }
  let bench: Bench = await openBench(settings)
  const { office } = bench as Bench & { office: PostOffice }
  const id = await ask(bench.runtime)
  await bench.runtime.deliverOwed()
  for (const ms of [600_000, 300_000]) {
    bench.pass(ms)
    bench = bench.again()
    await bench.runtime.deliverOwed()
  }
  expect(paths(office).slice(2).toSorted()).toEqual(['/boss', '/one', '/two'])
  const [first, , reminder] = bodies(office) as unknown as { title: string; round: string }[]
  expect([first?.title, reminder?.title]).toEqual(['ship it?', 'Reminder: ship it?'])
  // The one who only gets the question gets neither what waits nor a link.
  const boss = office.posts.find((post) => post.path === '/boss')?.body ?? ''
  expect(boss).not.toContain('decide/')
  expect(boss).not.toContain('"parts"')
  await bench.runtime.resolve(id, { granted: false, note: '', hash: null, edits: null }, asPerson)
  bench.pass(600_000)
  await bench.runtime.deliverOwed()
  expect(office.posts).toHaveLength(5)
  expect(await bench.store.countDocuments(notificationCollection, '')).toBe(0)
})

test('what happened is told to those who want to hear it, and asks nobody', async () => {
  const bench = await openBench({ when: { gate: [], run: ['two'] } })
  const id = await ask(bench.runtime)
  await bench.runtime.resolve(id, { granted: true, note: '', hash: null, edits: null }, asPerson)
  await bench.runtime.deliverOwed()
  await bench.runtime.deliverOwed()
  expect(paths(bench.office)).toEqual(['/two'])
  expect(bodies(bench.office)[0]).toMatchObject({
    kind: 'run',
    title: 'release is completed',
    link: null,
  })
})

test('a project chooses among the channels, and can neither add nor silence any', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, '.pawl', 'definitions'), { recursive: true })
  writeFileSync(join(folder, '.pawl', 'definitions', 'release.json'), release)
  const start = { definition: 'release', task: null, stage: null, vars: {}, workspace: folder }
  for (const [wish, told] of [
    [['two'], ['/two']],
    [['two', 'http://evil.test', 'nobody'], ['/two']],
    [[], ['/one', '/two']],
    [['nobody'], ['/one', '/two']],
  ] as const) {
    const bench = await openBench({}, () => ({ gate: wish }))
    const { runId } = await bench.runtime.start(start, asAgent)
    await bench.runtime.send(runId, say('READY'), asAgent)
    await bench.runtime.send(runId, say('SHIP'), asAgent)
    await bench.runtime.deliverOwed()
    expect(paths(bench.office).toSorted(), wish.join()).toEqual(told)
  }
})

test('a link decides once, for its person, and what is kept of it decides nothing', async () => {
  const bench = await openBench()
  const id = await ask(bench.runtime)
  await bench.runtime.deliverOwed()
  const secrets = bodies(bench.office).map((body) => body.link?.split('/').at(-1) ?? '')
  const [first = '', second = ''] = secrets
  expect(new Set(secrets).size).toBe(2)
  const { items } = await bench.store.listDocuments({
    collection: linkCollection,
    prefix: '',
    after: null,
    limit: 10,
  })
  for (const secret of secrets) expect(JSON.stringify(items)).not.toContain(secret)
  for (const { key } of items) expect(await bench.links.read(key)).toEqual({ kind: 'unknown' })

  const reading = await bench.links.read(first)
  if (reading.kind !== 'open') throw new Error(`it is ${reading.kind}`)
  expect(reading.question.parts).toContainEqual({
    label: 'version',
    look: 'line',
    text: '1',
    source: 'claimed',
  })
  const wish = { granted: true, note: 'go', token: reading.token }
  const other = await bench.links.read(second)
  const foreign = other.kind === 'open' ? other.token : ''
  for (const token of ['', 'x', foreign, first]) {
    expect(await bench.links.decide(first, { ...wish, token })).toEqual({ kind: 'stale' })
  }
  const both = await Promise.all([bench.links.decide(first, wish), bench.links.decide(first, wish)])
  expect(both.map((one) => one.kind).toSorted()).toEqual(['closed', 'done'])
  const row = await bench.runtime.readApproval(id)
  expect(row).toMatchObject({ status: 'granted', note: 'go' })
  expect(['ada', 'bob']).toContain(row.decidedBy)
  expect(await bench.links.read(first)).toMatchObject({ kind: 'closed', own: 'approved' })
  expect(await bench.links.read(second)).toMatchObject({ kind: 'closed', own: null })
  expect(await bench.links.decide(second, { ...wish, token: foreign })).toEqual({ kind: 'closed' })
})

test('a link ends with the question, and is swept away when it is long over', async () => {
  const bench = await openBench()
  await ask(bench.runtime)
  await bench.runtime.deliverOwed()
  const secret = bodies(bench.office)[0]?.link?.split('/').at(-1) ?? ''
  const open = await bench.links.read(secret)
  const token = open.kind === 'open' ? open.token : ''
  bench.pass(24 * 3_600_000 + 1)
  const late = await bench.links.decide(secret, { granted: true, note: '', token })
  expect(late).toEqual({ kind: 'closed' })
  await bench.runtime.expireDue()
  expect(await bench.links.read(secret)).toMatchObject({ kind: 'closed', own: null })
  await bench.links.sweep()
  expect(await bench.store.countDocuments(linkCollection, '')).toBe(2)
  bench.pass(14 * 24 * 3_600_000)
  await bench.links.sweep()
  expect(await bench.store.countDocuments(linkCollection, '')).toBe(0)
  expect(await bench.links.read(secret)).toEqual({ kind: 'unknown' })
})
