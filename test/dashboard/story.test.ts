/**
 * The whole story of the page, in a real Chromium: a run begins and moves, a person decides, and
 * the agent hears of it.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { release } from '../../src/main/daemon.contract.ts'
import { canBrowse, openBrowser, openSite, type Site } from './browser.ts'

const phone = { width: 380, height: 780 }

describe.runIf(canBrowse)('the page', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite()
    browser = await opening
    await site.as.person.definitions.create({ definition: release })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** A run that stands before its gate, with a question to a person. */
  async function startAsking(
    version: string,
    place: { readonly workspace?: string } = { workspace: '/work' },
  ): Promise<{ runId: string; id: string }> {
    const { agent } = site.as
    const { runId } = await agent.runs.start({ definition: 'release', ...place })
    await agent.runs.signal({ runId, name: 'READY' })
    await agent.runs.signal({ runId, name: 'SHIP', data: { version } })
    const { items } = await agent.approvals.list({ status: 'pending', runId })
    return { runId, id: items[0]?.id ?? '' }
  }

  function heading(page: Page, name: string | RegExp) {
    return page.getByRole('heading', { name })
  }

  test('nobody sees anything without a code, and a code is good for one browser', async () => {
    const { url } = (await site.house.json('open')) as unknown as { readonly url: string }
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(site.url())
    await heading(page, 'Sign in from your terminal').waitFor()
    await page.goto(url)
    await heading(page, 'No pending approvals').waitFor()
    expect(page.url()).not.toContain('sign-in')
    const other = await (await browser.newContext()).newPage()
    await other.goto(url)
    await other.getByText('this code is unknown').waitFor()
    await context.close()
    await other.context().close()
  })

  test('the first steps are told by the log, from a blocked call to the proof', async () => {
    const { page, context, faults } = await site.open(browser)
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('pawl demo').waitFor()
    const { runId } = await site.as.agent.runs.start({ definition: 'release', workspace: '/work' })
    const done = (hasText: string) => {
      return steps.getByRole('listitem').filter({ hasText }).getByText('done', { exact: true })
    }
    await steps.getByText('A call is blocked').waitFor()
    expect(await done('A call is blocked').count()).toBe(0)
    await site.as.agent.runs.check({ runId, tool: 'Bash', input: { command: 'rm -rf /' } })
    await done('A call is blocked').waitFor()
    await site.as.agent.runs.signal({ runId, name: 'READY' })
    await done('The run moves on').waitFor()
    await site.as.agent.runs.signal({ runId, name: 'SHIP', data: { version: '1' } })
    await steps.getByRole('link', { name: 'Decide now' }).waitFor()
    const [{ id = '', hash = '' } = {}] = (await site.as.person.approvals.list({ runId })).items
    await site.as.person.approvals.decide({ id, hash, granted: false, note: 'later' })
    await done('You decide').waitFor()
    await steps.getByRole('button', { name: 'Check the log' }).click()
    await steps.getByText('every hash matches').waitFor()
    await page.reload()
    await done('The proof').waitFor()
    await steps.getByText('every hash matches').waitFor()
    await steps.getByRole('button', { name: 'Hide' }).click()
    await page.reload()
    await page.getByRole('region', { name: 'Open runs' }).waitFor()
    expect(await steps.count()).toBe(0)
    expect(faults).toEqual([])
    await site.as.person.runs.cancel({ runId })
    await context.close()
  })

  test('a run is seen to begin and to move, without a reload', async () => {
    const { page, context, faults, strangers } = await site.open(browser)
    await heading(page, 'No pending approvals').waitFor()
    const { runId } = await site.as.agent.runs.start({ definition: 'release' })
    const now = page.getByRole('region', { name: 'Open runs' })
    await now.getByText('plan', { exact: true }).waitFor()
    await site.as.agent.runs.signal({ runId, name: 'READY' })
    await now.getByText('build', { exact: true }).waitFor()
    await now.getByRole('link', { name: /release/ }).click()
    await heading(page, /release/)
      .first()
      .waitFor()
    const log = page.getByRole('region', { name: 'Timeline' })
    await log.locator('.visit-head', { hasText: 'build' }).waitFor()
    await site.as.agent.runs.check({ runId, tool: 'Bash', input: { command: 'rm -rf /' } })
    await log.getByText('Bash was denied').waitFor()
    await page.locator('.stage-node.here', { hasText: 'build' }).waitFor()
    await site.as.person.runs.cancel({ runId })
    await page.getByText('cancelled').first().waitFor()
    expect(faults).toEqual([])
    expect(strangers).toEqual([])
    await context.close()
  })

  test('a person approves with a thumb, and changes what they may change', async () => {
    const { runId } = await startAsking('1.0.0')
    const { page, context, faults } = await site.open(browser, { size: phone })
    await page.getByRole('link', { name: 'Review' }).click()
    await heading(page, 'ship it?').waitFor()
    await page.getByLabel('Change version').fill('1.0.1')
    const approve = page.getByRole('button', { name: 'Approve' })
    const box = await approve.boundingBox()
    expect(box?.height ?? 0).toBeGreaterThanOrEqual(44)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(phone.height)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    await approve.click()
    await page.getByText('Approved. The agent can continue.').waitFor()
    const { view } = await site.as.agent.runs.read({ runId })
    expect(view).toMatchObject({ status: 'completed', stage: 'done', vars: { version: '1.0.1' } })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a person refuses with a reason, and the agent receives it', async () => {
    const { runId } = await startAsking('2.0.0')
    const { page, context } = await site.open(browser)
    await page.getByRole('link', { name: 'Review' }).click()
    await heading(page, 'ship it?').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('not on a Friday')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Refused. The agent is notified.').waitFor()
    const { view, notice } = await site.as.agent.runs.read({ runId })
    expect(view).toMatchObject({ status: 'running', stage: 'build' })
    expect(notice).toContain('not on a Friday')
    await context.close()
  })

  test('several are decided at once, and each of them is what was shown', async () => {
    // Where there are no files, a card shows all there is to a move.
    const asked = [await startAsking('3.0.0', {}), await startAsking('3.0.1', {})]
    const { page, context } = await site.open(browser)
    await heading(page, '2 pending approvals').waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByLabel('Note for all').fill('both are fine')
    await page.getByRole('button', { name: 'Approve all' }).click()
    await heading(page, 'No pending approvals').waitFor()
    for (const { id } of asked) {
      const { status, note } = await site.as.person.approvals.read({ id })
      expect({ status, note }).toEqual({ status: 'granted', note: 'both are fine' })
    }
    await context.close()
  })

  test('the run is shown as it was at an event of the past', async () => {
    const { runId } = await startAsking('4.0.0')
    const { page, context, faults } = await site.open(browser, { path: `runs/${runId}` })
    await page.locator('.stage-node.here', { hasText: 'build' }).waitFor()
    await page.locator('.visit-head', { hasText: 'plan' }).click()
    await heading(page, 'Instructions at that time').waitFor()
    await page.getByRole('region', { name: 'Brief' }).getByText('Plan it.').waitFor()
    await page.locator('.stage-node.here', { hasText: 'plan' }).waitFor()
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    await page.locator('.stage-node.here', { hasText: 'build' }).waitFor()
    await page.getByRole('region', { name: 'Brief' }).getByText('Build it.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a viewer sees all of it and decides nothing', async () => {
    const { page, context } = await site.open(browser, { role: 'viewer' })
    await page.getByRole('link', { name: 'Review' }).first().click()
    await page.getByText('You can only view.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await context.close()
  })

  test('the daemon is restarted: the page comes back by itself and misses nothing', async () => {
    const { page, context } = await site.open(browser, { path: 'runs' })
    const { runId } = await site.as.agent.runs.start({ definition: 'release' })
    await page.goto(`${site.url()}/#/runs/${runId}`)
    await page.locator('.stage-node.here', { hasText: 'plan' }).waitFor()
    const before = site.url()
    await site.restart()
    expect(site.url()).toBe(before)
    await site.as.agent.runs.signal({ runId, name: 'READY' })
    await page.locator('.visit-head', { hasText: 'build' }).waitFor()
    await page.getByText('live · admin').waitFor()
    const { items } = await site.as.agent.runs.events({ runId })
    await page.getByText(`${items.length} events`).waitFor()
    await context.close()
  })
})
