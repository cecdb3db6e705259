/** A person who is elsewhere is asked, decides by a link on a phone, and the agent goes on. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type MailOffice,
  openMailOffice,
  openPostOffice,
  type PostOffice,
} from '../notify/receivers.contract.ts'
import { type House, isOurNode, openHouse, release, until } from './daemon.contract.ts'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)

let posts: PostOffice
let mails: MailOffice
let house: House

beforeEach(async () => {
  posts = await openPostOffice()
  mails = await openMailOffice()
  house = openHouse()
  mkdirSync(house.folder, { mode: 0o700 })
  writeFileSync(join(house.folder, 'hook.secret'), 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==')
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
})
afterEach(async () => {
  await house.close()
  posts.close()
  await mails.close()
})

/** A daemon with two channels, which serves: a busy machine may take a while to start it. */
async function serve(more: object = {}): Promise<void> {
  const mail = { type: 'mail', host: '127.0.0.1', port: mails.port, secure: 'none' }
  const config = {
    notify: {
      channels: {
        hook: { type: 'webhook', url: `${posts.url}/hook`, secretFile: 'hook.secret' },
        inbox: { ...mail, from: 'Pawl <pawl@example.org>', to: ['ada@example.org'], person: 'ada' },
      },
    },
    ...more,
  }
  writeFileSync(join(house.folder, 'config.json'), JSON.stringify(config))
  const daemon = house.start(['serve'])
  await until(() => typeof house.note()?.http === 'string', `a daemon: ${daemon.said()}`)
}

/** The agent works, asks, and waits; nobody is at its terminal. */
async function askAsAgent(): Promise<string> {
  const { runId } = await house.json('start', 'release.json')
  await house.json('signal', 'READY', '--run', runId, '--as', 'agent')
  const data = JSON.stringify({ version: '1.2.3', why: '<b>all tests</b> pass' })
  await house.json('signal', 'SHIP', '--run', runId, '--as', 'agent', '--data', data)
  return runId
}

function linkIn(text: string): string {
  return /https?:\/\/\S+\/decide\/[\w-]+/.exec(text)?.[0] ?? 'no link'
}

