/** Mail of processes: the limits of `email_config`, enforced by the proxy that sends it. */
import { afterAll, beforeAll, expect } from 'vitest'
import { openHouse } from '../../src/main/daemon.contract.ts'
import { openPosting, type Posting } from '../../src/main/mail.contract.ts'
import { claimsOf } from './claim.ts'
import { builtProgram } from './doors.ts'

const claim = claimsOf('process definitions')

let posting: Posting
beforeAll(async () => {
  posting = await openPosting({}, openHouse({}, [process.execPath, builtProgram]))
})
afterAll(() => posting?.close(), 60_000)

const letter = { from: 'bot@acme.com', to: 'ops@acme.com', subject: 'Hi', text: 'Hello' }

/** A run with such limits, and what the provider’s address answers to its mails. */
async function mailer(email_config: object) {
  const { key } = await posting.begin(email_config)
  return async (mail: object = {}): Promise<number> => {
    const response = await fetch(`${posting.url}/resend/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...letter, ...mail }),
    })
    await response.text()
    return response.status
  }
}

const section = 'Process fields'

claim(
  {
    section,
    quote: 'email_config: max_emails_per_session',
    check: 'with a limit of 2, the third mail is rejected and does not reach the provider',
  },
  async () => {
    const send = await mailer({ max_emails_per_session: 2 })
    const before = posting.provider.sent.length
    expect([await send(), await send()]).toEqual([200, 200])
    expect(await send()).toBeGreaterThanOrEqual(400)
    expect(posting.provider.sent.length).toBe(before + 2)
  },
)
claim(
  {
    section,
    quote: 'email_config: max_emails_per_session',
    check: 'a rejected mail does not count towards the limit',
  },
  async () => {
    const send = await mailer({ max_emails_per_session: 1, allowed_to: ['ops@acme.com'] })
    expect(await send({ to: 'eve@evil.test' })).toBeGreaterThanOrEqual(400)
    expect(await send()).toBe(200)
  },
)
const addresses: readonly (readonly [
  quote: string,
  config: object,
  mail: object,
  isSent: boolean,
])[] = [
  ['allowed_from', { allowed_from: ['bot@acme.com'] }, {}, true],
  ['allowed_from', { allowed_from: ['bot@acme.com'] }, { from: 'ceo@acme.com' }, false],
  ['allowed_to', { allowed_to: ['ops@acme.com'] }, {}, true],
  ['allowed_to', { allowed_to: ['ops@acme.com'] }, { to: 'eve@evil.test' }, false],
  [
    'allowed_to',
    { allowed_to: ['ops@acme.com'] },
    { to: ['ops@acme.com', 'eve@evil.test'] },
    false,
  ],
  ['allowed_to', { allowed_to: ['ops@acme.com'] }, { cc: 'eve@evil.test' }, false],
  ['allowed_to', { allowed_to: ['ops@acme.com'] }, { bcc: 'eve@evil.test' }, false],
  ['email_config | EmailConfig?', {}, {}, true],
]
const show = (json: object, before = ''): string =>
  Object.keys(json).length === 0 ? '' : `${before} \`${JSON.stringify(json)}\``

for (const [quote, config, mail, isSent] of addresses) {
  claim(
    {
      section,
      quote: `email_config: ${quote}`,
      check: `a mail${show(mail)} is ${isSent ? 'sent' : 'rejected'}${show(config, ' under')}`,
    },
    async () => {
      const send = await mailer(config)
      const before = posting.provider.sent.length
      const status = await send(mail)
      expect(status === 200, String(status)).toBe(isSent)
      expect(posting.provider.sent.length).toBe(before + (isSent ? 1 : 0))
    },
  )
}
claim(
  {
    section,
    quote: 'email_config … Enforced by the outbound proxy',
    check: 'without the key of a run, nothing is sent',
  },
  async () => {
    const before = posting.provider.sent.length
    const response = await fetch(`${posting.url}/resend/emails`, {
      method: 'POST',
      headers: { authorization: 'Bearer re_guess', 'content-type': 'application/json' },
      body: JSON.stringify(letter),
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(posting.provider.sent.length).toBe(before)
  },
)
