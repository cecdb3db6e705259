/**
 * Definitions on the page: a mistake is seen as it is typed, mended, published, and the new version
 * is what runs. The text and the graph stay in step.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canBrowse, openBrowser, openSite, type Site } from './browser.ts'

const text = `id: small
initial: first
states:
  first:
    instructions: Begin here.
    on: { GO: last }
  last: { type: final }
`

/** WHY: Chromium itself tries to keep the style of a text that is typed over, and must not. */
function isOurs(fault: string): boolean {
  return !fault.startsWith('Applying inline style violates')
}

describe.runIf(canBrowse)('definitions on the page', () => {
  let site: Site
  let browser: Browser
  let id = ''
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite()
    browser = await opening
    id = (await site.as.person.definitions.create({ source: text })).definition.id
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  async function write(page: Page, source: string): Promise<void> {
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(source)
  }

  test('a mistake is found as it is typed, mended, published and run', async () => {
    const { page, context, faults } = await site.open(browser, { path: `definitions/${id}` })
    const publish = page.getByRole('button', { name: 'Publish' })
    const findings = page.getByRole('region', { name: 'Findings' })
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    expect(await publish.isDisabled()).toBe(true)
    await write(page, text.replace('GO: last', 'GO: lasst'))
    await findings.getByText('lasst').first().waitFor()
    expect(await publish.isDisabled()).toBe(true)
    await write(
      page,
      text.replace('GO: last', 'GO: middle').concat('  middle: { on: { END: last } }\n'),
    )
    await page.locator('.stage-node', { hasText: 'middle' }).waitFor()
    await publish.click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('GO → middle is a new way').waitFor()
    await dialog.getByText('GO → last is removed').waitFor()
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'detached' })
    await publish.click()
    await dialog.getByRole('button', { name: 'Publish anyway' }).click()
    await page.getByText('Version 2 of small is published').waitFor()
    await page.getByRole('button', { name: 'Start a run' }).click()
    await page.locator('.stage-node.here', { hasText: 'first' }).waitFor()
    await page.locator('.stage-node', { hasText: 'middle' }).waitFor()
    const { items } = await site.as.agent.runs.list({ definition: 'small' })
    const { view } = await site.as.agent.runs.signal({ runId: items[0]?.id ?? '', name: 'GO' })
    expect(view?.stage).toBe('middle')
    expect(faults.filter(isOurs)).toEqual([])
    await context.close()
  })

  test('a draft survives leaving and reloading, and can be discarded', async () => {
    const { page, context } = await site.open(browser, { path: `definitions/${id}` })
    const changed = text.concat('  draft-stage: { on: { END: last } }\n')
    const line = page.locator('.cm-line', { hasText: 'draft-stage' })
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await write(page, changed)
    await line.waitFor()
    await page.goto(`${site.url()}/#/runs`)
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goto(`${site.url()}/#/definitions/${id}`)
    await line.waitFor()
    await page.getByText('were restored').waitFor()
    await page.reload()
    await line.waitFor()
    await page.getByText('with changes').waitFor()
    await page.getByRole('button', { name: 'Discard the draft' }).click()
    await line.waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    expect(await page.getByText('were restored').count()).toBe(0)
    await context.close()
  })

  test('a new definition survives a reload until it is published', async () => {
    const { page, context } = await site.open(browser, { path: 'definitions/new' })
    await page.locator('.choice').first().click()
    await page.locator('.cm-content').waitFor()
    await write(page, text.replace('id: small', 'id: fresh'))
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await page.reload()
    await page.locator('.cm-line', { hasText: 'id: fresh' }).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 of fresh is published').waitFor()
    await page.goto(`${site.url()}/#/definitions/new`)
    await page.locator('.choice').first().waitFor()
    await context.close()
  })

  test('the graph changes the text, and leads to its place in it', async () => {
    const { page, context } = await site.open(browser, { path: `definitions/${id}` })
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await page.getByLabel('New stage').fill('added')
    await page.getByRole('button', { name: 'Add stage' }).click()
    await page.locator('.cm-line', { hasText: 'added:' }).waitFor()
    await page.locator('.stage-node', { hasText: 'first' }).click()
    await page.getByLabel('New signal').fill('ASIDE')
    await page.getByLabel('Target of the new route').selectOption('added')
    await page.getByRole('button', { name: 'Add route' }).click()
    await page.locator('.way-label', { hasText: 'ASIDE' }).waitFor()
    await page.getByText(', with changes').waitFor()
    await context.close()
  })

  test('a stage is renamed, led elsewhere, guarded and removed, by keyboard alone', async () => {
    const source = text.replace('id: small', 'id: shaped # mine')
    const { definition } = await site.as.person.definitions.create({ source })
    const path = `definitions/${definition.id}`
    const { page, context, faults } = await site.open(browser, { path })
    const line = (hasText: string) => page.locator('.cm-line', { hasText })
    const settle = async (label: string, value: string): Promise<void> => {
      const field = page.getByLabel(label, { exact: true })
      await field.focus()
      await field.fill(value)
      await page.keyboard.press('Enter')
    }
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await page.getByLabel('Stage', { exact: true }).selectOption('first')
    await settle('Name of the stage', 'begin')
    await line('initial: begin').waitFor()
    await line('# mine').waitFor()
    await page.locator('.stage-node', { hasText: 'begin' }).waitFor()
    await settle('Signal GO', 'ON')
    await page.locator('.way-label', { hasText: 'ON' }).waitFor()
    await page.getByLabel('New guard').fill('ready')
    await settle('Value to test', 'tests')
    await line('field: tests').waitFor()
    await page.getByLabel('How ready compares').selectOption('eq')
    await settle('What ready compares with', 'green')
    await line('value: green').waitFor()
    await settle('Condition of ON', 'ready')
    await page.locator('.way-label', { hasText: '[ready]' }).waitFor()
    await settle('New stage', 'end')
    await page.getByLabel('Stage', { exact: true }).selectOption('begin')
    await page.getByLabel('Target of ON').selectOption('end')
    await line('target: end').waitFor()
    await page.getByLabel('Stage', { exact: true }).selectOption('end')
    await page.getByRole('button', { name: 'Remove stage' }).press('Enter')
    await page.getByLabel('Redirect its routes to').selectOption('last')
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
    await line('target: last').waitFor()
    expect(await line('end:').count()).toBe(0)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Publish anyway' }).click()
    await page.getByText('Version 2 of shaped is published').waitFor()
    expect(faults.filter(isOurs)).toEqual([])
    await context.close()
  })

  test('tools, commands, limits, gates and evidence are edited in the form', async () => {
    const source = text.replace('id: small', 'id: ruled # mine')
    const { definition } = await site.as.person.definitions.create({ source })
    const path = `definitions/${definition.id}`
    const { page, context, faults } = await site.open(browser, { path })
    const line = (hasText: string | RegExp) => page.locator('.cm-line', { hasText })
    const settle = async (label: string, value: string): Promise<void> => {
      const field = page.getByLabel(label, { exact: true })
      await field.fill(value)
      await field.press('Enter')
    }
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await page.getByLabel('Stage', { exact: true }).selectOption('first')
    await page.getByLabel('Tools: any, or only some', { exact: true }).selectOption('only these')
    await settle('Tools', 'Read, Bash')
    await page.getByLabel('Commands: any, or only some').selectOption('only these')
    await settle('Commands', 'npm test')
    await line(/npm test/).waitFor()
    await settle('Calls per visit', '0')
    await page.getByText('A limit is a whole number from 1.').waitFor()
    await settle('Calls per visit', '7')
    await line('max_iterations: 7').waitFor()
    await page.getByLabel('New evidence').fill('green')
    await settle('Command that proves it', 'npm test')
    await page.getByText('tests at least', { exact: true }).click()
    await page.keyboard.type('3')
    expect(await page.getByLabel('green: tests at least', { exact: true }).inputValue()).toBe('3')
    await page.keyboard.press('Enter')
    await line('tests_min: 3').waitFor()
    await settle('Condition of GO', 'green')
    await page.getByLabel('GO needs an approval').check()
    await settle('Question of GO', 'Go on?')
    await settle('People who must approve GO', '2')
    await line('needed: 2').waitFor()
    await line('# mine').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 2 of ruled is published').waitFor()
    const { runId } = await site.as.agent.runs.start({ definition: 'ruled', workspace: '/tmp' })
    const { reply } = await site.as.agent.runs.check({ runId, tool: 'Edit', input: {} })
    expect(reply).toMatchObject({ verdict: 'deny', rule: '/states/first/allowed_tools' })
    expect(faults.filter(isOurs)).toEqual([])
    await context.close()
  })

  test('a route becomes a fork and an invoke in the form, and the run does both', async () => {
    const states = `  left: { on: { OK: left_done } }
  left_done: { type: final }
  right: { on: { OK: right_done } }
  right_done: { type: final }
`
    const source = text.replace('id: small', 'id: forked # mine').concat(states)
    const { definition } = await site.as.person.definitions.create({ source })
    const path = `definitions/${definition.id}`
    const { page, context, faults } = await site.open(browser, { path })
    const line = (hasText: string | RegExp) => page.locator('.cm-line', { hasText })
    const field = (label: string) => page.getByLabel(label, { exact: true })
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await field('Stage').selectOption('first')
    await field('Target of GO').selectOption('(several branches)')
    await field('Name of branch branch-1').fill('one')
    await field('Name of branch branch-1').press('Enter')
    await field('New branch of GO').fill('two')
    await field('New branch of GO').press('Enter')
    await field('Where two begins').selectOption('right')
    await line(/two:.*initial: right, terminal: right_done|initial: right$/).waitFor()
    await field('After a failure of GO').selectOption('first')
    await line(/on_fail: first/).waitFor()
    await field('New signal').fill('CALL')
    await field('Target of the new route').selectOption('(another definition)')
    await page.getByRole('button', { name: 'Add route' }).click()
    await field('Definition that CALL runs').fill('small')
    await field('Definition that CALL runs').press('Enter')
    await field('After CALL').selectOption('last')
    await line(/invoke: small/).waitFor()
    await line('# mine').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Publish anyway' }).click()
    await page.getByText('Version 2 of forked is published').waitFor()
    const { agent } = site.as
    for (const [signal, event] of [
      ['GO', 'fork.opened'],
      ['CALL', 'child.requested'],
    ] as const) {
      const { runId } = await agent.runs.start({ definition: 'forked' })
      await agent.runs.signal({ runId, name: signal })
      const { items } = await agent.runs.events({ runId })
      const found = JSON.stringify(items.find((one) => one.type === event)?.data)
      for (const name of signal === 'GO' ? ['one', 'two'] : ['small']) expect(found).toContain(name)
    }
    expect(faults.filter(isOurs)).toEqual([])
    await context.close()
  })

  test.each([
    {
      dialect: 'Process',
      stage: 'tests',
      label: 'Target of passed',
      target: '(end: completed)',
      seen: 'action: complete',
    },
    {
      dialect: 'Form of steps',
      stage: 'WHAT',
      label: 'Target of route 1',
      target: 'renamed',
      seen: '{ id: renamed }',
    },
  ])('a $dialect is edited in its graph as well', async (one) => {
    const { dialect, stage, label, target, seen } = one
    const { page, context } = await site.open(browser, { path: 'definitions/new' })
    await page.getByRole('button', { name: new RegExp(dialect) }).click()
    await page.locator('.stage-node', { hasText: stage }).first().click()
    await page.getByLabel('Name of the stage').fill('renamed')
    await page.getByLabel('Name of the stage').press('Enter')
    await page.locator('.stage-node', { hasText: 'renamed' }).waitFor()
    await page.getByLabel(label).selectOption(target)
    await page.locator('.cm-line', { hasText: seen }).first().waitFor()
    await context.close()
  })

  test('what the schema knows is offered where it may stand', async () => {
    const { page, context } = await site.open(browser, { path: `definitions/${id}` })
    await page.locator('.stage-node', { hasText: 'first' }).waitFor()
    await page.getByText('Begin here.').click()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('allowed_t', { delay: 30 })
    await page.locator('.cm-tooltip-autocomplete', { hasText: 'allowed_tools' }).waitFor()
    await context.close()
  })

  test('it is played, held to cases and compared without leaving the page', async () => {
    const { page, context, faults } = await site.open(browser, { path: `definitions/${id}` })
    await page.getByRole('tab', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'GO', exact: true }).click()
    await page.locator('.stage-node.here', { hasText: 'middle' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.stage-node.here', { hasText: 'first' }).waitFor()
    await page.getByRole('tab', { name: 'Cases' }).click()
    await page.getByRole('button', { name: 'Run the cases' }).click()
    await page.getByText('holds', { exact: true }).waitFor()
    await page.getByText('Stages entered').waitFor()
    await page.getByRole('tab', { name: 'Compare' }).click()
    await page.getByLabel('From').selectOption('1')
    await page.locator('.diff .add', { hasText: 'middle' }).first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a definition is begun from a template, which has no errors', async () => {
    const { page, context } = await site.open(browser, { path: 'definitions/new' })
    await page.getByRole('button', { name: /Data migration/ }).click()
    await page.locator('.stage-node', { hasText: 'verifying' }).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 of data-migration is published').waitFor()
    await context.close()
  })

  test('a definition is begun from nothing', async () => {
    const { page, context } = await site.open(browser, { path: 'definitions' })
    await page.getByRole('link', { name: 'New definition' }).click()
    await page.getByRole('button', { name: /Process/ }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 of my-checklist is published').waitFor()
    await context.close()
  })
})
