/** The form that each channel gives a message, as the other side gets it. */
import { createHmac } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { sendMessage } from './channels.ts'
import type { Notification } from './message.ts'
import { openPostOffice, type Post, type PostOffice } from './receivers.contract.ts'
import type { Channel } from './settings.ts'

let office: PostOffice
let folder: string

beforeEach(async () => {
  office = await openPostOffice()
  folder = mkdtempSync(join(tmpdir(), 'pawl-channel-'))
  onTestFinished(() => {
    office.close()
    rmSync(folder, { recursive: true, force: true })
  })
})

const machine = { platform: 'linux', env: {} }
const whose = { name: 'c', person: 'ada', shows: 'all' } as const
const message: Notification = {
  id: 'r:e4.0/first/c',
  kind: 'gate',
  at: 1,
  title: 'ship <!channel> & go?',
  text: 'ship?\nDecide here (works once): http://127.0.0.1:1/decide/secret',
  link: 'http://127.0.0.1:1/decide/secret',
  facts: { type: 'approval.requested', approval: { id: 'r:a3' } },
}

function secretFile(secret: string): string {
  const path = join(folder, 'secret')
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
  return path
}

test('a webhook is signed over id, time and body, against changes and replays', async () => {
  const key = Buffer.from('0123456789abcdef')
  const path = secretFile(`whsec_${key.toString('base64')}`)
  const url = `${office.url}/hook`
  const channel: Channel = { type: 'webhook', url, secretFile: path, ...whose }
  await sendMessage(channel, message, machine)
  const { headers, body } = office.posts[0] as Post
  expect(JSON.parse(body)).toMatchObject({ id: message.id, link: message.link, kind: 'gate' })
  const [id, at] = [headers['webhook-id'], headers['webhook-timestamp']]
  expect([id, headers['idempotency-key']]).toEqual([message.id, message.id])
  expect(Math.abs(Number(at) * 1_000 - Date.now())).toBeLessThan(10_000)
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${expected}`)
})

test('whatever is not taken is a fault that tells no address and no secret', async () => {
  const url = `${office.url}/hook?key=s3cret`
  const channel: Channel = { type: 'webhook', url, ...whose }
  for (const status of [302, 400, 500]) {
    office.answer(status)
    const fault = await sendMessage(channel, message, machine).catch((one: Error) => one.message)
    expect(fault).toMatch(/answered \d|could not be posted/)
    expect(fault).not.toContain('s3cret')
  }
  office.close()
  const fault = await sendMessage(channel, message, machine).catch((one: Error) => one.message)
  expect(fault).toMatch(/^it could not be posted: [A-Z_]+$/)
})

test('in Slack nobody can be called by what an agent wrote', async () => {
  await sendMessage({ type: 'slack', url: office.url, ...whose }, message, machine)
  const { text } = JSON.parse(office.posts[0]?.body ?? '{}')
  expect(text).toContain('ship &lt;!channel&gt; &amp; go?')
  expect(text).toContain(message.link)
})

test('a push names its topic, leads to the page, and shows its token', async () => {
  const tokenFile = secretFile('tk_1')
  const channel: Channel = { type: 'ntfy', server: office.url, topic: 'mine', tokenFile, ...whose }
  const long = { ...message, text: 'x'.repeat(10_000) }
  await sendMessage(channel, long, machine)
  const [post] = office.posts
  const body = JSON.parse(post?.body ?? '{}')
  expect(body).toMatchObject({ topic: 'mine', title: message.title, click: message.link })
  expect(body.message.length).toBeLessThan(4_000)
  expect(post?.headers.authorization).toBe('Bearer tk_1')
})

test('the desktop shows the question without a shell and without the link', async () => {
  const program = join(folder, 'notify-send')
  const heard = join(folder, 'heard')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${heard}'\n`)
  chmodSync(program, 0o755)
  const evil = { ...message, title: '--help $(touch x) `id`' }
  const env = { PATH: `${folder}:/bin:/usr/bin` }
  await sendMessage({ type: 'desktop', ...whose }, evil, { platform: 'linux', env })
  const lines = readFileSync(heard, 'utf8').trim().split('\n')
  expect(lines).toEqual(['--app-name=Pawl', '--', evil.title, 'See: pawl approvals (r:a3)'])
  const none = sendMessage({ type: 'desktop', ...whose }, message, { platform: 'linux', env: {} })
  await expect(none).rejects.toThrow('notify-send')
})
