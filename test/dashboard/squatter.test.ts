/**
 * Somebody else takes the port while the daemon is down: an open page does not give them its key,
 * and what they got is worth nothing when the daemon finds its port taken.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canBrowse, openBrowser, openSite, type Site } from './browser.ts'

type Heard = { readonly url: string; readonly headers: IncomingHttpHeaders }
type Squatter = { readonly server: Server; readonly heard: readonly Heard[] }

async function squat(port: number): Promise<Squatter> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    heard.push({ url: request.url ?? '', headers: request.headers })
    response.setHeader('content-type', 'application/json')
    response.end('{"proof":"00","items":[],"next":null}')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, heard }
}

const listenMs = 2_500
/** Longer than the silence after which a page takes its stream for dead. */
const reconnectMsMax = 60_000

describe.runIf(canBrowse)('whoever takes the port', () => {
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

  test('is not sent the key or asked for code, and the page goes on with its daemon', async () => {
    const { page, context } = await site.open(browser)
    const port = Number(new URL(site.url()).port)
    const heard: Heard[] = []
    await site.restart(async () => {
      const squatter = await squat(port)
      await page.getByText('This page reconnects automatically').waitFor()
      // The code of that page is not loaded yet.
      await page.getByRole('link', { name: 'Runs' }).click()
      await sleep(listenMs)
      heard.push(...squatter.heard)
      squatter.server.closeAllConnections()
      squatter.server.close()
    })
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.filter(({ headers }) => headers['x-pawl-key'] !== undefined)).toEqual([])
    expect(heard.filter(({ url }) => !url.startsWith('/v1/sign-in/proof?'))).toEqual([])
    expect(Number(new URL(site.url()).port)).toBe(port)
    await site.as.person.definitions.create({ source: definition })
    await site.as.agent.runs.start({ definition: 'after' })
    const row = page.locator('.run-row', { hasText: 'after' })
    await row.waitFor({ timeout: reconnectMsMax }).catch(async (cause: unknown) => {
      throw new Error(`the page shows: ${await page.innerText('body')}`, { cause })
    })
    await context.close()
  })

  test('and keeps it has nothing from what a browser sent there', async () => {
    const { page, context } = await site.open(browser)
    const port = Number(new URL(site.url()).port)
    const key = String(await page.evaluate("localStorage.getItem('pawl.key')"))
    const headers = { 'x-pawl-key': key }
    const look = async (at: number) =>
      (await fetch(`http://127.0.0.1:${at}/v1/me`, { headers })).status
    expect(await look(port)).toBe(200)
    let squatter: Squatter | null = null
    await site.restart(async () => {
      squatter = await squat(port)
    })
    const now = Number(new URL(site.url()).port)
    expect(now).not.toBe(port)
    expect(await look(now)).toBe(401)
    ;(squatter as Squatter | null)?.server.closeAllConnections()
    ;(squatter as Squatter | null)?.server.close()
    await context.close()
  })
})

const definition = `id: after
initial: first
states:
  first: { on: { GO: last } }
  last: { type: final }
`
