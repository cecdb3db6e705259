/**
 * What the tests of the page share: a real Chromium, and a daemon that really serves the page.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { type Client, openClient } from '../../src/client/index.ts'
import type { Access } from '../../src/doors/api/sign-in-access.ts'
import {
  type House,
  isOurNode,
  openHouse,
  shareAgentToken,
  until,
} from '../../src/main/daemon.contract.ts'

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium is; null: there is none, `npm test` says how to get one. */
export const chromiumPath =
  [process.env.PAWL_CHROMIUM ?? '', ...paths].find((path) => path !== '' && existsSync(path)) ??
  null

const pageFile = join(import.meta.dirname, '..', '..', 'dist', 'dashboard', 'index.html')
/** WHY the build too: what is tested is what is served. */
export const canBrowse = isOurNode && chromiumPath !== null && existsSync(pageFile)

/** Opens the browser. */
export function openBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}

const largeMsMax = 150_000

export type Site = {
  readonly house: House
  readonly url: () => string
  readonly as: { readonly agent: Client; readonly person: Client }
  /** A page of a browser that has signed in; what it complains about is in `faults`. */
  readonly open: (browser: Browser, wish?: PageWish) => Promise<BrowserPage>
  /** `meanwhile` is done while it is down. */
  readonly restart: (meanwhile?: () => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

export type PageWish = {
  readonly role?: Access
  readonly size?: { readonly width: number; readonly height: number }
  readonly scheme?: 'light' | 'dark'
  readonly path?: string
  /** Absent: the owner; else whoever has this token. */
  readonly token?: string
  /** Open the page where passkeys work; absent: at the address. */
  readonly isAtLocalhost?: true
}

export type BrowserPage = {
  readonly page: Page
  readonly context: BrowserContext
  /** What the console and the policy of the page have said against it. */
  readonly faults: readonly string[]
  /** Requests that went anywhere but to the daemon. */
  readonly strangers: readonly string[]
}

/** A daemon of its own with the page; `args` go to `pawl serve`. */
export function openSite(...args: readonly string[]): Promise<Site> {
  return openConfiguredSite({}, ...args)
}

/** The same with more in `config.json`. */
export async function openConfiguredSite(
  config: object,
  ...args: readonly string[]
): Promise<Site> {
  const house = shareAgentToken(openHouse(), config)
  let daemon = house.start(['serve', ...args])
  const isUp = (): boolean => house.note()?.http != null
  await until(isUp, 'the daemon serves')
  const url = (): string => house.note()?.http ?? ''
  const token = (role: string): string => join(house.folder, `${role}.token`)
  const socket = join(house.folder, 'daemon.sock')
  const client = (role: string): Client =>
    openClient({ socket, token: readFileSync(token(role), 'utf8').trim() })
  const as = { agent: client('agent'), person: client('person') }
  return {
    house,
    url,
    as,
    open: (browser, wish = {}) => {
      const at = wish.isAtLocalhost === true ? (house.note()?.page ?? '') : url()
      return openPage(browser, { house, url: at }, wish)
    },
    restart: async (meanwhile) => {
      daemon.child.kill('SIGTERM')
      await daemon.ended
      await meanwhile?.()
      daemon = house.start(['serve', ...args])
      await until(isUp, 'the daemon serves again')
    },
    close: async () => {
      as.agent.close()
      as.person.close()
      await house.close()
    },
  }
}

/** The daemon with the large sample in it, complete. */
export async function openLargeSite(): Promise<Site> {
  const site = await openSite('--sample', '--large')
  for (const end = performance.now() + largeMsMax; performance.now() < end; await sleep(100)) {
    if (site.house.log().includes('the large sample is complete')) return site
  }
  await site.close()
  throw new Error('the large sample was not complete in time')
}

type At = { readonly house: House; readonly url: string }

async function openPage(
  browser: Browser,
  { house, url }: At,
  wish: PageWish,
): Promise<BrowserPage> {
  const context = await browser.newContext({
    viewport: wish.size ?? { width: 1360, height: 880 },
    colorScheme: wish.scheme ?? 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const faults: string[] = []
  const strangers: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url())) {
      strangers.push(request.url())
    }
  })
  await page.goto(await linkFor(house, url, wish))
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  if (wish.path !== undefined) await page.goto(`${url}/#/${wish.path}`)
  return { page, context, faults, strangers }
}

/** WHY not `pawl open`: that is a process for each page, and one test sees that it works. */
async function linkFor(house: House, url: string, wish: PageWish): Promise<string> {
  const socket = join(house.folder, 'daemon.sock')
  const own = readFileSync(join(house.folder, 'person.token'), 'utf8').trim()
  const client = openClient({ socket, token: wish.token ?? own })
  try {
    const { code } = await client.signIns.invite({ access: wish.role ?? 'admin' })
    return `${url}/#/sign-in/${code}`
  } finally {
    client.close()
  }
}
