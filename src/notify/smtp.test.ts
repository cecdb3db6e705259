/** Mail, handed in at a server that speaks the real protocol. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { composeMail } from '../smtp/submit-mail.ts'
import { openMailOffice } from './receivers.contract.ts'
import { bareAddress, composeNotification, sendMail } from './smtp.ts'

let folder: string
let keys: { readonly key: string; readonly cert: string }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-smtp-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  keys = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  writeFileSync(join(folder, 'password'), 'gehe1m\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function office(options: Parameters<typeof openMailOffice>[0] = {}) {
  const opened = await openMailOffice(options)
  onTestFinished(opened.close)
  return opened
}

const mail = {
  from: 'Pawl, the "catch" <pawl@example.org>',
  to: ['ada@example.org', 'Bob <bob@example.org>'],
  subject: 'Freigabe für „ship it“?',
  text: 'Zeile eins\n.\n.. und drei\nünïcode ✓\n',
  id: 'r:1/first',
  at: 0,
}

test('a mail arrives whole, whatever its letters and lines are', async () => {
  const { port, letters } = await office()
  await sendMail({ host: '127.0.0.1', port, secure: 'none' }, mail)
  const [letter] = letters
  expect(letter).toMatchObject({
    from: 'pawl@example.org',
    to: ['ada@example.org', 'bob@example.org'],
    text: mail.text,
  })
  expect(letter?.raw).toContain('Message-ID: <r-1-first@pawl.invalid>')
  const subject = /Subject: ((?:.|\r\n )*)/.exec(letter?.raw ?? '')?.[1] ?? ''
  const words = [...subject.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g)].map(([, word = '']) => word)
  expect(Buffer.concat(words.map((word) => Buffer.from(word, 'base64'))).toString()).toBe(
    mail.subject,
  )
  for (const line of (letter?.raw ?? '').split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
})

type LogIn = { readonly username?: string; readonly password?: string }

function login(known: LogIn[]) {
  return {
    ...keys,
    authOptional: false,
    disabledCommands: [],
    onAuth: (auth: LogIn, _: unknown, done: (fault: Error | null, ok?: object) => void) => {
      const { username = '', password = '' } = auth
      known.push({ username, password })
      if (password === 'gehe1m') done(null, { user: username })
      else done(new Error('wrong'))
    },
  }
}

test('with starttls nothing but the greeting goes over an open line', async () => {
  const known: LogIn[] = []
  const { port, letters } = await office(login(known) as never)
  const passwordFile = join(folder, 'password')
  const server = { host: 'localhost', port, secure: 'starttls', user: 'ada', passwordFile } as const
  await expect(sendMail(server, mail)).rejects.toThrow(/self.signed|certificate/i)
  expect(known).toEqual([])
  await sendMail({ ...server, ca: keys.cert }, mail)
  expect(known).toEqual([{ username: 'ada', password: 'gehe1m' }])
  expect(letters[0]).toMatchObject({ isEncrypted: true, text: mail.text })
})

test('a line that is encrypted from the first byte works, with another way to log in', async () => {
  const known: LogIn[] = []
  const options = { ...login(known), secure: true, authMethods: ['LOGIN'] }
  const { port, letters } = await office(options as never)
  const passwordFile = join(folder, 'password')
  const server = { host: 'localhost', port, secure: 'tls', ca: keys.cert } as const
  await sendMail({ ...server, user: 'ada', passwordFile }, mail)
  expect(known).toEqual([{ username: 'ada', password: 'gehe1m' }])
  expect(letters).toHaveLength(1)
})

test('a server without starttls gets no mail that needs it, and no password', async () => {
  const { port, letters } = await office()
  const server = { host: '127.0.0.1', port, secure: 'starttls' } as const
  await expect(sendMail(server, mail)).rejects.toThrow('STARTTLS')
  expect(letters).toEqual([])
})

test('a refusal of one recipient is a refusal of the mail', async () => {
  const { port, letters } = await office({
    onRcptTo: ({ address }, _, done) =>
      address.startsWith('bob') ? done(new Error('no such user')) : done(),
  })
  const server = { host: '127.0.0.1', port, secure: 'none' } as const
  await expect(sendMail(server, mail)).rejects.toThrow('no such user')
  expect(letters).toEqual([])
})

test('a server that says nothing, or too much, does not hold anybody up', async () => {
  for (const talk of ['', 'x'.repeat(70_000)]) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(talk)
      if (talk === '') socket.end()
    })
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const sent = sendMail({ host: '127.0.0.1', port, secure: 'none' }, mail)
    await expect(sent).rejects.toThrow(talk === '' ? 'closed' : 'maximum allowed size')
  }
})

test('text that looks like an encoded word is shown as it was approved', async () => {
  const word = `=?utf-8?B?${Buffer.from('Evil').toString('base64')}?=`
  const raw = String(await composeMail({ subject: `x ${word}`, headers: { 'X-Ref': word } }))
  expect(raw).not.toContain(word)
  const encoded = [...raw.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/gi)].map(([, one = '']) => one)
  const shown = encoded.map((one) => Buffer.from(one, 'base64').toString())
  expect(shown.join('')).toBe(`${word}x ${word}`)
})

test('nothing in an address or a subject ends its line', async () => {
  const evil = 'x\r\nBcc: eve@example.org'
  for (const address of [evil, 'a@b>\r\nRCPT TO:<eve@c', 'a b@c', 'a@', '<a@b><c@d>', 'a,b@c']) {
    expect(() => bareAddress(address), address).toThrow()
  }
  expect(bareAddress('Ada <ada@example.org>')).toBe('ada@example.org')
  expect(String(await composeNotification({ ...mail, subject: evil }))).not.toMatch(/^Bcc:/m)
  const id = '>\r\nBcc: eve@example.org'
  expect(String(await composeNotification({ ...mail, id }))).not.toMatch(/^Bcc:/m)
  const from = 'Eve\r\nBcc: x@y.z <a@b.c>'
  await expect(composeNotification({ ...mail, from })).rejects.toThrow()
})

test('an address of any length is read in one go', async () => {
  const read = async (from: string): Promise<string> =>
    /^From: (.*)\r\n/m.exec(String(await composeNotification({ ...mail, from })))?.[1] ?? ''
  expect(await read('Ada <ada@example.org> ')).toBe('Ada <ada@example.org>')
  expect(await read('"Ada, L." <ada@example.org>')).toBe('"Ada, L." <ada@example.org>')
  expect(await read('<ada@example.org>')).toBe('ada@example.org')
  expect(await read('ada@example.org')).toBe('ada@example.org')
  const begun = performance.now()
  for (const many of ['<', '<>', '< ', '<> ', '" ', 'ü']) {
    const long = many.repeat(50_000)
    await expect(read(`${long}x`)).rejects.toThrow()
    await read(`${long.replace(/[<>]/g, '(')} <ada@example.org>`)
  }
  expect(performance.now() - begun).toBeLessThan(20_000)
})
