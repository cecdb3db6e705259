/**
 * `node scripts/take-pictures.ts`: takes the pictures of the page in `docs/pictures/` from the
 * samples, in light and dark mode, for desktop and phone. Needs a build and Chromium.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openBrowser, openLargeSite, openSite, type Site } from '../test/dashboard/browser.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'pictures')
const bytesMax = 180_000
const settleMs = 1_500
const waitMsMax = 60_000

const desktop = { width: 1280, height: 800 }
const phone = { width: 380, height: 780 }
const looks = [
  { name: 'light', scheme: 'light', size: desktop },
  { name: 'dark', scheme: 'dark', size: desktop },
  { name: 'phone', scheme: 'light', size: phone },
  { name: 'phone-dark', scheme: 'dark', size: phone },
] as const

/** A name, the address of the page, and what has to be there. */
type Place = readonly [name: string, path: string, ready: string]

const browser = await openBrowser()
for (const open of [openSmall, openLarge]) {
  const { site, places } = await open()
  try {
    for (const look of looks) await takeAll(site, places, look)
  } finally {
    await site.close()
  }
}
await browser.close()

async function takeAll(
  site: Site,
  places: readonly Place[],
  { name, scheme, size }: (typeof looks)[number],
): Promise<void> {
  const { page, context } = await site.open(browser, { scheme, size })
  for (const [place, path, ready] of places) {
    await page.goto(`${site.url()}/#/${path}`)
    await page.locator(ready).first().waitFor()
    if (place === 'job') {
      await page.locator(ready).first().click()
      await page.locator('.job-log').scrollIntoViewIfNeeded()
    }
    if (place === 'editor') {
      await page.locator(ready, { hasText: 'repairing' }).click()
      await sleep(settleMs)
      await page.getByRole('region', { name: 'Edit the graph' }).scrollIntoViewIfNeeded()
    }
    await sleep(settleMs)
    await take(page, `page-${place}-${name}.png`)
  }
  await context.close()
}

type Shown = { readonly site: Site; readonly places: readonly Place[] }

async function openSmall(): Promise<Shown> {
  const site = await openSite('--sample')
  return { site, places: await placesIn(site) }
}

/** What a busy team sees. */
async function openLarge(): Promise<Shown> {
  const site = await openLargeSite()
  const { items } = await site.as.person.approvals.list({ status: 'pending' })
  const of = (title: string): string => {
    return `approvals/${items.find((one) => one.runTitle === title)?.id}`
  }
  const places: readonly Place[] = [
    ['home', '', '.ask-card'],
    ['approval', of('Move orders to the new database'), '.changed-file'],
    ['command', of('Install the profiler'), '.risky'],
    ['runs', 'runs', '.run-row'],
  ]
  return { site, places }
}

/** What there is to see once the release waits for its gate. */
async function placesIn({ as }: Site): Promise<readonly Place[]> {
  const asks = async () => (await as.person.approvals.list({ status: 'pending' })).items
  for (const end = performance.now() + waitMsMax; performance.now() < end; await sleep(500)) {
    if ((await asks()).some((one) => one.kind === 'move')) break
  }
  const { items } = await as.person.runs.list({ definition: 'release' })
  const { items: definitions } = await as.person.definitions.list({})
  const definition = definitions.find((one) => one.name === 'hotfix')
  return [
    ['run', `runs/${items[0]?.id}`, '.stage-node.here'],
    ['job', `runs/${items[0]?.id}`, '.job-line'],
    ['definitions', 'definitions', '.list .line'],
    ['definition', `definitions/${definition?.id}`, '.stage-node'],
    ['editor', `definitions/${definition?.id}`, '.stage-node'],
    ['policies', 'policies', '.table .badge'],
    ['spend', 'spend', '.table td'],
  ]
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(folder, name)
  await page.screenshot({ path })
  const { size } = statSync(path)
  if (size > bytesMax) console.error(`${name} has ${size} bytes, ${bytesMax} are meant`)
}
