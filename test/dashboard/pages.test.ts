/**
 * Every page with the sample in it: nothing that keeps somebody out, no complaint of the browser,
 * no request to anywhere else, in light and dark, on a desktop and on a phone.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canBrowse, openBrowser, openSite, type PageWish, type Site } from './browser.ts'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
const grave = new Set(['serious', 'critical'])

type Violation = {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

describe.runIf(canBrowse)('every page', { timeout: 90_000 }, () => {
  let site: Site
  let browser: Browser
  let ids = { run: '', approval: '', definition: '' }
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite('--sample')
    browser = await opening
    const { person } = site.as
    const asks = async () => (await person.approvals.list({ status: 'pending' })).items
    for (const end = performance.now() + 20_000; performance.now() < end; ) {
      if ((await asks()).length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const [approval] = await asks()
    const { items } = await person.definitions.list({})
    const definition = items.find((one) => one.name === 'hotfix')?.id ?? ''
    ids = { run: approval?.runId ?? '', approval: approval?.id ?? '', definition }
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  const places = (): readonly (readonly [path: string, ready: string])[] => [
    ['', '.ask-card'],
    ['runs', '.run-row'],
    [`approvals/${ids.approval}`, '.decide .button'],
    [`runs/${ids.run}`, '.stage-node.here'],
    ['definitions', '.list .line'],
    [`definitions/${ids.definition}`, '.stage-node'],
    ['policies', '.table .badge'],
    ['spend', '.table td'],
  ]

  async function problemsOf(page: Page): Promise<readonly string[]> {
    await page.evaluate(axeSource)
    const violations = (await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)',
    )) as readonly Violation[]
    return violations
      .filter(({ impact }) => grave.has(impact))
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
      )
  }

  const phone = { width: 380, height: 780 }
  const looks: readonly (PageWish & { readonly name: string })[] = [
    { name: 'light on a desktop', scheme: 'light' },
    { name: 'dark on a desktop', scheme: 'dark' },
    { name: 'light on a phone', scheme: 'light', size: phone },
    { name: 'dark on a phone', scheme: 'dark', size: phone },
  ]

  test.each(looks)('is sound: $name', async (look) => {
    const { page, context, faults, strangers } = await site.open(browser, look)
    const wrong: string[] = []
    for (const [path, ready] of places()) {
      await page.goto(`${site.url()}/#/${path}`)
      await page.locator(ready).first().waitFor()
      if (path.startsWith('definitions/')) {
        await page.getByLabel('Stage', { exact: true }).selectOption({ index: 1 })
      }
      wrong.push(...(await problemsOf(page)).map((one) => `${path}: ${one}`))
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > (look.size?.width ?? 1360)) wrong.push(`${path}: it is ${width} wide`)
    }
    expect(wrong).toEqual([])
    expect(faults).toEqual([])
    expect(strangers).toEqual([])
    await context.close()
  })

  test('five thousand runs are few rows in the document, and each is found', async () => {
    const { page, context } = await site.open(browser)
    const head = { ...(await site.as.person.runs.list({ limit: 1 })).items[0] }
    const all = Array.from({ length: 5_000 }, (_, index) => ({
      ...head,
      id: `many-${index}`,
      stage: `stage-${index}`,
      updatedAt: 1_000_000 - index,
    }))
    // Answers as the daemon does, which a list of five thousand real runs would cost minutes.
    await page.route('**/v1/runs?*', (route) => {
      const query = new URL(route.request().url()).searchParams
      const found = all.filter(({ stage }) => stage.includes(query.get('q') ?? ''))
      const from = Number(query.get('after') ?? 0)
      const end = from + Number(query.get('limit'))
      const next = end < found.length ? String(end) : null
      return route.fulfill({ json: { items: found.slice(from, end), next } })
    })
    await page.goto(`${site.url()}/#/runs`)
    const list = page.getByRole('region', { name: 'Runs' })
    await list.locator('.run-row').first().waitFor()
    await page.getByLabel('Search runs').fill('stage-4987')
    await list.getByText('stage-4987').waitFor()
    await page.getByLabel('Search runs').fill('')
    await list.getByText(/^stage-0 /).waitFor()
    await list.focus()
    for (let tries = 0; tries < 100; tries += 1) {
      await page.keyboard.press('End')
      if (await list.getByText('stage-4999').isVisible()) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await list.getByText('stage-4999').waitFor()
    expect(await list.locator('.run-row').count()).toBeLessThan(60)
    await context.close()
  })

  test('runs are searched by the daemon, in words and by status', async () => {
    const { page, context } = await site.open(browser, { path: 'runs' })
    const list = page.getByRole('region', { name: 'Runs' })
    const asked = (part: string) => page.waitForResponse((one) => one.url().includes(part))
    await list.locator('.run-row').first().waitFor()
    const words = asked('q=bug-fix')
    await page.getByLabel('Search runs').fill('BUG-fix completed')
    expect((await words).ok()).toBe(true)
    await list.locator('.run-row', { hasText: 'release' }).first().waitFor({ state: 'detached' })
    await list.locator('.run-row', { hasText: 'bug-fix' }).first().waitFor()
    await page.getByLabel('Search runs').fill('')
    const status = asked('statuses=cancelled')
    await page.getByRole('button', { name: 'cancelled' }).click()
    expect((await status).ok()).toBe(true)
    await page.getByText('No matching runs').waitFor()
    await context.close()
  })

  test('what models have cost is on the page, by model and by stage', async () => {
    const { runId } = await site.as.agent.runs.start({ definition: 'release' })
    const spend = { runId, model: 'house-model', costMicroUsd: 7_250_000 }
    await site.as.agent.runs.spend(spend)
    const { page, context } = await site.open(browser, { path: 'spend' })
    const tools = page.getByRole('region', { name: 'By tool' })
    await tools.locator('tr', { hasText: 'model:house-model' }).getByText('$7.25').waitFor()
    const stages = page.getByRole('region', { name: 'By stage' })
    await stages
      .locator('a', { hasText: /\$7\.\d\d/ })
      .getByText('release')
      .waitFor()
    await context.close()
  })

  test('whoever never read a word decides within some clicks of the link', async () => {
    const { page, context } = await site.open(browser)
    const begun = performance.now()
    await page.getByRole('link', { name: 'Review' }).first().click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved. The agent can continue.').waitFor()
    expect(performance.now() - begun).toBeLessThan(15_000)
    await context.close()
  })
})
