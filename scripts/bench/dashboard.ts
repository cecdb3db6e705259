/**
 * `npm run bench -- dashboard`: what the page weighs, how soon it can be used, how smooth it stays
 * while events pour in and while long lists are scrolled, and what it holds in memory after many
 * events. In a real Chromium against a daemon in a process of its own. PAWL_BENCH_EVENTS says how
 * many events the long run has, PAWL_BENCH_RUNS how many runs there are: small numbers for a try.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { canBrowse, openBrowser, openSite, type Site } from '../../test/dashboard/browser.ts'
import { median, percentile, print, type Row } from './measure.ts'

const eventsCount = Number(process.env.PAWL_BENCH_EVENTS ?? 100_000)
const runsCount = Number(process.env.PAWL_BENCH_RUNS ?? 5_000)
const loadsCount = 7
const scrollMs = 5_000
const pourMs = 8_000
const pourPerSecond = 1_000

/** WHY many words to one signal: a run takes one command after the other, each with a sync. */
const wordsCount = 40
const definition = {
  type: 'steps',
  id: 'bench',
  tool: { name: 'submit', description: 'Goes on.' },
  steps: [
    {
      id: 'TALK',
      goal: 'Talk',
      inputs: [{ name: 'turn' }],
      on: {
        submit: Array.from({ length: wordsCount }, (_, index) => ({
          action: 'say',
          text: `word ${index}`,
        })),
      },
      next: [{ id: 'TALK' }],
    },
  ],
}

export async function benchDashboard(): Promise<void> {
  if (!canBrowse) {
    console.log('\ndashboard: needs Chromium and a build (`npm run build`); left out')
    return
  }
  print('dashboard: the first page', weigh())
  const site = await openSite()
  const browser = await openBrowser()
  try {
    await site.as.person.definitions.create({ definition })
    const { page } = await site.open(browser)
    print('dashboard: until it can be used (loopback)', await timeLoads(page))
    const { runId } = await site.as.agent.runs.start({ definition: 'bench' })
    await page.goto(`${site.url()}/#/runs/${runId}`)
    await page.locator('.stage-node.here').waitFor()
    print('dashboard: while events pour in', await measureFrames(page, site, runId))
    print(`dashboard: after ${eventsCount} events`, await measureMemory(page, site, runId))
    const events = page.getByRole('region', { name: 'Events' })
    print('dashboard: its events are scrolled', await measureScroll(page, events))
    await startRuns(site)
    await page.goto(`${site.url()}/#/runs`)
    const runs = page.getByRole('region', { name: 'Runs' })
    print(`dashboard: ${runsCount} runs are scrolled`, [
      ...(await loadRuns(page, runs)),
      ...(await measureScroll(page, runs)),
    ])
  } finally {
    await browser.close()
    await site.close()
  }
}

/** What has to be loaded before anything is shown: the entry and what it imports at once. */
function weigh(): readonly Row[] {
  const folder = join(import.meta.dirname, '..', '..', 'dist', 'dashboard')
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const names = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    (match) => match[1] ?? '',
  )
  const bytes = (name: string): number => gzipSync(readFileSync(join(folder, name))).length
  const sum = (end: string): number =>
    names.filter((name) => name.endsWith(end)).reduce((all, name) => all + bytes(name), 0) / 1_024
  return [
    ['JavaScript, KB gzip', sum('.js'), 'goal: 120 at most'],
    ['styles, KB gzip', sum('.css'), ''],
  ]
}

/** From the request to a page that shows what the daemon said. */
async function timeLoads(page: Page): Promise<readonly Row[]> {
  const times: number[] = []
  for (let round = -1; round < loadsCount; round += 1) {
    await page.reload()
    await page.getByRole('heading', { name: 'No pending approvals' }).waitFor()
    const ms = Number(await page.evaluate('performance.now()'))
    if (round >= 0) times.push(ms)
  }
  return [
    ['median, ms', median(times), `${loadsCount} loads`],
    ['worst, ms', percentile(times, 1), ''],
  ]
}

