/**
 * Kills a daemon while mail goes through its proxy, again and again, with a provider behind it that
 * loses answers: what was acknowledged was sent, nothing was sent twice, and the count is right.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHouse } from '../../src/main/daemon.contract.ts'
import { openPosting, type Posting } from '../../src/main/mail.contract.ts'
import { openSentMailLog } from '../../src/proxy/mail/sent-mail.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Losses } from './verify.ts'

export type MailResult = Losses & {
  readonly roundsCount: number
  readonly acknowledged: number
  /** Asked for more than once, because the first answer never came. */
  readonly repeated: number
}

export type MailOptions = {
  /** How the daemon is started; absent: from the sources. */
  readonly command?: readonly string[]
  /** Daemons that live and die beside each other, each with a provider of its own. */
  readonly lanesCount?: number
}

const clientsCount = 4
const mailsPerRound = 3
/** A minute: what a start may take where many start. */
const triesMax = 1_200
const troubles = ['lost', 'busy'] as const

type MailLog = { readonly acknowledged: Map<string, string>; asked: number; repeated: number }

/** One death in each round, at a moment of its own. */
export async function mailLoop(
  roundsCount: number,
  { command, lanesCount = 1 }: MailOptions = {},
): Promise<MailResult> {
  const open = (): Promise<Posting> => openPosting({}, openHouse(cached, command))
  // WHY: only a daemon that ends by itself leaves behind what makes the next start short.
  await (await open()).close()
  const share = (lane: number): number => Math.floor((roundsCount + lane) / lanesCount)
  const lanes = Array.from({ length: lanesCount }, async (_, lane) =>
    playLane(await open(), share(lane)),
  )
  return (await Promise.all(lanes)).reduce(addResults)
}

const cache = join(import.meta.dirname, '../../node_modules/.cache/faults')
const cached = { NODE_COMPILE_CACHE: cache }

function addResults(a: MailResult, b: MailResult): MailResult {
  return {
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    differing: a.differing + b.differing,
    what: [...a.what, ...b.what],
    roundsCount: a.roundsCount + b.roundsCount,
    acknowledged: a.acknowledged + b.acknowledged,
    repeated: a.repeated + b.repeated,
  }
}

async function playLane(posting: Posting, roundsCount: number): Promise<MailResult> {
  try {
    const anybody = { max_emails_per_session: 1_000_000, allowed_from: ['*'], allowed_to: ['*'] }
    const { runId, key } = await posting.begin(anybody)
    const book: MailLog = { acknowledged: new Map(), asked: 0, repeated: 0 }
    for (let round = 0; round < roundsCount; round += 1) {
      posting.provider.trouble.push(troubles[round % troubles.length] ?? 'lost')
      const working = Array.from({ length: clientsCount }, (_, client) =>
        work({ posting, key, book }, `${round}-${client}`),
      )
      await sleep(5 + ((round * 37) % 90))
      await posting.restart()
      await Promise.all(working)
    }
    await posting.house.cli('stop')
    const counted = await countOf(posting, runId)
    return { ...verify(posting, book, counted), roundsCount, ...told(book) }
  } finally {
    await posting.close()
  }
}

type Working = { readonly posting: Posting; readonly key: string; readonly book: MailLog }

async function work({ posting, key, book }: Working, name: string): Promise<void> {
  for (let count = 0; count < mailsPerRound; count += 1) {
    const subject = `${name}-${count}`
    book.asked += 1
    book.acknowledged.set(subject, await sendUntilTold({ posting, key, book }, subject))
  }
}

/** The same request under the same key until there is an answer: what a careful client does. */
async function sendUntilTold({ posting, key, book }: Working, subject: string): Promise<string> {
  const mail = { from: 'bot@acme.com', to: 'ops@acme.com', subject, text: 'x' }
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (tries === 1) book.repeated += 1
    const answer = await fetch(`${posting.url}/resend/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': subject,
      },
      body: JSON.stringify(mail),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => null)
    // It may die in the middle of a word.
    const told = answer?.ok ? await answer.text().catch(() => '') : ''
    const id = /^\{"id":"([^"]+)"\}$/.exec(told)?.[1]
    if (id !== undefined) return id
    await sleep(50)
  }
  throw new Error(`the mail ${subject} was never acknowledged`)
}

function told({ acknowledged, repeated }: MailLog): Pick<MailResult, 'acknowledged' | 'repeated'> {
  return { acknowledged: acknowledged.size, repeated }
}

/** How many mails the run has sent, as its ledger says. */
async function countOf({ house }: Posting, runId: string): Promise<number> {
  const store = openSqliteStore({ path: join(house.folder, 'pawl.db') })
  try {
    return await openSentMailLog(store, Date.now).countOf(runId)
  } finally {
    await store.close()
  }
}

function verify({ provider }: Posting, book: MailLog, counted: number): Losses {
  const counts = new Map<string, number>()
  for (const mail of provider.sent as readonly { readonly subject: string }[]) {
    counts.set(mail.subject, (counts.get(mail.subject) ?? 0) + 1)
  }
  const lost = [...book.acknowledged.keys()].filter((subject) => !counts.has(subject))
  const doubled = [...counts].filter(([, count]) => count > 1).map(([subject]) => subject)
  const strange = [...counts.keys()].filter((subject) => !book.acknowledged.has(subject))
  return {
    ...{ lost: lost.length, doubled: doubled.length },
    differing: strange.length + Math.abs(counted - book.acknowledged.size),
    what: [
      ...(counted === book.acknowledged.size ? [] : [`${counted} were counted`]),
      ...lost.map((subject) => `${subject} was acknowledged and never sent`),
      ...doubled.map((subject) => `${subject} was sent twice`),
      ...strange.map((subject) => `${subject} was sent and never acknowledged`),
    ].slice(0, 20),
  }
}
