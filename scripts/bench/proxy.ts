/**
 * What the proxy adds to a mail: the same request to a provider on this machine, directly and
 * through a daemon that judges it, records it and marks it as sent.
 */
import { openPosting, realKey } from '../../src/main/mail.contract.ts'
import { median, percentile, print } from './measure.ts'

const mailsCount = Number(process.env.PAWL_BENCH_MAILS ?? 200)
const warmCount = 20

export async function benchProxy(): Promise<void> {
  const posting = await openPosting()
  try {
    const anybody = { allowed_from: ['acme.com'], allowed_to: ['acme.com'] }
    const { key } = await posting.begin(anybody)
    const ways = {
      direct: () => send(`${posting.provider.url}/emails`, realKey),
      proxy: () => send(`${posting.url}/resend/emails`, key),
    }
    const times = { direct: [] as number[], proxy: [] as number[] }
    for (let round = -warmCount; round < mailsCount; round += 1) {
      for (const way of ['direct', 'proxy'] as const) {
        const begun = performance.now()
        await ways[way]()
        if (round >= 0) times[way].push(performance.now() - begun)
      }
    }
    const [direct, proxied] = [median(times.direct), median(times.proxy)]
    print(`proxy: ${mailsCount} mails one after the other, ms each`, [
      ['direct, p50', direct, ''],
      ['direct, p99', percentile(times.direct, 0.99), ''],
      ['through Pawl, p50', proxied, `${(proxied - direct).toFixed(1)} ms more`],
      ['through Pawl, p99', percentile(times.proxy, 0.99), ''],
    ])
  } finally {
    await posting.close()
  }
}

let mailsSent = 0

async function send(url: string, key: string): Promise<void> {
  mailsSent += 1
  const subject = `mail ${mailsSent}`
  const mail = { from: 'bot@acme.com', to: ['ops@acme.com'], subject, text: 'Hello' }
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': `bench-${mailsSent}`,
  }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(mail) })
  const told = await answer.text()
  if (!answer.ok) throw new Error(`a mail was not sent: ${told}`)
}
