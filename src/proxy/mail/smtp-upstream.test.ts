import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { type Mail, readMail } from '../../core/mail/read-mail.ts'
import { asAgent, openBench } from '../../runtime/runtime.contract.ts'
import type { ResendRefusal } from '../resend-error.ts'
import { openMailSender } from './send-mail.ts'
import { openSentMailLog } from './sent-mail.ts'
import { openSmtpUpstream } from './smtp-upstream.ts'

type Letter = { readonly from: string; readonly to: readonly string[]; readonly raw: string }

async function openOffice(options: SMTPServerOptions = {}) {
  const letters: Letter[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      text(stream).then((raw) => {
        const { mailFrom, rcptTo } = envelope
        const from = mailFrom === false ? '' : mailFrom.address
        letters.push({ from, to: rcptTo.map((one) => one.address), raw })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { letters, port: (server.server.address() as AddressInfo).port }
}

const body = {
  from: 'Bot <bot@acme.com>',
  to: ['Ünï <ops@acme.com>'],
  cc: 'Ann <ann@acme.com>',
  bcc: 'eve@acme.com',
  reply_to: 'bot@acme.com',
  subject: 'Grüße an alle, die dies lesen und noch viel mehr Zeit haben',
  text: '.\r\n.hidden\r\n',
  html: '<b>hi</b>',
  headers: { 'X-Ref': '7' },
  attachments: [{ filename: "it's.txt", content: Buffer.from('file').toString('base64') }],
}

function mailOf(more: object = {}): Mail {
  const read = readMail({ ...body, ...more } as never)
  if (!read.ok) throw new Error(read.reason)
  return read.mail
}

function upstreamAt(port: number, more: object = {}) {
  return openSmtpUpstream({ host: '127.0.0.1', port, secure: 'none', ...more }, () => 0)
}

const never = new AbortController().signal

test('a mail is handed in with all it has, and nobody reads who got a blind copy', async () => {
  const { port, letters } = await openOffice()
  const sendout = { mails: [mailOf()], kind: 'one', key: 'k1' } as const
  const sent = await upstreamAt(port).send(sendout, never)
  expect(sent).toEqual({ kind: 'sent', ids: ['k1.0@acme.com'] })
  const [letter] = letters
  expect(letter?.from).toBe('bot@acme.com')
  expect(letter?.to).toEqual(['ops@acme.com', 'ann@acme.com', 'eve@acme.com'])
  const raw = letter?.raw ?? ''
  expect(raw).not.toContain('eve@')
  for (const part of [
    'From: Bot <bot@acme.com>',
    'To: =?UTF-8?B?w5xuw68=?= <ops@acme.com>',
    'Cc: Ann <ann@acme.com>',
    'Reply-To: bot@acme.com',
    'X-Ref: 7',
    'Message-ID: <k1.0@acme.com>',
    'Date: Thu, 01 Jan 1970 00:00:00 +0000',
    'filename="it\'s.txt"',
    Buffer.from('file').toString('base64'),
    Buffer.from(body.text).toString('base64'),
    Buffer.from(body.html).toString('base64'),
  ]) {
    expect(raw).toContain(part)
  }
  const lines = raw.split('\r\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100)
})

test('a login is made with the password, and a wrong one sends nothing', async () => {
  const { port, letters } = await openOffice({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
  })
  const sendout = { mails: [mailOf()], kind: 'one', key: 'k' } as const
  const as = (password: string) => upstreamAt(port, { user: 'bot', password: () => password })
  const wrong = await as('wrong').send(sendout, never)
  expect(wrong).toMatchObject({ kind: 'refused', refused: { statusCode: 502 } })
  expect(JSON.stringify(wrong)).not.toContain('wrong')
  expect(await as('right').send(sendout, never)).toMatchObject({ kind: 'sent' })
  expect(letters).toHaveLength(1)
})

test('an attachment is one part, whatever its type and name are', async () => {
  const { port, letters } = await openOffice()
  const content = Buffer.from('Bcc: eve@acme.com\r\n\r\n--x').toString('base64')
  const types = ['message/rfc822', 'multipart/mixed', 'text/plain; x=1', 'image/png']
  const attachments = types.map((content_type, at) => ({
    ...{ content, content_type, filename: `"grün";\\ ${at}.eml` },
    ...(at === 3 ? { content_id: 'logo' } : {}),
  }))
  const sendout = { mails: [mailOf({ attachments })], kind: 'one', key: 'k' } as const
  expect(await upstreamAt(port).send(sendout, never)).toMatchObject({ kind: 'sent' })
  const raw = letters[0]?.raw ?? ''
  expect(raw.split(content)).toHaveLength(5)
  expect(raw.match(/^Content-Type: application\/octet-stream/gm)).toHaveLength(3)
  expect(raw).toMatch(/^Content-Type: image\/png/m)
  expect(raw).toMatch(/^Content-I[dD]: <logo>/m)
  expect(raw).not.toMatch(/eve@|^--x/m)
})

test('a recipient whom the server rejects means that nothing was sent', async () => {
  for (const hidePIPELINING of [false, true]) {
    const { port, letters } = await openOffice({
      hidePIPELINING,
      onRcptTo: ({ address }, _, done) => done(address === 'ann@acme.com' ? new Error('no') : null),
    })
    const sendout = { mails: [mailOf()], kind: 'one', key: 'k' } as const
    expect(await upstreamAt(port).send(sendout, never)).toMatchObject({ kind: 'refused' })
    expect(letters).toEqual([])
  }
})

test('a mail that the server reads and rejects was not sent', async () => {
  const { port } = await openOffice({
    onData: (stream, _, done) => {
      stream.resume().on('end', () => done(new Error('no room')))
    },
  })
  const sendout = { mails: [mailOf()], kind: 'one', key: 'k' } as const
  const sent = await upstreamAt(port).send(sendout, never)
  expect(sent).toMatchObject({ kind: 'refused', refused: { statusCode: 502 } })
  expect(JSON.stringify(sent)).toContain('no room')
})

test('half a reply, or none of SMTP, does not make it known whether a mail was sent', async () => {
  for (const reply of ['', '2', '550 no', 'hello there\r\n']) {
    const { port } = await openSilentOffice(reply)
    const sendout = { mails: [mailOf()], kind: 'one', key: 'k' } as const
    expect(await upstreamAt(port).send(sendout, never)).toMatchObject({ kind: 'unclear' })
  }
})

/** Takes the whole mail and hangs up without a whole reply. */
async function openSilentOffice(reply = '') {
  let heard = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 hi\r\n')
    socket.on('data', (bytes) => {
      const said = bytes.toString()
      heard += said
      if (heard.endsWith('\r\n.\r\n')) return void socket.end(reply)
      if (said.startsWith('EHLO')) socket.write('250 hi\r\n')
      else if (/^(?:MAIL|RCPT)/.test(said)) socket.write('250 ok\r\n')
      else if (said.startsWith('DATA')) socket.write('354 go\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const mails = () => heard.split('\r\n.\r\n').length - 1
  return { port: (server.address() as AddressInfo).port, mails }
}

test('a mail of which nobody knows whether it was sent is not sent again, and counts', async () => {
  const { port, mails } = await openSilentOffice()
  const { runtime, store } = openBench()
  onTestFinished(() => runtime.close())
  const answers = { yes: { next: null, action: 'complete' } }
  const states = { a: { question: '?', answers } }
  const email_config = { max_emails_per_session: 1, allowed_to: ['acme.com'] }
  const source = JSON.stringify({ name: 'm', initial: 'a', states, email_config })
  await runtime.definitions.create({ source, format: 'json' })
  const wish = { definition: 'm', task: null, stage: null, vars: {}, workspace: null }
  const { runId } = await runtime.start(wish, asAgent)
  const ledger = openSentMailLog(store, () => 0)
  const around = { runtime, ledger, askWaitMs: 0, now: () => 0, isShared: false }
  const post = openMailSender({ ...around, upstream: upstreamAt(port), log: () => undefined })
  const request = { runId, kind: 'one', body: body as never, idempotencyKey: 'k' } as const
  const send = () => post.send(request).catch((fault: ResendRefusal) => fault.refused.message)
  expect(await send()).toContain('it is not retried')
  expect(await post.resume()).toBe(0)
  expect(await send()).toContain('it is not retried')
  expect(await post.resume()).toBe(0)
  expect([mails(), await ledger.countOf(runId)]).toEqual([1, 1])
  await post.close()
})
