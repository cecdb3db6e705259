/**
 * Passkeys on the page, with the virtual authenticator of Chromium: adding keys, signing decisions
 * alone and in twos, on a phone, and checking the signatures on another machine.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHouse, until } from '../../src/main/daemon.contract.ts'
import { type BrowserPage, canBrowse, openBrowser, openSite, type Site } from './browser.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

const shipping = {
  id: 'shipping',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['Read', 'Bash', 'Write'],
      on: {
        SHIP: {
          target: 'end',
          requires_approval: true,
          approval_message: 'ship it?',
          approval_editable: ['version'],
        },
        PAIR: { target: 'end', approvals: { needed: 2 } },
      },
    },
    end: { type: 'final' },
  },
  policy: { ask: [{ capability: 'bash' }] },
}

describe.runIf(canBrowse)('passkeys', () => {
  let site: Site
  let browser: Browser
  let owner: BrowserPage
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite()
    browser = await opening
    await site.as.person.definitions.create({ definition: shipping })
    owner = await site.open(browser, { isAtLocalhost: true, path: 'passkeys' })
    await addAuthenticator(owner.page)
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  async function start(): Promise<string> {
    return (await site.as.person.runs.start({ definition: 'shipping' })).runId
  }

  async function ask(signal: string, data: Record<string, string> = {}): Promise<Asked> {
    const runId = await start()
    await site.as.agent.runs.signal({ runId, name: signal, data })
    return pendingOf(runId)
  }

  type Asked = { readonly runId: string; readonly id: string }

  async function pendingOf(runId: string): Promise<Asked> {
    const { items } = await site.as.person.approvals.list({ status: 'pending', runId })
    return { runId, id: items[0]?.id ?? '' }
  }

  async function decide(page: Page, id: string, button: 'Approve' | 'Refuse'): Promise<void> {
    await page.goto(`${page.url().split('#')[0]}#/approvals/${encodeURIComponent(id)}`)
    await page.getByText('You sign with your passkey').waitFor()
    const { note: before } = await site.as.person.approvals.read({ id })
    await page.getByRole('button', { name: button, exact: true }).click()
    await expect
      .poll(async () => {
        const { status, note } = await site.as.person.approvals.read({ id })
        return status !== 'pending' || note !== before
      })
      .toBe(true)
  }

  async function verify(runId: string): Promise<unknown> {
    return site.as.person.runs.verify({ runId })
  }

  test('without a passkey the page says what is weaker; the first one counts at once', async () => {
    const { page } = owner
    await page.getByText('Decisions are not protected').waitFor()
    await page.getByText('can read your token and approve').waitFor()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('Every decision must be signed').waitFor()
    const { items, isRequired } = await site.as.person.passkeys.list()
    expect(items).toMatchObject([{ rpId: 'localhost', isActive: true, confirmedBy: null }])
    expect(isRequired).toBe(true)
    expect(owner.faults).toEqual([])
    expect(owner.strangers).toEqual([])
  })

  test('a gate is approved with a note and an edit, signed as a whole', async () => {
    const { runId, id } = await ask('SHIP', { version: '1' })
    const { page } = owner
    await page.goto(`${page.url().split('#')[0]}#/approvals/${encodeURIComponent(id)}`)
    await page.getByLabel('Change version').fill('2')
    await page.getByLabel('Reason or note').fill('after the backup')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    const { items } = await site.as.person.runs.events({ runId })
    const granted = items.find((one) => one.type === 'approval.granted')
    expect(granted?.data).toMatchObject({
      note: 'after the backup',
      edits: { version: '2' },
      proof: { kind: 'passkey' },
    })
    expect(await verify(runId)).toMatchObject({ ok: true, signatures: { signed: 1, unsigned: 0 } })
  })

  test('a call is approved, and another one refused', async () => {
    const runId = await start()
    const input = { command: 'npm publish' }
    await site.as.agent.runs.check({ runId, tool: 'Bash', input })
    await decide(owner.page, (await pendingOf(runId)).id, 'Approve')
    const { reply } = await site.as.agent.runs.check({ runId, tool: 'Bash', input })
    expect(reply.verdict).toBe('allow')
    await site.as.agent.runs.check({
      runId,
      tool: 'Bash',
      input: { command: 'npm unpublish' },
    })
    const second = await pendingOf(runId)
    await decide(owner.page, second.id, 'Refuse')
    expect((await site.as.person.approvals.read({ id: second.id })).status).toBe('refused')
    expect(await verify(runId)).toMatchObject({ ok: true, signatures: { signed: 2, unsigned: 0 } })
  })

  test('a browser without the passkey says what to do, and nothing is decided', async () => {
    const { id } = await ask('SHIP', { version: '1' })
    const { page, context } = await site.open(browser, {
      isAtLocalhost: true,
      path: `approvals/${encodeURIComponent(id)}`,
    })
    await addAuthenticator(page)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    // WHY an alert: a toast is gone before a person has found the key.
    await page.getByRole('alert').getByText('this browser has none of your passkeys').waitFor()
    expect((await site.as.person.approvals.read({ id })).status).toBe('pending')
    await context.close()
  })

  test('a second person adds a passkey that the first confirms, and both sign', async () => {
    const file = join(site.house.folder, 'bob.token')
    expect((await site.house.cli('people', 'add', 'bob', '--out', file)).code).toBe(0)
    const token = readFileSync(file, 'utf8').trim()
    const phone = { width: 390, height: 844 }
    const bob = await site.open(browser, {
      ...{ isAtLocalhost: true, token, size: phone, path: 'passkeys' },
    })
    await addAuthenticator(bob.page)
    await bob.page.getByRole('button', { name: 'Add passkey' }).click()
    await bob.page.getByText('waits for a signature').waitFor()
    await owner.page.goto(`${owner.page.url().split('#')[0]}#/passkeys`)
    await owner.page.reload()
    await owner.page.getByRole('button', { name: 'Confirm' }).click()
    await owner.page.getByText('Confirmed.').waitFor()
    const { items } = await site.as.person.passkeys.list()
    expect(items.map((one) => [one.person, one.isActive])).toContainEqual(['bob', true])
    const { runId, id } = await ask('PAIR')
    await decide(owner.page, id, 'Approve')
    await decide(bob.page, id, 'Approve')
    expect((await site.as.person.approvals.read({ id })).status).toBe('granted')
    const verified = await verify(runId)
    expect(verified).toMatchObject({ ok: true, signatures: { signed: 2, unsigned: 0 } })
    const width = await bob.page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(phone.width)
    await bob.context.close()
  })

  test('a second passkey of one person, and its removal, are signed with the first', async () => {
    const { page } = owner
    const other = await site.open(browser, { isAtLocalhost: true, path: 'passkeys' })
    await addAuthenticator(other.page)
    await other.page.getByLabel('Name of this device').fill('spare')
    await other.page.getByRole('button', { name: 'Add passkey' }).click()
    await other.page.getByText('waits for a signature').waitFor()
    await other.context.close()
    await page.goto(`${page.url().split('#')[0]}#/passkeys`)
    await page.reload()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('· spare').waitFor()
    await page.locator('li', { hasText: 'spare' }).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Passkey removed.').waitFor()
    const { items } = await site.as.person.passkeys.list()
    expect(items.find((one) => one.label === 'spare')).toMatchObject({ isActive: false })
  })

  test('`pawl approve` leads to the page, and ends when it is signed there', async () => {
    const { id } = await ask('SHIP', { version: '1' })
    const said = ['--note', 'from the terminal', '--var', 'version=3']
    const terminal = site.house.start(['approve', id, ...said])
    const link = /http:\/\/localhost:\d+\/#\/sign-in\/\S+/
    await until(() => link.test(terminal.said()), 'the terminal names the page')
    const { page } = owner
    await page.goto(link.exec(terminal.said())?.[0] ?? '')
    await page.getByText('You sign with your passkey').waitFor()
    expect(await page.getByLabel('Reason or note').inputValue()).toBe('from the terminal')
    expect(await page.getByLabel('Change version').inputValue()).toBe('3')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await terminal.ended
    expect(terminal.said()).toContain('granted by')
  })

  test('an exported run is verified on another machine, without a network', async () => {
    const { runId, id } = await ask('SHIP', { version: '1' })
    await decide(owner.page, id, 'Approve')
    const file = join(site.house.folder, 'run.json')
    expect((await site.house.cli('export', runId, '--out', file)).code).toBe(0)
    const other = openHouse()
    try {
      const daemon = other.start(['serve'])
      await until(() => other.note()?.http != null, `another daemon: ${daemon.said()}`)
      expect((await other.cli('import', file)).code).toBe(0)
      const told = await other.cli('log', runId, '--verify')
      expect(told.out).toContain('1 signed decision')
      expect(told.code).toBe(0)
    } finally {
      await other.close()
    }
  })

  test('a reset is on record, refused to agents, and does not make tokens enough', async () => {
    await site.restart(async () => {
      const agent = site.house.start(['passkey', 'reset', '--yes'], { env: { CLAUDECODE: '1' } })
      await agent.ended
      expect(agent.said()).toContain('not available to agents')
      const asked = await site.house.cli('passkey', 'reset')
      expect(asked.err).toContain('→ run `pawl passkey reset --yes`')
      const reset = await site.house.cli('passkey', 'reset', '--yes')
      expect(reset.out).toContain('of everybody removed')
    })
    const { isRequired, resetsCount, items } = await site.as.person.passkeys.list()
    expect({ isRequired, resetsCount }).toEqual({ isRequired: true, resetsCount: 1 })
    expect(items.some((one) => one.isActive)).toBe(false)
    const { id } = await ask('SHIP', { version: '1' })
    const decided = site.as.person.approvals.decide({ id, granted: true })
    await expect(decided).rejects.toMatchObject({ code: 'PASSKEY_NEEDED' })
    expect((await site.house.cli('passkey', 'list')).out).toContain('reset offline 1 time')
  })
})
