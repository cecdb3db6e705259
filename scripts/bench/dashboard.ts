/**
 * `npm run bench -- dashboard`: what the page weighs, how soon it can be used, how smooth it stays
 * while events pour in, and what it holds in memory after many. In a real Chromium against a daemon
 * in a process of its own. PAWL_BENCH_EVENTS says how many events the long run has.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { CDPSession, Page } from 'playwright-core'
import { canBrowse, openBrowser, openSite, type Site } from '../../test/dashboard/browser.ts'
import { median, percentile, print, type Row } from './measure.ts'

const eventsCount = Number(process.env.PAWL_BENCH_EVENTS ?? 100_000)
const loadsCount = 7
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
    ['JavaScript, KB gzip', sum('.js'), 'goal: 350 at most'],
    ['styles, KB gzip', sum('.css'), ''],
  ]
}

/** From the request to a page that shows what the daemon said. */
async function timeLoads(page: Page): Promise<readonly Row[]> {
  const times: number[] = []
  for (let round = -1; round < loadsCount; round += 1) {
    await page.reload()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const ms = Number(await page.evaluate('performance.now()'))
    if (round >= 0) times.push(ms)
  }
  return [
    ['median, ms', median(times), `${loadsCount} loads`],
    ['worst, ms', percentile(times, 1), ''],
  ]
}

/** Frames are counted in the page, from one to the next. */
async function measureFrames(page: Page, site: Site, runId: string): Promise<readonly Row[]> {
  await page.evaluate(`(() => {
    window.frames_ = []
    let last = performance.now()
    const tick = (now) => {
      window.frames_.push(now - last)
      last = now
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })()`)
  const begun = performance.now()
  const count = await pour(site, runId, { count: (pourPerSecond * pourMs) / 1_000, pace: pourMs })
  const seconds = (performance.now() - begun) / 1_000
  const frames = ((await page.evaluate('window.frames_')) as number[]).slice(5)
  return [
    ['events per second', count / seconds, `goal: ${pourPerSecond}; ours to send, not the page's`],
    ['frames per second', 1_000 / (frames.reduce((a, b) => a + b, 0) / frames.length), ''],
    ['frame, median ms', median(frames), ''],
    ['frame, 99 %, ms', percentile(frames, 0.99), ''],
  ]
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
  await page.getByText(`now (${end.seq})`).waitFor()
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
