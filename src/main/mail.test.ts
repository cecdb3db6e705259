/** Mail from the provider's own SDK through a daemon to a server that speaks its protocol. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isOurNode } from './daemon.contract.ts'
import { openPosting, type Posting, realKey } from './mail.contract.ts'

const acme = { max_emails_per_session: 5, allowed_from: ['bot@acme.com'], allowed_to: ['acme.com'] }
const letter = { from: 'Bot <bot@acme.com>', to: 'ops@acme.com', subject: 'Hi', text: 'Hello' }

describe.runIf(isOurNode)('mail', () => {
  let posting: Posting
  beforeAll(async () => {
    posting = await openPosting()
  })
  afterAll(() => posting?.close(), 60_000)
  beforeEach(() => {
    posting.provider.reached.length = 0
    posting.provider.sent.length = 0
  })

  const sdk = async (mail: object = acme, more: object = {}) => {
    const { runId, key } = await posting.begin(mail, more)
    return { runId, resend: new Resend(key, { baseUrl: `${posting.url}/resend` }) }
  }

  test('the SDK sends through Pawl, which holds the real key', async () => {
    const { resend, runId } = await sdk()
    const { data, error } = await resend.emails.send(letter)
    expect([error, data?.id]).toEqual([null, 'mail-1'])
    expect(posting.provider.reached).toMatchObject([
      { path: '/emails', authorization: `Bearer ${realKey}`, body: { subject: 'Hi' } },
    ])
    // The log of it comes behind the answer.
    await posting.agent.runs.wait({ runId, after: 3, timeoutMs: 10_000 })
    const { items } = await posting.agent.runs.events({ runId })
    expect(items.map((one) => one.type)).toContain('call.reported')
    expect(JSON.stringify(items)).toContain('mail:send')
    expect(JSON.stringify(items) + posting.house.log()).not.toContain(realKey)
  })

  test.each([
    ['a bcc outside the list', { bcc: ['eve@evil.test'] }],
    ['a listed address as the name of another', { to: '"ops@acme.com" <eve@evil.test>' }],
    ['an answer that would go elsewhere', { replyTo: 'eve@evil.test' }],
    ['a header that adds a receiver', { headers: { Bcc: 'eve@evil.test' } }],
    ['a line inside a header', { headers: { 'X-Ref': '1\r\nBcc: eve@evil.test' } }],
    ['a line inside the subject', { subject: 'Hi\r\nBcc: eve@evil.test' }],
    ['a name in another encoding', { from: '=?utf-8?q?Bot?= <bot@acme.com>' }],
    ['a file that the provider would fetch', { attachments: [{ path: 'https://x.test/a' }] }],
  ])('%s is refused in the shape of the provider, and nothing is sent', async (_, more) => {
    const { resend } = await sdk()
    const { data, error } = await resend.emails.send({ ...letter, ...more } as never)
    expect(data).toBeNull()
    expect(error).toMatchObject({ name: 'validation_error', message: expect.any(String) })
    expect(posting.provider.reached).toEqual([])
  })

  test('messages are counted, a batch as a whole; what is refused counts nothing', async () => {
    const { resend } = await sdk()
    const batch = (count: number) => resend.batch.send(Array.from({ length: count }, () => letter))
    expect((await batch(101)).error).toMatchObject({ name: 'validation_error' })
    expect((await batch(6)).error).toMatchObject({ name: 'daily_quota_exceeded' })
    expect((await batch(3)).data?.data).toHaveLength(3)
    expect((await batch(3)).error).toMatchObject({ name: 'daily_quota_exceeded' })
    posting.provider.trouble.push('refused')
    const { error } = await resend.emails.send(letter)
    expect(error?.message).toBe('validation_error with [key]')
    expect((await batch(2)).error).toBeNull()
    expect((await resend.emails.send(letter)).error).toMatchObject({ name: 'daily_quota_exceeded' })
    expect(posting.provider.sent).toHaveLength(5)
  })

  test('many at once do not get past the limit', async () => {
    const { resend } = await sdk()
    const answers = await Promise.all(Array.from({ length: 20 }, () => resend.emails.send(letter)))
    expect(answers.filter(({ error }) => error === null)).toHaveLength(5)
    expect(posting.provider.sent).toHaveLength(5)
  })

  test('the same key sends once, and for another mail it is refused', async () => {
    const { resend } = await sdk()
    const options = { idempotencyKey: 'order-7' }
    const first = await resend.emails.send(letter, options)
    expect(await resend.emails.send(letter, options)).toMatchObject({ data: first.data })
    const other = await resend.emails.send({ ...letter, subject: 'Other' }, options)
    expect(other.error).toMatchObject({ name: 'invalid_idempotent_request' })
    expect(posting.provider.sent).toHaveLength(1)
  })

  test('a provider that takes no more is tried again, and then counts nothing', async () => {
    const { resend } = await sdk({ ...acme, max_emails_per_session: 1 })
    posting.provider.trouble.push('limited', 'limited', 'limited')
    expect((await resend.emails.send(letter)).error).toMatchObject({ name: 'rate_limit_exceeded' })
    posting.provider.trouble.push('limited')
    expect((await resend.emails.send(letter)).error).toBeNull()
    expect(posting.provider.sent).toHaveLength(1)
  })

  test('an answer that is lost on the way makes no second mail', async () => {
    const { resend } = await sdk()
    posting.provider.trouble.push('lost', 'busy')
    expect((await resend.emails.send(letter)).error).toBeNull()
    expect(posting.provider.reached).toHaveLength(3)
    expect(new Set(posting.provider.reached.map((one) => one.key)).size).toBe(1)
    expect(posting.provider.sent).toHaveLength(1)
  })

  test('a mail waits for a person, who sees all of it, and is sent once they agree', async () => {
    const { resend, runId } = await sdk(acme, { policy: { ask: [{ capability: 'mail:*' }] } })
    const attachments = [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }]
    const mail = { ...letter, html: '<b>Hello</b>', attachments }
    const held = await resend.emails.send(mail)
    expect(held.error?.message).toContain('a person must decide first')
    const { items } = await posting.person.call('approvals.list', { runId, status: 'pending' })
    const pending = JSON.stringify(items[0]?.pending)
    for (const part of ['ops@acme.com', '<b>Hello</b>', 'a.txt', '"bytes":5']) {
      expect(pending).toContain(part)
    }
    await posting.person.call('approvals.decide', { id: items[0]?.id ?? '', granted: true })
    expect((await resend.emails.send({ ...mail, subject: 'Other' })).data).toBeNull()
    const second = await posting.person.call('approvals.list', { runId, status: 'pending' })
    await posting.person.call('approvals.decide', { id: second.items[0]?.id ?? '', granted: false })
    expect((await resend.emails.send(mail)).error).toBeNull()
    expect(posting.provider.sent).toHaveLength(1)
  })

  test('a run whose definition says nothing of mail sends none', async () => {
    const { resend } = await sdk(acme, { email_config: undefined })
    expect((await resend.emails.send(letter)).error?.message).toContain('email_config')
  })

  test('only the key that a person made for a run sends, while the run is open', async () => {
    const { runId, key } = await posting.begin(acme)
    const token = readFileSync(join(posting.house.folder, 'agent.token'), 'utf8').trim()
    const sendWith = async (one: string) =>
      (await new Resend(one, { baseUrl: `${posting.url}/resend` }).emails.send(letter)).error
    const refused = { name: 'invalid_api_key', message: expect.stringContaining('pawl mail key') }
    const other = await posting.begin(acme)
    const swapped = key.replace(runId, other.runId)
    for (const one of [token, `${runId}.${token}`, `pawl_${runId}.${token}`, swapped]) {
      expect(await sendWith(one)).toMatchObject(refused)
    }
    await expect(posting.agent.call('mail.makeKey', { runId })).rejects.toMatchObject({
      code: 'NOT_PERMITTED',
    })
    const { out } = await posting.house.cli('mail', 'key', runId)
    expect(await sendWith(key)).toMatchObject(refused)
    expect(await sendWith(out.trim())).toBeNull()
    await posting.house.cli('mail', 'key', runId, '--revoke')
    expect(await sendWith(out.trim())).toMatchObject(refused)
    await posting.agent.runs.cancel({ runId: other.runId })
    expect(await sendWith(other.key)).toMatchObject(refused)
    await expect(posting.person.call('mail.makeKey', { runId: other.runId })).rejects.toMatchObject(
      { code: 'REQUEST_INVALID' },
    )
    expect(posting.provider.sent).toHaveLength(1)
  })

  test('other parts of the API are closed, and so is the door without a key', async () => {
    const { resend } = await sdk()
    expect((await resend.apiKeys.list()).error).toMatchObject({ name: 'restricted_api_key' })
    expect((await resend.emails.get('mail-1')).error).toMatchObject({ name: 'restricted_api_key' })
    const stranger = new Resend('re_123', { baseUrl: `${posting.url}/resend` })
    expect((await stranger.emails.send(letter)).error).toMatchObject({ name: 'invalid_api_key' })
    expect(posting.provider.reached).toEqual([])
  })
})
