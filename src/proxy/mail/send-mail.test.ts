import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { Runtime } from '../../runtime/runtime.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { openResendUpstream } from './resend-upstream.ts'
import { openMailSender } from './send-mail.ts'
import { openSentMailLog, type SentMailLog } from './sent-mail.ts'
import type { MailSent, MailUpstream } from './upstream.ts'

const letter = { from: 'a@b.test', to: 'c@d.test', subject: 'Hi', text: 'Hello' }
const request = { runId: 'r', kind: 'one', body: letter, idempotencyKey: 'k' } as const

/** A post whose upstream says this, one after the other. */
function openMailBench(
  upstream: MailUpstream,
  ledger = openSentMailLog(openMemoryStore(), Date.now),
) {
  // WHY the cast: mail asks no more of a runtime than this.
  const runtime = {
    mailRules: async () => [{ from: null, to: null, mailsMax: 5 }],
    calls: { begin: async () => ({ state: 'allowed', callId: 'c' }), end: async () => 'ended' },
  } as unknown as Runtime
  const rest = { askWaitMs: 0, now: Date.now, isShared: false, log: () => undefined }
  return { ledger, post: openMailSender({ runtime, ledger, upstream, ...rest }) }
}

const saying = (knowsKeys: 'keys' | 'no keys', ...said: MailSent[]): MailUpstream => ({
  ...{ name: 'test', knowsKeys: knowsKeys === 'keys' },
  send: async () => said.shift() ?? { kind: 'sent', ids: ['1'] },
})
const later: MailSent = {
  ...{ kind: 'later', refused: { statusCode: 429, name: 'rate_limit_exceeded', message: 'no' } },
}
const unclear: MailSent = { kind: 'unclear', why: 'it was lost' }

test('what a server without keys did not answer is not known, at once and for good', async () => {
  const { ledger, post } = openMailBench(saying('no keys', unclear))
  for (let times = 0; times < 2; times += 1) {
    await expect(post.send(request)).rejects.toThrow('not retried')
  }
  expect([await ledger.listOpen(), await ledger.countOf('r')]).toEqual([[], 1])
})

test('what was certainly not sent by any try counts nothing', async () => {
  const { ledger, post } = openMailBench(saying('keys', later, later, later))
  await expect(post.send(request)).rejects.toThrow('no')
  expect([await ledger.listOpen(), await ledger.countOf('r')]).toEqual([[], 0])
})

test('a try in doubt is not made certain by a no to a later one', async () => {
  const { ledger, post } = openMailBench(saying('keys', unclear, later, later, later, later, later))
  await expect(post.send(request)).rejects.toThrow('still unknown')
  await post.resume()
  expect((await ledger.listOpen()).length).toBe(1)
  await post.resume()
  expect([await ledger.listOpen(), await ledger.countOf('r')]).toEqual([[], 1])
})

/** A ledger that crosses nothing off before it may. */
function openSlow() {
  const ledger = openSentMailLog(openMemoryStore(), Date.now)
  const gate = new EventEmitter()
  const may = once(gate, 'go')
  const settle: SentMailLog['settle'] = async (...told) => {
    await may
    await ledger.settle(...told)
  }
  const go = () => gate.emit('go')
  const fail = (fault: Error) => gate.emit('error', fault)
  return { slow: { ...ledger, settle }, go, fail }
}

test('a mail that was sent is answered before it is crossed off, once for its key', async () => {
  const { slow, go } = openSlow()
  const { ledger, post } = openMailBench(
    saying('keys', { kind: 'sent', ids: ['1'] }, unclear),
    slow,
  )
  expect(await post.send(request)).toEqual({ id: '1' })
  expect((await ledger.listOpen()).length).toBe(1)
  expect(await post.resume()).toBe(0)
  const again = post.send(request)
  go()
  expect(await again).toEqual({ id: '1' })
  expect([await ledger.listOpen(), await ledger.countOf('r')]).toEqual([[], 1])
})

test('a mail that is sent while the post closes is crossed off before it is closed', async () => {
  const { slow, go } = openSlow()
  const provider = new EventEmitter()
  const answered = once(provider, 'answer')
  const upstream: MailUpstream = {
    ...{ name: 'test', knowsKeys: true },
    send: async () => {
      provider.emit('asked')
      await answered
      return { kind: 'sent', ids: ['1'] }
    },
  }
  const { ledger, post } = openMailBench(upstream, slow)
  const asked = once(provider, 'asked')
  const sending = post.send(request)
  await asked
  const closing = post.close()
  provider.emit('answer')
  expect(await sending).toEqual({ id: '1' })
  setTimeout(go, 20)
  await closing
  expect(await ledger.listOpen()).toEqual([])
})

test('what could not be crossed off stays open, and is tried under the same key', async () => {
  const { slow, fail } = openSlow()
  const keys: string[] = []
  const upstream: MailUpstream = {
    ...{ name: 'test', knowsKeys: true },
    send: async ({ key }) => {
      keys.push(key)
      return { kind: 'sent', ids: ['1'] }
    },
  }
  const { ledger, post } = openMailBench(upstream, slow)
  await post.send(request)
  fail(new Error('the disk is full'))
  expect(await post.send(request)).toEqual({ id: '1' })
  expect([(await ledger.listOpen()).length, await ledger.countOf('r')]).toEqual([1, 1])
  expect(new Set(keys).size).toBe(1)
  expect(keys).toHaveLength(2)
})

test('what an upstream without keys has sent is crossed off before it is answered', async () => {
  const { slow, go } = openSlow()
  const { ledger, post } = openMailBench(saying('no keys'), slow)
  const sending = post.send(request)
  setTimeout(go, 20)
  await sending
  expect(await ledger.listOpen()).toEqual([])
})

test('a provider that cannot be reached, or whose key is gone, was sent nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.close()
  const gone = () => {
    throw new Error('no file')
  }
  for (const secret of [() => 'key', gone]) {
    const { ledger, post } = openMailBench(openResendUpstream({ url, secret }))
    await expect(post.send(request)).rejects.toThrow('nothing was sent')
    expect([await ledger.listOpen(), await ledger.countOf('r')]).toEqual([[], 0])
  }
})
