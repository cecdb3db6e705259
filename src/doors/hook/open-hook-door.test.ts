import { linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { AnswerHook, HookOutput, HookRequestBody } from '../api/hook-exchange.ts'
import { answerBytesMax, parseAnswer, printHeader } from './hook-wire.ts'
import { type HookDoor, type HookLimits, openHookDoor } from './open-hook-door.ts'

const token = 'the-token'
const allow: HookOutput = { exit: 0, stdout: '{"ok":true}', stderr: '' }

type DoorBench = {
  readonly door: HookDoor
  readonly questions: readonly HookRequestBody[]
  readonly faults: readonly unknown[]
}

async function open(limits: Partial<HookLimits> = {}, answer?: AnswerHook): Promise<DoorBench> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-hook-'))
  const questions: HookRequestBody[] = []
  const faults: unknown[] = []
  const door = await openHookDoor({
    path: join(folder, 'hook.sock'),
    authenticate: (header) => header.token === token,
    answer: async (question) => {
      questions.push(question)
      return answer === undefined ? allow : answer(question)
    },
    limits: { closeMs: 50, ...limits },
    onFault: (fault) => faults.push(fault),
  })
  onTestFinished(async () => {
    await door.close()
    rmSync(folder, { recursive: true })
  })
  return { door, questions, faults }
}

function dial({ door }: DoorBench): Socket {
  const socket = createConnection({ path: door.path, allowHalfOpen: true })
  // Cut off while speaking, what was heard until then counts.
  socket.on('error', () => socket.destroy())
  onTestFinished(() => void socket.destroy())
  return socket
}

/** All that is heard until the other side closes. */
function hear(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = []
  return new Promise((resolve) => {
    socket.on('data', (bytes) => pieces.push(bytes))
    socket.on('end', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(pieces)))
  })
}

function say(opened: DoorBench, words: string | Buffer): Promise<Buffer> {
  const socket = dial(opened)
  socket.end(words)
  return hear(socket)
}

const header = printHeader({ token, host: 'claude', workspace: '/w', runId: null })

test('a question reaches the context as it was sent, and the answer comes back', async () => {
  const opened = await open()
  const workspace = '/home/dev/a b/é%25\n'
  const words = printHeader({ token, host: 'codex', workspace, runId: 'r_1' })
  const payload = '{"a": "line\n~\nPAWL 1 0 0 0\n ü"}\n'
  expect(parseAnswer(await say(opened, words + payload))).toEqual(allow)
  expect(parseAnswer(await say(opened, header))).toEqual(allow)
  expect(opened.questions).toEqual([
    { host: 'codex', payload, workspace, runId: 'r_1' },
    { host: 'claude', payload: '', workspace: '/w', runId: null },
  ])
})

test('a question may come in pieces of any size', async () => {
  const opened = await open()
  const words = Buffer.from(`${header}{"text":"ümlaut\n"}`)
  for (const size of [1, 2, 3, 7]) {
    const socket = dial(opened)
    const heard = hear(socket)
    for (let begin = 0; begin < words.length; begin += size) {
      socket.write(words.subarray(begin, begin + size))
      await new Promise(setImmediate)
    }
    socket.end()
    expect(parseAnswer(await heard)).toEqual(allow)
  }
  expect(new Set(opened.questions.map((one) => one.payload))).toEqual(
    new Set(['{"text":"ümlaut\n"}']),
  )
})

async function expectRefused(
  opened: DoorBench,
  words: string | Buffer,
  why: RegExp,
): Promise<void> {
  const output = parseAnswer(await say(opened, words))
  expect(output, JSON.stringify(words.toString().slice(0, 80))).toMatchObject({ exit: 2 })
  expect(output?.stderr).toMatch(why)
  expect(opened.questions).toEqual([])
}

test('what is not of the form is refused with words', async () => {
  const opened = await open()
  const wrong = [
    ...['', '\n', '{}', 'GET / HTTP/1.1\r\n\r\n', header.trimEnd(), header.replace(' 1 ', ' 2 ')],
    ...[`PAWL-HOOK 1 ${token} claude /w\n`, `PAWL-HOOK 1 ${token} claude - - -\n`],
    ...[`PAWL-HOOK 1 ${token} Claude - -\n`, `PAWL-HOOK 1 ${token} ../x - -\n`],
    ...[`PAWL-HOOK 1 ${token} claude %FF -\n`, `PAWL-HOOK 1 ${token} claude % -\n`],
    ...[`PAWL-HOOK 1 ${token} claude - -\r\n`, `PAWL-HOOK 1 ${token} claude ü -\n`],
  ]
  for (const words of wrong) await expectRefused(opened, words, /are not compatible/)
})

test('a wrong secret is refused before the payload is read', async () => {
  const opened = await open()
  const words = printHeader({ token: 'x', host: 'claude', workspace: null, runId: null })
  await expectRefused(opened, `${words}{}`, /no valid secret .* `pawl init`/)
  const socket = dial(opened)
  const heard = hear(socket)
  // Never ends what it says.
  socket.write(words)
  expect(parseAnswer(await heard)).toMatchObject({ exit: 2 })
})

test('what is too long is refused with words, even while it is still being sent', async () => {
  const opened = await open({ payloadBytesMax: 100_000 })
  await expectRefused(opened, 'x'.repeat(3_000_000), /are not compatible/)
  await expectRefused(opened, header.replace('%2Fw', 'w'.repeat(9_000)), /are not compatible/)
  await expectRefused(opened, header + 'x'.repeat(100_001), /more than 100000 bytes/)
  await expectRefused(opened, header + 'x'.repeat(5_000_000), /more than 100000 bytes/)
  expect(parseAnswer(await say(opened, header + 'x'.repeat(100_000)))).toEqual(allow)
})