// WHY so long: a start takes a second of work, and a machine may be busy with other tests.
describe.runIf(isOurNode)('a person who is elsewhere', () => {
  let browser: Browser
  beforeAll(async () => {
    // WHY a fault and not a skip: this is the proof that a phone can decide.
    if (program === undefined) throw new Error('no Chromium: `apt-get install chromium`')
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
    browser = await chromium.launch({ executablePath: program, args })
  })
  afterAll(() => browser?.close())

  async function openPhone(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 380, height: 720 },
      isMobile: true,
      hasTouch: true,
      colorScheme,
      // Nothing on the page needs it.
      javaScriptEnabled: false,
    })
    return context.newPage()
  }

  test('decides by the link in a mail on a phone, and the agent goes on', async () => {
    await serve()
    const runId = await askAsAgent()
    const waiting = house.start(['wait', runId, '--as', 'agent'])
    await until(() => posts.posts.length === 1 && mails.letters.length === 1, 'both messages')
    const [letter] = mails.letters
    expect(letter).toMatchObject({ from: 'pawl@example.org', to: ['ada@example.org'] })
    expect(letter?.raw).toContain('Subject: [pawl] ship it?')
    for (const part of ['ship it?', '1.2.3', '(claimed)', `run ${runId}`, 'counts as refused']) {
      expect(letter?.text).toContain(part)
    }
    const body = JSON.parse(posts.posts[0]?.body ?? '')
    expect(body).toMatchObject({ type: 'approval.requested', kind: 'gate', approval: { runId } })
    expect(body.link).not.toBe(linkIn(letter?.text ?? ''))

    const page = await openPhone()
    const link = linkIn(letter?.text ?? '')
    const response = await page.goto(link)
    expect(response?.status()).toBe(200)
    expect(await page.locator('h1').innerText()).toBe('ship it?')
    const shown = await page.locator('main').innerText()
    for (const part of [
      '1.2.3',
      '<b>all tests</b> pass',
      'claimed',
      'as ada',
      'cannot be undone',
    ]) {
      expect(shown).toContain(part)
    }
    expect(await page.locator('b', { hasText: 'all tests' }).count()).toBe(0)
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    expect(widths).toEqual([380, 380])
    const button = await page.getByRole('button', { name: 'Approve' }).boundingBox()
    expect(button?.height).toBeGreaterThanOrEqual(48)
    await page.getByLabel('Reason').fill('looks right from the train')
    await page.getByRole('button', { name: 'Approve' }).tap()
    await page.getByRole('heading', { name: 'You approved' }).waitFor()

    await waiting.ended
    const { head } = await house.json('state', runId)
    expect(head).toMatchObject({ status: 'completed', stage: 'done' })
    const { items } = await house.json('approvals', '--all')
    expect(items[0]).toMatchObject({ decidedBy: 'ada', note: 'looks right from the train' })
    // The link is over, and so is the one that the webhook got.
    await page.goto(link)
    expect(await page.getByRole('button').count()).toBe(0)
    await page.goto(body.link)
    expect(await page.locator('h1').innerText()).toBe('Already approved')
    // What an agent can read holds no way to decide.
    const read = ['log', 'state', 'runs', 'approvals'].map((verb) =>
      house.cli(verb, ...(verb === 'log' || verb === 'state' ? [runId] : []), '--json'),
    )
    const secrets = [link, body.link].map((one) => String(one).split('/').at(-1) ?? '-')
    const everything = [...(await Promise.all(read)).map((one) => one.out), house.log()].join('')
    for (const secret of secrets) expect(everything).not.toContain(secret)
  })

  test('with no decision it runs out, the link says so, and the agent is told', async () => {
    await serve({ approvalHours: 8 / 3_600 })
    const runId = await askAsAgent()
    await until(() => mails.letters.length === 1, 'the mail')
    const log = house.start(['log', runId, '--follow', '--as', 'agent'])
    await until(() => log.said().includes('approval.expired'), 'the end of the question')
    const told = await house.cli('state', runId, '--as', 'agent')
    expect(told.out).toContain('nobody decided in time, which counts as refused')
    const page = await openPhone('dark')
    await page.goto(linkIn(mails.letters[0]?.text ?? ''))
    expect(await page.locator('h1').innerText()).toBe('Nobody decided in time')
    expect(await page.getByRole('button').count()).toBe(0)
    expect((await house.json('state', runId)).head).toMatchObject({ stage: 'build' })
  })

  test('two people decide, each in their own name, and the owner does not count', async () => {
    await serve()
    const states = structuredClone(release.states)
    Object.assign(states.build.on.SHIP, { approvals: { needed: 2, from: ['ada', 'bob'] } })
    const definition = JSON.stringify({ ...release, states })
    writeFileSync(join(house.workspace, 'release.json'), definition)
    expect((await house.cli('people', 'add', 'bob', '--out', 'bob.token')).code).toBe(0)
    expect(statSync(join(house.workspace, 'bob.token')).mode & 0o777).toBe(0o600)
    const token = readFileSync(join(house.workspace, 'bob.token'), 'utf8').trim()
    expect(readFileSync(join(house.folder, 'people.json'), 'utf8')).not.toContain(token)
    const runId = await askAsAgent()
    await until(() => mails.letters.length === 1, 'the mail')
    const [asked] = (await house.json('approvals')).items
    const id = asked?.id ?? ''
    const owner = await house.cli('approve', id)
    expect([owner.code, owner.err]).toEqual([1, expect.stringContaining('does not count here')])

    const page = await openPhone()
    const link = linkIn(mails.letters[0]?.text ?? '')
    await page.goto(link)
    await page.getByRole('button', { name: 'Approve' }).tap()
    await page.getByRole('heading', { name: 'You approved' }).waitFor()
    expect(await page.locator('main').innerText()).toContain('It also needs the approval of others')
    expect((await house.json('state', runId)).head).toMatchObject({ status: 'waiting' })
    expect((await house.json('approvals')).items[0]).toMatchObject({
      note: 'approved by ada (1 more needed)',
    })
    expect((await house.cli('approve', id, '--token-file', 'bob.token')).code).toBe(0)
    expect((await house.json('state', runId)).head).toMatchObject({ status: 'completed' })
    const { items } = await house.json('approvals', '--all')
    expect(items[0]).toMatchObject({ status: 'granted', decidedBy: 'ada, bob' })
    expect((await house.cli('people', 'remove', 'bob')).code).toBe(0)
    const gone = await house.cli('runs', '--token-file', 'bob.token')
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('TOKEN_INVALID')])
  })

  test('a channel can be tried, and one that fails says why', async () => {
    await serve()
    posts.answer(500)
    const { code, out } = await house.cli('notify', 'test')
    expect(code).toBe(1)
    expect(out).toContain('hook (webhook)  the receiver answered 500')
    expect(out).toContain('inbox (mail)  sent')
    expect(mails.letters[0]?.text).toContain('nothing is waiting for you')
    expect((await house.cli('notify', 'test', '--as', 'agent')).code).toBe(1)
    expect(mails.letters).toHaveLength(1)
  })
})
