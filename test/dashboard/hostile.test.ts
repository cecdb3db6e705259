/**
 * The page under attack: what agents write is text wherever it is shown, and other sites of this
 * machine get nothing done in the name of a person who is signed in, and do not sign them out.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../live-attacks/raw-http.ts'
import { recordsOf } from '../live-attacks/records.ts'
import { canBrowse, openBrowser, openSite, type Site } from './browser.ts'

const markup = [
  '<img src=x onerror="window.pwned=1">',
  '<script>window.pwned=2</script>',
  '<svg onload="window.pwned=3">',
  '"><iframe srcdoc="<script>parent.pwned=4</script>">',
  'javascript:window.pwned=5',
  "{{constructor.constructor('window.pwned=6')()}}",
]

describe.runIf(canBrowse)('the page under attack', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    const opening = openBrowser()
    site = await openSite()
    browser = await opening
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  function templatesOf(): readonly string[] {
    return recordsOf('template.injection').map((record) => {
      const { instructions } = record.setting as { readonly instructions: readonly string[] }
      return instructions.join('\n')
    })
  }

  /** A run in which every text that an agent or author can write is hostile. */
  async function startHostile(name: string, text: string): Promise<{ runId: string; id: string }> {
    const { person, agent } = site.as
    await person.definitions.create({
      definition: {
        id: name,
        initial: 'work',
        context: { user: '<b>', secret: 'S', a: [1] },
        states: {
          work: {
            instructions: text,
            on: { GO: { target: 'end', requires_approval: true, approval_message: text } },
          },
          end: { type: 'final' },
        },
      },
    })
    const { runId } = await agent.runs.start({ definition: name, workspace: `/work/${text}` })
    await agent.runs.check({ runId, tool: 'Bash', input: { command: text, note: text } })
    await agent.runs.check({ runId, tool: text, input: { [text]: text } })
    await agent.runs.check({
      runId,
      tool: 'Edit',
      input: { file_path: text, old_string: text, new_string: `${text}!` },
    })
    await agent.runs.signal({ runId, name: 'GO', data: { [text]: text } })
    const { items } = await person.approvals.list({ runId })
    return { runId, id: items[0]?.id ?? '' }
  }

  async function expectNothingRan(page: Page): Promise<void> {
    expect(await page.evaluate('window.pwned ?? null')).toBeNull()
    expect(await page.locator('iframe, object, embed, img').count()).toBe(0)
    expect(await page.locator('#root script').count()).toBe(0)
  }

  test('what agents and authors write is shown as text, and none of it runs', async () => {
    const { page, context, strangers } = await site.open(browser)
    page.on('dialog', () => expect.unreachable('a dialog was opened'))
    let count = 0
    for (const text of [...markup, ...templatesOf()]) {
      count += 1
      const { runId, id } = await startHostile(`hostile-${count}`, text)
      await page.goto(`${site.url()}/#/approvals/${encodeURIComponent(id)}`)
      await page.locator('h1', { hasText: text.split('\n')[0] ?? '' }).waitFor()
      await expectNothingRan(page)
      if (count > markup.length) continue
      await page.goto(`${site.url()}/#/runs/${runId}`)
      await page.locator('.stage-node.here').waitFor()
      await page.locator('.event').nth(2).click()
      await page.getByText('Recorded fields').click()
      await expectNothingRan(page)
    }
    await page.goto(`${site.url()}/#/`)
    await page
      .locator('.ask-card')
      .nth(count - 1)
      .waitFor()
    await expectNothingRan(page)
    expect(strangers).toEqual([])
    await context.close()
  })

  test('the policy of the page holds even against code that is in it already', async () => {
    const { page, context } = await site.open(browser)
    // WHY in a timer: while a test asks from outside, Chromium lets it make code.
    await page.evaluate(`void setTimeout(async () => {
      const script = document.createElement('script')
      try { script.text = 'window.pwned = 7' } catch {}
      document.body.append(script)
      const div = document.createElement('div')
      try { div.innerHTML = '<img src=x onerror="window.pwned = 8">' } catch {}
      document.body.append(div)
      try { new Function('window.pwned = 9')() } catch {}
      window.sent = await fetch('https://evil.test/').then(() => true, () => false)
    })`)
    await page.waitForFunction('window.sent !== undefined')
    const ran = await page.evaluate(
      '({ pwned: window.pwned ?? null, sent: window.sent, cookie: document.cookie })',
    )
    expect(ran).toEqual({ pwned: null, sent: false, cookie: '' })
    await context.close()
  })

  test('another site on this machine gets nothing done in the name of a person', async () => {
    const { context } = await site.open(browser)
    const { id } = await startHostile('forged', 'may it?')
    const url = `${site.url()}/v1/approvals/${encodeURIComponent(id)}`
    const evil = await openEvil({
      html: `<form method=post action="${url}" enctype="text/plain">
        <input name='{"granted":true,"x":"' value='"}'></form>
        <iframe src="${site.url()}"></iframe>`,
    })
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${evil.port}/`)
    const tries = await page.evaluate(`Promise.all([
      fetch(${JSON.stringify(url)}, { method: 'POST', credentials: 'include', mode: 'no-cors',
        body: '{"granted":true}' }).then((r) => r.type, () => 'failed'),
      fetch(${JSON.stringify(`${site.url()}/v1/runs`)}, { credentials: 'include' })
        .then((r) => r.text(), () => 'failed'),
    ])`)
    expect(tries).toEqual([expect.stringMatching(/opaque|failed/), 'failed'])
    const [frame] = page.frames().slice(1)
    expect(await frame?.locator('#root').count()).toBe(0)
    await page.evaluate('document.forms[0].submit()')
    await page.waitForLoadState()
    const { status } = await site.as.person.approvals.read({ id })
    expect(status).toBe('pending')
    evil.server.close()
    await context.close()
  })

  // A browser keeps 180 cookies of a host, whatever their ports, and throws the oldest away.
  const cookies = Array.from({ length: 200 }, (_, at) => `other_${at}=x; Path=/`)

  test('another port sets so many cookies that others go, and nobody is signed out', async () => {
    const { page, context } = await site.open(browser, { isAtLocalhost: true })
    const evil = await openEvil({ cookies: ['pawl=x; Path=/', ...cookies] })
    const other = await context.newPage()
    await other.goto(`http://localhost:${evil.port}/`)
    const kept = (await context.cookies(`http://localhost:${evil.port}/`)).length
    expect(kept).toBeGreaterThan(100)
    expect(kept).toBeLessThan(200)
    const sent = page.waitForRequest((request) => request.url().includes('/v1/runs'))
    await page.reload()
    expect(await (await sent).allHeaders()).not.toHaveProperty('cookie')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    const me = `fetch('/v1/me', { headers: { 'x-pawl-key': localStorage.getItem('pawl.key') } })`
    expect(await page.evaluate(`${me}.then((told) => told.status)`)).toBe(200)
    // What the browser brings to the other port opens nothing.
    await other.reload()
    const brought = JSON.stringify(evil.heard)
    const key = String(await page.evaluate("localStorage.getItem('pawl.key')"))
    expect(brought).toContain('other_199=x')
    expect(brought).not.toContain(key)
    evil.server.close()
    await context.close()
  })

  test('the attacks on the local server are held against a person who is signed in', async () => {
    const { page, context } = await site.open(browser)
    const key = String(await page.evaluate("localStorage.getItem('pawl.key')"))
    const { runId } = await startHostile('local', 'hello')
    const port = Number(new URL(site.url()).port)
    const wrong: string[] = []
    for (const record of recordsOf('http.local')) {
      const { http, headers = {} } = record.attempt as {
        readonly http: string
        readonly headers?: Readonly<Record<string, string>>
      }
      const [method = '', path = ''] = http.split(' ')
      const target = path
        .replace(/^\/api\/state/, `/v1/runs/${runId}`)
        .replace(/^\/api\/transition/, `/v1/runs/${runId}/pause`)
        .replace(/^\/(?:events|ws)$/, `/v1/runs/${runId}/stream`)
        .replace('<valid token>', key)
      const { Authorization: _, Upgrade, 'Sec-WebSocket-Protocol': protocol, ...own } = headers
      const all = {
        Host: `127.0.0.1:${port}`,
        ...own,
        'x-pawl-key': key,
        // The page reads its stream over plain HTTP; any other upgrade is sent as it is.
        ...(Upgrade === undefined || protocol !== undefined ? {} : { Upgrade }),
      }
      const named = Object.entries(all).map(
        ([name, value]) => [name, value.replaceAll('PORT', String(port))] as const,
      )
      const { status } = await sendRaw(port, { method, target, headers: named })
      const isAllowed = status === 200
      if (isAllowed !== (record.expected === 'allow')) wrong.push(`${record.id}: ${status}`)
    }
    expect(wrong).toEqual([])
    await context.close()
  })
})

type Evil = {
  readonly server: Server
  readonly port: number
  readonly heard: readonly IncomingHttpHeaders[]
}

/** A site of somebody else on this machine. */
async function openEvil(told: { html?: string; cookies?: readonly string[] }): Promise<Evil> {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers)
    response.setHeader('content-type', 'text/html')
    if (told.cookies !== undefined) response.setHeader('set-cookie', told.cookies)
    response.end(told.html ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, heard, port: (server.address() as AddressInfo).port }
}
