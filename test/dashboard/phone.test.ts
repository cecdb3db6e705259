/**
 * A decision that is signed on a phone, far from the daemon: through `publicUrl`, which is https,
 * with a passkey of that address. Chromium has the phone's window and authenticator.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/main/daemon.contract.ts'
import { openPostOffice, type PostOffice } from '../../src/notify/receivers.contract.ts'
import { canBrowse, openBrowser, openConfiguredSite, type Site } from './browser.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

const openssl = '/usr/bin/openssl'
const hostname = 'phone.localhost'

/** What stands in front of a daemon: it ends TLS, and keeps the `Host`. */
async function openFront(port: () => number) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-front-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const made = ['-x509', ...kind, '-subj', `/CN=${hostname}`, '-keyout', key, '-out', cert]
  execFileSync(openssl, ['req', ...made], { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (from, to) => {
    const { method, url: path, headers } = from
    const passed = request({ host: '127.0.0.1', port: port(), method, path, headers }, (back) => {
      to.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(to)
    })
    passed.on('error', () => to.destroy())
    from.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rmSync(folder, { recursive: true })
  const url = `https://${hostname}:${(server.address() as AddressInfo).port}`
  return { url, close: () => void server.close().closeAllConnections() }
}

const gate = {
  id: 'gate',
  initial: 'work',
  states: {
    work: { on: { SHIP: { target: 'end', approvals: {}, approval_message: 'ship it?' } } },
    end: { type: 'final' },
  },
}

describe.runIf(canBrowse && existsSync(openssl))('a phone', () => {
  let site: Site
  let browser: Browser
  let post: PostOffice
  let front: { readonly close: () => void }
  let owner: Page
  beforeAll(async () => {
    post = await openPostOffice()
    const opened = await openFront(() => Number(new URL(site.url()).port))
    front = opened
    const channels = { hook: { type: 'webhook', url: `${post.url}/hook` } }
    const config = { publicUrl: opened.url, notify: { channels } }
    const opening = openBrowser('--ignore-certificate-errors')
    site = await openConfiguredSite(config)
    browser = await opening
    await site.as.person.definitions.create({ definition: gate })
    owner = (await site.open(browser, { isAtLocalhost: true, path: 'passkeys' })).page
    await addAuthenticator(owner)
    await owner.getByRole('button', { name: 'Add passkey' }).click()
    await owner.getByText('Every decision must be signed').waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    front?.close()
    post?.close()
  })

  test('adds a passkey by a link, which a key at home confirms, and signs with it', async () => {
    const { runId } = await site.as.person.runs.start({ definition: 'gate' })
    await site.as.agent.runs.signal({ runId, name: 'SHIP' })
    await until(() => post.posts.length > 0, 'the message')
    const { link } = JSON.parse(post.posts[0]?.body ?? '') as { readonly link: string }
    const size = { viewport: { width: 380, height: 720 }, isMobile: true, hasTouch: true }
    const phone = await (await browser.newContext(size)).newPage()
    const faults: string[] = []
    phone.on('pageerror', (fault) => faults.push(fault.message))
    await phone.goto(link)
    await addAuthenticator(phone)
    const approve = phone.getByRole('button', { name: 'Approve', exact: true })
    await approve.click()
    await phone.getByText(`has no passkey for \`${hostname}\``).waitFor()
    await phone.getByRole('button', { name: 'Add passkey' }).click()
    const added = await phone.getByText('select Confirm').textContent()
    const code = /code ([0-9a-f]{4} [0-9a-f]{4})\./.exec(added ?? '')?.[1] ?? 'no code'
    // Somebody else who has the link cannot put a key of theirs beside it.
    const thief = await (await browser.newContext(size)).newPage()
    await thief.goto(link)
    await addAuthenticator(thief)
    await thief.getByRole('button', { name: 'Add passkey' }).click()
    await thief.getByText('already waits to be confirmed').waitFor()
    // Whoever has the link has no key yet.
    await approve.click()
    await phone.getByText(`has no passkey for \`${hostname}\``).waitFor()
    await owner.reload()
    await owner.getByText(`from a link ${code}`).waitFor()
    await owner.getByRole('button', { name: 'Confirm' }).click()
    const active = async () =>
      (await site.as.person.passkeys.list()).items.filter((one) => one.isActive).length
    await expect.poll(active).toBe(2)
    await phone.getByLabel('Reason or note').fill('from the train')
    await approve.click()
    await phone.getByText('You approved').waitFor()
    expect(faults).toEqual([])
    const { items } = await site.as.person.runs.events({ runId })
    const granted = items.find((one) => one.type === 'approval.granted')
    expect(granted?.data).toMatchObject({ note: 'from the train', proof: { kind: 'passkey' } })
    const verified = await site.as.person.runs.verify({ runId })
    expect(verified).toMatchObject({ ok: true, signatures: { signed: 1, unsigned: 0 } })
  })
})