test('a payload that is no text is refused', async () => {
  const words = Buffer.concat([Buffer.from(header), Buffer.from([0x22, 0xff, 0xfe, 0x22])])
  await expectRefused(await open(), words, /UTF-8/)
})

test('a question that does not arrive in time is refused', async () => {
  const opened = await open({ askMs: 50 })
  const socket = dial(opened)
  const heard = hear(socket)
  socket.write(header)
  expect(parseAnswer(await heard)?.stderr).toMatch(/in time/)
})

test('beats come while the answer is still to come, and none behind it', async () => {
  const opened = await open({ beatMs: 20 }, async () => {
    await sleep(400)
    return allow
  })
  const heard = await say(opened, header)
  expect(heard.toString()).toMatch(/^(~\n){3,}PAWL 1 0 11 0\n\{"ok":true\}$/)
  expect(parseAnswer(heard)).toEqual(allow)
})

test('an answer that takes too long is a refusal before the client loses patience', async () => {
  const opened = await open({ answerMs: 50 }, () => new Promise(() => undefined))
  expect(parseAnswer(await say(opened, header))?.stderr).toMatch(/no decision in time/)
})

test('a bug of the context is a refusal, and told', async () => {
  const opened = await open({}, () => Promise.reject(new Error('bug')))
  expect(parseAnswer(await say(opened, header))).toMatchObject({ exit: 2 })
  expect(opened.faults).toEqual([new Error('bug')])
})

test('a refusal has words and no standard output, whatever the context gives', async () => {
  const outputs: HookOutput[] = [
    { exit: 2, stdout: '{"decision":"allow"}', stderr: 'no' },
    { exit: 2, stdout: '', stderr: '' },
    { exit: 2, stdout: '', stderr: ' \n' },
    { exit: 7 as 2, stdout: 'x', stderr: '' },
    { exit: 0, stdout: 'x'.repeat(answerBytesMax), stderr: 'y' },
  ]
  for (const output of outputs) {
    const heard = parseAnswer(await say(await open({}, async () => output), header))
    expect(heard).toMatchObject({ exit: 2, stdout: '' })
    expect(heard?.stderr.trim()).not.toBe('')
  }
  const long = { exit: 0, stdout: 'x'.repeat(answerBytesMax), stderr: '' } as const
  expect(parseAnswer(await say(await open({}, async () => long), header))).toEqual(long)
})

test('beyond the limit of connections there are words, and others are served', async () => {
  const opened = await open({ connectionsMax: 3 })
  const first = [dial(opened), dial(opened), dial(opened)]
  await expect.poll(() => opened.door.connectionsCount()).toBe(3)
  expect(parseAnswer(await say(opened, header))?.stderr).toMatch(/too many/)
  const heard = first.map(hear)
  for (const socket of first) socket.end(header)
  for (const one of heard) expect(parseAnswer(await one)).toEqual(allow)
  await expect.poll(() => opened.door.connectionsCount()).toBe(0)
  expect(parseAnswer(await say(opened, header))).toEqual(allow)
})

test('a client that vanishes leaves nothing behind', async () => {
  const opened = await open({ beatMs: 10 }, () => new Promise(() => undefined))
  for (const words of ['', header, null]) {
    const socket = dial(opened)
    if (words === null) socket.end(header)
    else socket.write(words)
    await expect.poll(() => opened.door.connectionsCount()).toBe(1)
    socket.destroy()
    await expect.poll(() => opened.door.connectionsCount()).toBe(0)
  }
})

test('closing waits for what is being decided and refuses the rest with words', async () => {
  const opened = await open({ closeMs: 100 }, async ({ host }) => {
    if (host === 'gemini') await new Promise(() => undefined)
    await sleep(30)
    return allow
  })
  const asking = dial(opened)
  const heard = [hear(asking), say(opened, header), say(opened, header.replace('claude', 'gemini'))]
  await expect.poll(() => opened.questions.length).toBe(2)
  await opened.door.close()
  const outputs = (await Promise.all(heard)).map(parseAnswer)
  expect(outputs[1]).toEqual(allow)
  expect(outputs[0]?.stderr).toMatch(/is stopping/)
  expect(outputs[2]?.stderr).toMatch(/is stopping/)
})

test('only this user can reach the socket; a dead one is replaced, a live one is not', async () => {
  const { door } = await open()
  expect(statSync(door.path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(door.path)).mode & 0o777).toBe(0o700)
  const options = { answer: async () => allow, authenticate: () => true, path: door.path }
  await expect(openHookDoor(options)).rejects.toMatchObject({ code: 'DAEMON_RUNNING' })
  const path = join(dirname(door.path), 'left.sock')
  const dead = createServer()
  await new Promise<void>((resolve) => dead.listen(path, resolve))
  // As a killed daemon leaves it: the file without a listener.
  linkSync(path, `${path}.kept`)
  await new Promise((resolve) => dead.close(resolve))
  const again = await openHookDoor({ ...options, path: `${path}.kept` })
  await again.close()
})

test('whatever is sent, the answer is one of the form, and the door stays open', async () => {
  const opened = await open({ payloadBytesMax: 200 })
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.constantFrom(header, 'PAWL-HOOK 1 ', `${token} `, 'claude ', '- ', '\n').map(Buffer.from),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const heard = parseAnswer(await say(opened, Buffer.concat(pieces)))
      expect(heard).not.toBeNull()
      if (heard?.exit === 2) expect(heard.stderr).toMatch(/^Pawl: blocked: /)
    }),
    { numRuns: 300 },
  )
  expect(parseAnswer(await say(opened, header))).toEqual(allow)
})