async function measureFrames(page: Page, site: Site, runId: string): Promise<readonly Row[]> {
  const begun = performance.now()
  const pouring = { count: (pourPerSecond * pourMs) / 1_000, pace: pourMs }
  let count = 0
  const frames = await framesWhile(page, async () => {
    count = await pour(site, runId, pouring)
  })
  const seconds = (performance.now() - begun) / 1_000
  const note = `goal: ${pourPerSecond}, for ${pourMs / 1_000} s; ours to send, not the page's`
  return [['events per second', count / seconds, note], ...frames]
}

/** Frames are counted in the page, from one to the next. */
async function framesWhile(page: Page, act: () => Promise<unknown>): Promise<readonly Row[]> {
  await page.evaluate(`(() => {
    window.frames_ = []
    window.isCounting_ = true
    let last = performance.now()
    const tick = (now) => {
      window.frames_.push(now - last)
      last = now
      if (window.isCounting_) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })()`)
  await act()
  const frames = (
    (await page.evaluate('((window.isCounting_ = false), window.frames_)')) as number[]
  ).slice(5)
  return [
    ['frames per second', 1_000 / (frames.reduce((a, b) => a + b, 0) / frames.length), ''],
    ['frame, median ms', median(frames), ''],
    ['frame, 99 %, ms', percentile(frames, 0.99), ''],
  ]
}

/** From the top of a list to its end at one speed. */
async function measureScroll(page: Page, list: Locator): Promise<readonly Row[]> {
  await list.waitFor()
  const label = await list.getAttribute('aria-label')
  const travel = `new Promise((resolve) => {
    const list = document.querySelector('.virtual[aria-label="${label}"]')
    const begun = performance.now()
    const far = list.scrollHeight - list.clientHeight
    const step = (now) => {
      const share = Math.min(1, (now - begun) / ${scrollMs})
      list.scrollTop = far * share
      if (share < 1) requestAnimationFrame(step)
      else resolve(null)
    }
    requestAnimationFrame(step)
  })`
  const rows = Number(await list.locator('li').first().getAttribute('aria-setsize'))
  const frames = await framesWhile(page, () => page.evaluate(travel))
  return [['rows', rows, `in ${scrollMs / 1_000} s`], ...frames]
}

const atOnce = 25
const triesMax = 2_000

async function startRuns(site: Site): Promise<void> {
  for (let begun = 1; begun < runsCount; begun += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, runsCount - begun) }, () =>
      site.as.agent.runs.start({ definition: 'bench' }),
    )
    await Promise.all(some)
  }
}

/** To the end again and again, until no more of them come. */
async function loadRuns(page: Page, list: Locator): Promise<readonly Row[]> {
  await list.waitFor()
  const begun = performance.now()
  const last = list.locator(`li[aria-posinset="${runsCount}"]`)
  for (let tries = 0; (await last.count()) === 0 && tries < triesMax; tries += 1) {
    await list.focus()
    await page.keyboard.press('End')
    await sleep(20)
  }
  await last.waitFor()
  return [['all of them loaded, ms', performance.now() - begun, 'page after page, to the end']]
}

type Pouring = { readonly count: number; readonly pace: number | null }

/** Submits, each of which says many words: one event for each word. */
async function pour(site: Site, runId: string, { count, pace }: Pouring): Promise<number> {
  const begun = performance.now()
  const { head } = await site.as.agent.runs.read({ runId })
  let seq = head.seq
  while (seq - head.seq < count) {
    const due = pace === null ? 0 : begun + ((seq - head.seq) / count) * pace - performance.now()
    if (due > 1) await sleep(due)
    seq = (await site.as.agent.runs.signal({ runId, data: { turn: `${seq}` } })).seq
  }
  return seq - head.seq
}

async function measureMemory(page: Page, site: Site, runId: string): Promise<readonly Row[]> {
  const session = await page.context().newCDPSession(page)
  const before = await heapOf(session)
  const { head } = await site.as.agent.runs.read({ runId })
  await pour(site, runId, { count: Math.max(0, eventsCount - head.seq), pace: null })
  const { head: end } = await site.as.agent.runs.read({ runId })
  await page.getByText(`now (${end.seq.toLocaleString('en')})`).waitFor()
  const after = await heapOf(session)
  const rows = Number(await page.evaluate("document.querySelectorAll('.event').length"))
  return [
    ['heap before, MB', before, ''],
    ['heap after, MB', after, 'the latest records are held, the others are not'],
    ['rows in the document', rows, ''],
  ]
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1_048_576
}
