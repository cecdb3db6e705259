/**
 * Every page with the large sample in it: nothing that keeps somebody out, no complaint of the
 * browser, no request to anywhere else, in light and dark, on a desktop and on a phone.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canBrowse, openBrowser, openLargeSite, type Site } from './browser.ts'

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

describe.runIf(canBrowse)('every page', { timeout: 150_000 }, () => {
  let site: Site
  let browser: Browser
  let ids = { move: '', call: '', definition: '', run: '', long: '' }
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openLargeSite()
    browser = await opening
    const { person } = site.as
    const { items: approvals } = await person.approvals.list({ status: 'pending' })
    const move = approvals.find((one) => one.runTitle === 'Move orders to the new database')
    const call = approvals.find((one) => one.runTitle === 'Install the profiler')
    const { items } = await person.definitions.list({})
    const definition = items.find((one) => one.name === 'ticket')?.id ?? ''
    const long = await person.runs.list({ definition: 'log-review' })
    const run = move?.runId ?? ''
    const first = long.items[0]?.id ?? ''
    ids = { move: move?.id ?? '', call: call?.id ?? '', definition, run, long: first }
  }, 150_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** A path, what has to be there, and the button or tab that leads to it. */
  type Place = readonly [path: string, ready: string, view?: string]
  const places = (): readonly Place[] => [
    ['', '.ask-card'],
    ['runs', '.run-row'],
    ['runs', '.board', 'Board by stage'],
    [`approvals/${ids.call}`, '.risky'],
    [`approvals/${ids.move}`, '.changed-file'],
    [`runs/${ids.run}`, '.stage-node.here'],
    [`runs/${ids.long}`, '.trace-row'],
    ['definitions', '.list .line'],
    [`definitions/${ids.definition}`, '.stage-node', 'Edit'],
    [`definitions/${ids.definition}`, '.play', 'Play'],
    [`definitions/${ids.definition}`, 'textarea', 'Cases'],
    ['policies', '.table .badge'],
    ['policies', '[aria-live] .badge', 'Judge'],
    ['spend', '.table td'],
    ['passkeys', '.badge'],
  ]

  const boxOf = (one: Locator) => one.boundingBox()

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

  /**
   * Lines whose parts stick out of them, and so lie over what is beside them; fields that are too
   * narrow to read; and marks of a message that are shown as they are.
   */
  async function blemishesIn(page: Page): Promise<readonly string[]> {
    const lines = '.words, .ask-head, .card > header, .route-row, .scrub'
    const fields = 'select, input:not([type=checkbox], [type=range], [type=file])'
    const quoted = 'pre, code, textarea, .code, .cm-editor'
    return (await page.evaluate(
      `[
        ...[...document.querySelectorAll(${JSON.stringify(lines)})]
          .filter((line) => line.scrollWidth > line.clientWidth + 1)
          .map((line) => line.className + ' sticks out: ' + line.textContent),
        ...[...document.querySelectorAll(${JSON.stringify(fields)})]
          .filter((field) => field.clientWidth > 0 && field.clientWidth < 44)
          .map((field) => field.ariaLabel + ' is too narrow'),
        ...[...document.querySelectorAll('main *')]
          .filter((one) => one.closest(${JSON.stringify(quoted)}) === null)
          .flatMap((one) => [...one.childNodes])
          .filter((node) => node.nodeType === 3 && /\`.+\`/.test(node.data))
          .map((node) => 'has marks: ' + node.data),
      ]`,
    )) as readonly string[]
  }

  const desktop = { width: 1440, height: 900 }
  const phone = { width: 390, height: 844 }
  // WHY not all four by axe: each colour and each layout is, and the other two consist of them.
  const looks = [
    { name: 'light on a desktop', scheme: 'light', size: desktop, hasAxe: true },
    { name: 'dark on a desktop', scheme: 'dark', size: desktop, hasAxe: false },
    { name: 'dark on a phone', scheme: 'dark', size: phone, hasAxe: true },
    { name: 'light on a phone', scheme: 'light', size: phone, hasAxe: false },
  ] as const

  test('is sound, light and dark, on a desktop and on a phone', async () => {
    const { page, context, faults, strangers } = await site.open(browser)
    const wrong: string[] = []
    for (const [path, ready, view] of places()) {
      await page.goto(`${site.url()}/#/${path}`)
      if (view !== undefined) {
        const button = page.getByRole('button', { name: view, exact: true })
        await button.or(page.getByRole('tab', { name: view })).click()
      }
      for (const { name, scheme, size, hasAxe } of looks) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme: scheme })
        await page.locator(`[data-theme="${scheme}"]`).waitFor()
        await page.locator(ready).first().waitFor()
        if (view === 'Edit') {
          await page.getByLabel('Stage', { exact: true }).selectOption({ index: 1 })
        }
        if (hasAxe)
          wrong.push(...(await problemsOf(page)).map((one) => `${path} ${ready}, ${name}: ${one}`))
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (width > size.width) wrong.push(`${path} ${ready}, ${name}: it is ${width} wide`)
        wrong.push(...(await blemishesIn(page)).map((one) => `${path}, ${name}: ${one}`))
      }
    }
    expect(wrong).toEqual([])
    expect(faults).toEqual([])
    expect(strangers).toEqual([])
    await context.close()
  })

  test('the page can be installed as an app', async () => {
    const { page, context, faults } = await site.open(browser)
    const session = await context.newCDPSession(page)
    const { url, data, errors } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const { start_url: start, display } = JSON.parse(data ?? '') as Record<string, string>
    expect({ start: new URL(start ?? '', url).href, display }).toEqual({
      start: `${site.url()}/`,
      display: 'standalone',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a diff has the colours of its language, and leads there from the head', async () => {
    const { page, context } = await site.open(browser, { path: `approvals/${ids.move}` })
    await page.getByRole('button', { name: /files changed/ }).click()
    const diff = page.getByRole('region', { name: 'Diff of src/orders/read.ts' })
    await diff.locator('.tok-keyword').first().waitFor()
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
    await expect.poll(() => list.locator('.run-row').count()).toBeGreaterThan(5)
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
    const words = asked('q=ticket')
    await page.getByLabel('Search runs').fill('TICKET completed')
    expect((await words).ok()).toBe(true)
    await list.locator('.run-row', { hasText: 'migration' }).first().waitFor({ state: 'detached' })
    await list.locator('.run-row', { hasText: 'ticket' }).first().waitFor()
    await page.getByLabel('Search runs').fill('')
    const status = asked('statuses=blocked')
    await page.getByRole('button', { name: 'blocked' }).click()
    expect((await status).ok()).toBe(true)
    await page.getByText('No matching runs').waitFor()
    await page.getByRole('button', { name: 'Save this filter' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'blocked', exact: true }).first().waitFor()
    await page.getByRole('group', { name: 'Saved filters' }).getByText('blocked').click()
    await page.getByText('No matching runs').waitFor()
    await context.close()
  })

  test('the palette finds a run by its title, keeps the focus, and closes by Escape', async () => {
    const { page, context } = await site.open(browser)
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await palette.getByRole('option', { name: 'Policies' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.closest("main, nav")')).toBe(null)
    expect(await problemsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('payments')
    await palette.getByRole('option', { name: /^Move payments.*Run$/ }).waitFor()
    await page.keyboard.type(' run')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Move payments to the new database' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('approve', { exact: true }).waitFor()
    await context.close()
  })

  test('what is typed before the palette is there reaches it, and nothing else', async () => {
    const { page, context } = await site.open(browser, { path: `approvals/${ids.call}` })
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    let load = (): void => undefined
    const isWanted = new Promise<void>((resolve) => {
      load = resolve
    })
    await page.route('**/assets/palette-*.js', async (route) => {
      await isWanted
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    // An `a` is the key that approves.
    await page.keyboard.type('a pay', { delay: 40 })
    load()
    const box = page.getByRole('combobox')
    await box.waitFor()
    await page.keyboard.type('ments')
    expect(await box.inputValue()).toBe('a payments')
    expect((await site.as.person.approvals.read({ id: ids.call })).status).toBe('pending')
    await context.close()
  })

  test('a part that an upgrade has renamed is loaded with the new page', async () => {
    const { page, context } = await site.open(browser)
    await page.route('**/assets/policies-*.js', (route) => route.abort(), { times: 1 })
    await page.getByRole('link', { name: 'Policies' }).click()
    await page.getByRole('heading', { name: 'Policies', exact: true }).waitFor()
    await context.close()
  })

  test('Home has what is risky first, then what several people must approve', async () => {
    const { page, context } = await site.open(browser)
    await page.locator('.ask-card').first().waitFor()
    const titles = await page.locator('.ask-card .what').allTextContents()
    // Two of them are risky in two ways, and the older one of these comes first.
    const risky = ['Install the profiler', 'Publish the release branch']
    expect(titles.slice(0, 2).sort()).toEqual(risky)
    expect(titles[2]).toBe('Build from scratch')
    const moves = ['Move orders to the new database', 'Move payments to the new database']
    expect(titles.slice(3, 5).sort()).toEqual(moves)
    await context.close()
  })

  test('a large graph draws the branches of a fork as one node until it is opened', async () => {
    const { page, context } = await site.open(browser, { path: `runs/${ids.run}` })
    await page.locator('.stage-node.here', { hasText: 'ready_to_switch' }).waitFor()
    expect(await page.locator('.stage-node', { hasText: 'drafting_schema' }).count()).toBe(0)
    const fork = page.getByRole('button', { name: 'schema + readers + writers' })
    expect(await fork.getAttribute('aria-expanded')).toBe('false')
    await fork.focus()
    await page.keyboard.press('Enter')
    await page.locator('.stage-node.seen', { hasText: 'drafting_schema' }).waitFor()
    await page.getByRole('button', { name: 'fork', expanded: true }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.stage-node', { hasText: 'drafting_schema' }).waitFor({ state: 'detached' })
    await context.close()
  })

  test('J and K go through the approvals on Home, and Enter opens one', async () => {
    const { page, context } = await site.open(browser)
    await page.locator('.ask-card').first().waitFor()
    await page.getByRole('button', { name: 'went wrong today' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    const titles = await page.locator('.ask-card .what').allInnerTexts()
    for (const key of ['j', 'j', 'k', 'k']) await page.keyboard.press(key)
    expect(await focused()).toBe(titles[0])
    await page.keyboard.press('j')
    expect(await focused()).toBe(titles[1])
    await page.keyboard.press('Enter')
    await page.getByText(titles[1] ?? '').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await context.close()
  })

  test('J and K go on from a ticked box, and leave the page alone behind a dialog', async () => {
    const { page, context } = await site.open(browser)
    const focused = () => page.evaluate('document.activeElement.textContent')
    const box = page.getByRole('checkbox', { name: /^Select: / }).first()
    await box.check()
    const before = '.ask-card:not(.ask-card:has(input) ~ .ask-card):not(:has(input))'
    const at = await page.locator(before).count()
    const titles = await page.locator('.ask-card .what').allInnerTexts()
    await page.keyboard.press('k')
    expect(await focused()).toBe(titles[at - 1])
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.waitFor()
    for (const key of ['j', 'g', 'r']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.closest(".ask-card")')).toBe(null)
    expect(new URL(page.url()).hash).not.toContain('runs')
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    expect(await focused()).toBe(titles[at - 1])
    await context.close()
  })

  test('on an approval, no key decides behind a dialog', async () => {
    const { page, context } = await site.open(browser, { path: `approvals/${ids.call}` })
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    const url = page.url()
    for (const key of ['j', 'k', 'r', 'a']) await page.keyboard.press(key)
    expect(page.url()).toBe(url)
    expect(await page.evaluate('document.activeElement.closest("main")')).toBe(null)
    await context.close()
  })

  test('what went wrong today has the focus after the way there', async () => {
    const { page, context } = await site.open(browser)
    await page.getByRole('button', { name: 'went wrong today' }).click()
    const label = await page.evaluate('document.activeElement.getAttribute("aria-label")')
    expect(label).toBe('Went wrong today')
    await context.close()
  })

  test('an approval shows what the run changed, and what comes next', async () => {
    const { page, context } = await site.open(browser, { path: `approvals/${ids.move}` })
    const changed = page.getByRole('region', { name: 'Changed in this run' })
    await changed.getByText('6 files').waitFor()
    await changed.getByText('migrations/0042-orders.sql').waitFor()
    await changed.getByText('CREATE TABLE orders_v2 (').waitFor()
    const next = page.getByRole('region', { name: 'What happens next' })
    await next.getByText('1 more person must approve').waitFor()
    await next.getByText('The run stays in ready_to_switch').waitFor()
    await context.close()
  })

  test('a run shows what it changed, and one comparison serves the whole page', async () => {
    const { page, context } = await site.open(browser)
    let looks = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/changes')) looks += 1
    })
    await page.goto(`${site.url()}/#/approvals/${ids.move}`)
    await page.getByText('CREATE TABLE orders_v2 (').waitFor()
    expect(looks).toBe(1)
    await page.getByRole('link', { name: 'Open the run' }).click()
    await page.getByRole('button', { name: '6 files changed' }).click()
    await page.getByRole('region', { name: 'Diff of src/orders/read.ts' }).waitFor()
    await context.close()
  })

  test('the latest call that a rule denied has its reason, and leads to the log', async () => {
    const { page, context } = await site.open(browser)
    await page.getByRole('link', { name: 'Denied calls' }).click()
    const denials = page.getByRole('region', { name: 'Denials by rule' })
    const reading = denials.locator('tr', { hasText: '/states/reading/allowed_tools' })
    await reading.getByText('may not be used in').waitFor()
    await reading.getByRole('link', { name: 'Bash was denied git push --force' }).click()
    await page.locator('.trace-row.chosen', { hasText: 'git push --force' }).waitFor()
    await context.close()
  })

  test('a link to an event leads to it, however far back in a long log it is', async () => {
    const { page, context } = await site.open(browser, { path: `runs/${ids.long}/at/40` })
    const chosen = page.locator('.event.chosen')
    await chosen.waitFor()
    await page
      .getByRole('button', { name: 'Loading earlier events…' })
      .waitFor({ state: 'detached' })
    await page.getByText('40 of').waitFor()
    const [row, list] = await Promise.all([chosen, page.locator('.virtual')].map(boxOf))
    expect(row?.y).toBeGreaterThanOrEqual(list?.y ?? Number.NaN)
    expect(row?.y).toBeLessThan((list?.y ?? 0) + (list?.height ?? 0))
    await page.goto(`${site.url()}/#/runs/${ids.long}/at/20000`)
    await page.getByText('20,000 of').waitFor()
    await context.close()
  })

  test('what models have cost is on the page, by model and by stage', async () => {
    const { runId } = await site.as.agent.runs.start({ definition: 'ticket' })
    const spend = { runId, model: 'house-model', costMicroUsd: 7_250_000 }
    await site.as.agent.runs.spend(spend)
    const { page, context } = await site.open(browser, { path: 'spend' })
    const tools = page.getByRole('region', { name: 'By tool' })
    await tools.locator('tr', { hasText: 'model:house-model' }).getByText('$7.25').waitFor()
    const stages = page.getByRole('region', { name: 'By stage' })
    await stages
      .locator('a', { hasText: /\$7\.\d\d/ })
      .getByText('ticket')
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
