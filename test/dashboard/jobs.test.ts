/**
 * Jobs of a run on the page, as they run; and questions that take more than one person.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../src/client/index.ts'
import { canBrowse, openBrowser, openSite, type Site } from './browser.ts'

const working = {
  id: 'working',
  initial: 'work',
  meta: { capture_output: true },
  states: {
    work: {
      allowed_tools: ['process.run'],
      allowed_commands: ['echo', 'sleep', 'cat', 'seq'],
      on: {
        SHIP: {
          target: 'done',
          requires_approval: true,
          approval_message: 'ship it?',
          approvals: { needed: 2 },
        },
      },
    },
    done: { type: 'final' },
  },
}

describe.runIf(canBrowse)('jobs and people on the page', () => {
  let site: Site
  let browser: Browser
  let bob = ''
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-page-jobs-'))
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite()
    browser = await opening
    await site.as.person.definitions.create({ definition: working })
    const added: unknown = await site.house.json('people', 'add', 'bob')
    bob = (added as { readonly token: string }).token
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    rmSync(workspace, { recursive: true, force: true })
  })

  async function startJob(runId: string, command: string): Promise<void> {
    await site.as.agent.jobs.run({ run_id: runId, command, background: true })
  }

  async function startRun(): Promise<string> {
    return (await site.as.agent.runs.start({ definition: 'working', workspace })).runId
  }

  function jobsOf(page: Page) {
    return page.getByRole('region', { name: 'Jobs' })
  }

  test('a job is followed as it speaks, and ended by whoever may', async () => {
    const runId = await startRun()
    const { page, context, faults } = await site.open(browser, { path: `runs/${runId}` })
    await page.locator('.stage-node.here').waitFor()
    expect(await jobsOf(page).count()).toBe(0)
    await startJob(runId, 'echo begun; sleep 1; echo "<b>later</b>"; sleep 600')
    await jobsOf(page).getByText('running').waitFor()
    await jobsOf(page).getByRole('button', { name: /begun/ }).click()
    const log = jobsOf(page).getByRole('region', { name: 'stdout' })
    await log.getByText('begun').waitFor()
    await log.getByText('<b>later</b>').waitFor()
    await jobsOf(page).getByText('Isolation').waitFor()
    await jobsOf(page).getByRole('button', { name: 'Stop the job' }).click()
    await jobsOf(page).getByRole('button', { name: 'Stop it now?' }).click()
    await page.getByText('The job was stopped.').waitFor()
    await jobsOf(page).getByText('killed').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a long log begins at its end, and what came before is a click away', async () => {
    const runId = await startRun()
    await startJob(runId, 'seq 1 40000; echo oops >&2')
    const wish = { role: 'viewer', path: `runs/${runId}` } as const
    const { page, context } = await site.open(browser, wish)
    await jobsOf(page).getByText('exit 0').waitFor()
    await jobsOf(page).getByRole('button', { name: /seq/ }).click()
    const log = jobsOf(page).getByRole('region', { name: 'stdout' })
    await log.getByText(/\n40000\n$/).waitFor()
    expect((await log.innerText()).startsWith('1\n2\n')).toBe(false)
    await jobsOf(page).getByRole('button', { name: 'Show earlier output' }).click()
    const linesCount = async () => (await log.innerText()).trim().split('\n').length
    await expect.poll(linesCount).toBe(40_000)
    await jobsOf(page)
      .getByRole('tab', { name: /stderr/ })
      .click()
    await jobsOf(page).getByRole('region', { name: 'stderr' }).getByText('oops').waitFor()
    expect(await jobsOf(page).getByRole('button', { name: 'Stop the job' }).count()).toBe(0)
    await context.close()
  })

  test('the end of what a call printed is one tap away, without secrets', async () => {
    const runId = await startRun()
    await startJob(runId, 'seq 1 40000; echo api_key=abcdef123')
    const { page, context } = await site.open(browser, { path: `runs/${runId}` })
    await page.locator('.trace-row', { hasText: 'succeeded' }).click()
    const output = page.getByRole('region', { name: 'End of the output' })
    await output.getByText(/\n40000\napi_key=\[redacted\]$/).waitFor()
    expect((await output.innerText()).length).toBeLessThan(5_000)
    await context.close()
  })

  test('two people agree: who has, who is still needed, and nobody counts twice', async () => {
    const runId = await startRun()
    await site.as.agent.runs.signal({ runId, name: 'SHIP' })
    const ada = await site.open(browser)
    const other = await site.open(browser, { token: bob })
    await ada.page.getByText('0 of 2 approved').waitFor()
    await other.page.getByRole('link', { name: 'Review' }).click()
    await other.page.getByText('2 more needed').waitFor()
    await ada.page.getByRole('link', { name: 'Review' }).click()
    await ada.page.getByLabel(/Reason or note/).fill('tests are green')
    await ada.page.getByRole('button', { name: 'Approve' }).click()
    await ada.page.getByText('Approved. 1 more approval is needed.').waitFor()
    const box = other.page.getByRole('region', { name: 'Who must approve' })
    await box.getByText('1 more needed').waitFor()
    await box.getByText('tests are green').waitFor()
    await ada.page.getByText('You have approved.').waitFor()
    expect(await ada.page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await other.page.getByRole('button', { name: 'Approve' }).click()
    await other.page.getByText('Approved. The agent can continue.').waitFor()
    await ada.page.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    const { view } = await site.as.agent.runs.read({ runId })
    expect(view.status).toBe('completed')
    await ada.context.close()
    await other.context.close()
  })

  test('one refusal is enough, and everybody sees whose it was', async () => {
    const runId = await startRun()
    await site.as.agent.runs.signal({ runId, name: 'SHIP' })
    const [{ id = '', hash = '' } = {}] = (await site.as.person.approvals.list({ runId })).items
    await site.as.person.approvals.decide({ id, hash, granted: true })
    const { page, context } = await site.open(browser, { path: `approvals/${id}` })
    const box = page.getByRole('region', { name: 'Who must approve' })
    await box.getByText('1 more needed').waitFor()
    const socket = join(site.house.folder, 'daemon.sock')
    const client = openClient({ socket, token: bob })
    await client.approvals.decide({ id, hash, granted: false, note: 'not today' })
    client.close()
    await box.getByText('bob').waitFor()
    await box.getByText('not today').waitFor()
    await page.getByRole('heading', { name: 'Refused', exact: true }).waitFor()
    await context.close()
  })
})
