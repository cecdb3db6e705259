/**
 * The attacks on mail and on limits, against a proxy and a daemon that really serve, with a server
 * behind them that tells whether anything arrived.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOurNode } from '../../src/main/daemon.contract.ts'
import { openPosting, type Posting } from '../../src/main/mail.contract.ts'
import { tryLimit } from './over-limits.ts'
import { sendRaw } from './raw-http.ts'
import {
  type AttackOutcome,
  type AttackRecord,
  faultOf,
  type Result,
  recordsOf,
  reportOf,
} from './records.ts'

const areas = ['email.scope', 'policy.limits'] as const

describe.runIf(isOurNode)('the attacks on mail and money', { timeout: 240_000 }, () => {
  let posting: Posting
  beforeAll(async () => {
    posting = await openPosting()
  })
  afterAll(() => posting?.close(), 60_000)

  const results: Result[] = []

  test.each(areas)('every attack of %s that must be held is held', async (area) => {
    const own: Result[] = []
    for (const record of recordsOf(area)) {
      const found = await (area === 'email.scope' ? tryMail(record) : tryLimit(posting, record))
      own.push({ record, found })
    }
    results.push(...own)
    expect(own.length).toBeGreaterThan(5)
    const must = own.filter(({ record }) => record.level === 'must')
    expect(must.flatMap((result) => faultOf(result) ?? [])).toEqual([])
  })

  test('the score is told', () => {
    const lines = reportOf(results)
    console.log(lines.join('\n'))
    expect(lines.length).toBeGreaterThanOrEqual(areas.length * 2)
  })

  async function tryMail({ setting, attempt }: AttackRecord): Promise<AttackOutcome> {
    const { key } = await posting.begin(setting.email_config as object)
    const [method = '', path = ''] = String(attempt.http).split(' ')
    const post = (target: string, body: string, verb = 'POST') =>
      sendRaw(Number(new URL(posting.url).port), {
        method: verb,
        target: `/resend${target}`,
        headers: [
          ['Host', new URL(posting.url).host],
          ['Authorization', `Bearer ${key}`],
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(body))],
          ['Connection', 'close'],
        ],
        body,
      })
    const plain = { from: 'bot@acme.com', to: ['ops@acme.com'], subject: 's', text: 't' }
    for (let sent = 0; sent < Number(setting.sent ?? 0); sent += 1) {
      expect((await post('/emails', JSON.stringify(plain))).status).toBe(200)
    }
    const before = posting.provider.reached.length
    const body = String(attempt.body_raw ?? JSON.stringify(attempt.body))
    const { status, body: told } = await post(path, body, method)
    const isThere = posting.provider.reached.length > before
    const wrong = isThere === (status === 200) ? [] : [`${status}, and it arrived: ${isThere}`]
    if (status !== 200) {
      const { statusCode, name, message } = JSON.parse(told)
      const isShaped = statusCode === status && name !== '' && message !== ''
      if (!isShaped) wrong.push(`not in the provider's shape: ${told}`)
    }
    return { verdicts: [status === 200 ? 'allow' : 'deny'], wrong }
  }
})
