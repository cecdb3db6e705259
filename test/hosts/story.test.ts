/**
 * The whole story with the real Claude Code and a person in a real Chromium: the agent is blocked,
 * finishes the flagship and asks; the person sees the diff and the evidence and refuses with a
 * reason; the agent mends it; the person approves.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { turnOf } from '../../src/prove/hosts/tool-calls.ts'
import type { SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { canBrowse, openBrowser } from '../dashboard/browser.ts'
import { fixedLine, flagshipScript, putBug } from './flagship.ts'
import { sessionStory, testedHosts, worldFor } from './hosts.ts'

const definition = join(import.meta.dirname, '../../examples/workflow/tdd-bug-fix.json')
const reason = 'say in a comment what add returns'
const comment = '  // The sum of both numbers.'
const waitMsMax = 30_000

/** The person's window, signed in by the link that `pawl open` prints. */
async function openWindow(world: SandboxEnv): Promise<Page> {
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(waitMsMax)
  await page.goto(JSON.parse(await world.mustPawl('open', '--json')).url)
  await page.getByRole('region', { name: 'Open runs' }).waitFor()
  return page
}

/** Opens what waits, and looks at what was changed and at what Pawl saw. */
async function review(page: Page, lines: readonly string[]): Promise<void> {
  await page.getByRole('link', { name: 'Review', exact: true }).first().click()
  await page.getByRole('heading', { name: 'The fix is ready' }).waitFor()
  const diff = page.getByRole('region', { name: 'Diff of src/add.mjs' })
  await diff.locator('.del', { hasText: 'return a - b' }).waitFor()
  for (const line of lines) await diff.locator('.add', { hasText: line.trim() }).waitFor()
  await page.getByRole('region', { name: 'Diff of test/add.test.mjs' }).waitFor()
  const seen = page.getByRole('region', { name: 'What Pawl saw' })
  await seen.getByText('seen', { exact: true }).first().waitFor()
  await seen.getByText('npm test').first().waitFor()
}

async function refuse(page: Page): Promise<void> {
  await review(page, [fixedLine])
  await page.keyboard.press('r')
  await page.keyboard.type(reason)
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Refused. The agent is notified.').waitFor()
  await page.goto(`${new URL(page.url()).origin}/#/`)
}

async function approve(page: Page): Promise<void> {
  await review(page, [comment, fixedLine])
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Approved. The agent can continue.').waitFor()
}

/** Finds in the trace why the first call was denied. */
async function findDenial(page: Page, run: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/runs/${run}`)
  const log = page.getByRole('region', { name: 'Timeline' })
  await log.getByRole('button', { name: 'only denials (1)' }).click()
  await log.getByText('Write was denied').click()
  const event = page.getByRole('region', { name: 'Event' })
  await event.getByText('Sent to the agent').waitFor()
  await event.getByRole('link', { name: '/states/understanding/allowed_tools' }).waitFor()
}

const isPossible = canBrowse && testedHosts.includes('claude')

test.runIf(isPossible)('Claude Code is blocked, refused and approved by a person', async () => {
  const world = await worldFor('claude')
  putBug(world)
  await world.mustPawl('init', 'claude', '--yes')
  await world.git('add', '-A')
  await world.git('commit', '-qm', 'guarded by Pawl')
  const run: string = JSON.parse(await world.mustPawl('start', definition, '--json')).runId
  const page = await openWindow(world)
  const { write } = drivers.claude.toolCalls
  const tooEarly = write?.(join(world.project, 'src/early.mjs'), fixedLine)
  if (tooEarly === undefined) throw new Error('Claude Code writes files')
  const script = flagshipScript(world, {
    early: [turnOf(tooEarly)],
    rework: { before: fixedLine, after: `${comment}\n${fixedLine}` },
  })
  const decisions = [refuse, approve]
  const made: Promise<void>[] = []
  const transcript = await drive({
    ...{ ...world, script, timeoutMs: 240_000 },
    onTurn: ({ calls }) => {
      if (!JSON.stringify(calls).includes('pawl_wait')) return
      const next = decisions.shift()
      if (next === undefined) return
      const decision = next(page)
      // It is looked at when the session is over.
      decision.catch(() => undefined)
      made.push(decision)
    },
  })
  const story = sessionStory(transcript)
  expect(
    (await Promise.allSettled(made)).map(({ status }) => status),
    story,
  ).toEqual(['fulfilled', 'fulfilled'])
  expect(transcript.unused, story).toEqual([])
  const told = (name: string) =>
    transcript.calls.filter((one) => one.name.endsWith(name)).map((one) => one.told)
  expect(told('Write')[0]).toContain('understanding')
  expect(told('pawl_wait')[0]).toContain(reason)
  expect(told('pawl_wait')).toHaveLength(2)
  const { head } = JSON.parse(await world.mustPawl('state', run, '--json'))
  expect(head, story).toMatchObject({ status: 'completed', stage: 'done' })
  const shown = execFileSync('git', ['show', 'HEAD:src/add.mjs'], { cwd: world.project })
  expect(shown.toString()).toContain(`${comment}\n${fixedLine}`)
  await findDenial(page, run)
})
