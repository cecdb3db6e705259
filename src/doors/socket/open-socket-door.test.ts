import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import { agentToken, type Daemon, openDaemon, personToken, speak } from '../api/daemon.contract.ts'
import { openSocketDoor } from './open-socket-door.ts'

function line(id: unknown, op: string, more: object = {}): string {
  return `${JSON.stringify({ id, op, token: agentToken, ...more })}\n`
}

async function answers(daemon: Daemon, text: string | Buffer) {
  return (await daemon.speak(text)).map((one) => JSON.parse(one))
}

/** Stays on the line until so many answers are here. */
function listen({ socket: { path } }: Daemon, text: string, count: number): Promise<SocketReply[]> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    let heard = ''
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      const lines = heard.split('\n').slice(0, -1)
      if (lines.length < count) return
      socket.destroy()
      resolve(lines.map((one) => JSON.parse(one)))
    })
    socket.write(text)
  })
}

type SocketReply = { readonly id: number; readonly ok: boolean; readonly output: unknown }

test('a question is answered under its id, and an unknown one is a problem', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const [read] = await answers(daemon, line('a', 'runs.read', { input: { runId } }))
  expect(read).toMatchObject({ id: 'a', ok: true, output: { head: { id: runId } } })
  const asked = ['runs.explode', 'constructor', '__proto__', 'toString', ''].map((op) =>
    line(7, op),
  )
  for (const told of await answers(daemon, asked.join(''))) {
    expect(told).toMatchObject({ id: 7, ok: false, problem: { status: 404 } })
  }
})

test('every question carries its own token', async () => {
  const daemon = await openDaemon()
  const told = await answers(
    daemon,
    line(1, 'status') +
      line(2, 'status', { token: 'wrong' }) +
      line(3, 'status', { token: '' }) +
      line(4, 'stop') +
      line(5, 'health', { token: undefined }) +
      line(6, 'stop', { token: personToken }),
  )
  const byId = new Map(told.map((one) => [one.id, one.ok ? 'ok' : one.problem.code]))
  expect(Object.fromEntries(byId)).toEqual({
    1: 'ok',
    2: 'TOKEN_INVALID',
    3: 'TOKEN_INVALID',
    4: 'NOT_PERMITTED',
    5: 'ok',
    6: 'ok',
  })
})

test('questions on one connection do not wait for each other', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const wait = { runId, after: 2, timeoutMs: 10_000 }
  const told = await listen(
    daemon,
    line(1, 'runs.wait', { input: wait }) +
      line(2, 'status') +
      line(3, 'runs.signal', { input: { runId, name: 'READY' }, commandId: 'c' }),
    3,
  )
  const ids = told.map((one) => one.id)
  expect(ids.toSorted()).toEqual([1, 2, 3])
  expect(ids.indexOf(2)).toBeLessThan(ids.indexOf(1))
})

test('ten thousand questions at once are all answered, once each', async () => {
  const daemon = await openDaemon({ socket: { questionsMax: 16 } })
  const runId = await startRelease(daemon.runtime)
  const count = 10_000
  const text = Array.from({ length: count }, (_, id) => line(id, 'runs.read', { input: { runId } }))
  const told = await answers(daemon, text.join(''))
  expect(new Set(told.map((one) => one.id)).size).toBe(count)
  expect(told).toHaveLength(count)
  expect(told.every((one) => one.ok)).toBe(true)
})

test('garbage gets one line of complaint and an end', async () => {
  const daemon = await openDaemon()
  const after = line(1, 'status')
  const garbage = ['GET / HTTP/1.1\r\n', '[]\n', '7\n', 'null\n', '{}\n', '{"id":1}\n']
  garbage.push('{"id":{},"op":"status"}\n', '{"id":1,"op":"status","token":7}\n')
  garbage.push('{"id":1,"op":"status","commandId":7}\n', '{"id":1,"op":"x","__proto__":{}}\n')
  for (const text of garbage) {
    const told = await answers(daemon, text + after)
    expect(told, text).toHaveLength(1)
    expect(told[0], text).toMatchObject({ id: null, ok: false })
  }
  const bytes = await answers(daemon, Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))
  expect(bytes).toMatchObject([{ id: null, ok: false, problem: { code: 'REQUEST_INVALID' } }])
  expect(await answers(daemon, `\n\n${after}`)).toMatchObject([{ id: 1, ok: true }])
})

test('a line that is too long is refused, with an end of it and without', async () => {
  const daemon = await openDaemon()
  const input = { source: 'x'.repeat(1024 * 1024) }
  const whole = await answers(daemon, line(1, 'check', { input }))
  expect(whole).toMatchObject([{ id: null, problem: { code: 'REQUEST_TOO_LARGE' } }])
  const endless = await answers(daemon, 'x'.repeat(3 * 1024 * 1024))
  expect(endless).toMatchObject([{ id: null, problem: { code: 'REQUEST_TOO_LARGE' } }])
  // A person has shown who they are, and may send a whole run.
  const known = line(1, 'status', { token: personToken })
  const long = line(2, 'check', { token: personToken, input })
  expect(await answers(daemon, known + long)).toMatchObject([
    { id: 1, ok: true },
    { id: 2, ok: true },
  ])
})

test('a caller that closes its side after the question still gets the answer', async () => {
  const daemon = await openDaemon()
  const heard = await new Promise<string>((resolve, reject) => {
    const socket = createConnection({ path: daemon.socket.path, allowHalfOpen: true })
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
    socket.end(line(1, 'status'))
  })
  expect(JSON.parse(heard)).toMatchObject({ id: 1, ok: true })
})

test('a caller that vanishes leaves nothing behind', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const input = { runId, after: 2, timeoutMs: 60_000 }
  const sockets: Socket[] = []
  for (let count = 0; count < 50; count += 1) {
    const socket = createConnection(daemon.socket.path)
    socket.on('error', () => undefined)
    socket.write(line(1, 'runs.wait', { input }) + line(2, 'runs.stream', { input: { runId } }))
    sockets.push(socket)
  }
  await expect.poll(() => daemon.runtime.usage().waitersCount).toBe(100)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => daemon.runtime.usage().waitersCount).toBe(0)
  const numbers = (): string => daemon.api.metrics.print()
  await expect.poll(numbers).toMatch(/^pawl_streams 0$/m)
  await expect.poll(numbers).toMatch(/^pawl_socket_connections 0$/m)
})

test('a caller that does not read is not written to for ever', async () => {
  const daemon = await openDaemon({ socket: { unreadBytesMax: 64 * 1024 } })
  const runId = await startRelease(daemon.runtime)
  const socket = createConnection(daemon.socket.path)
  onTestFinished(() => void socket.destroy())
  socket.pause()
  const question = line(1, 'runs.read', { input: { runId } })
  const count = 5_000
  socket.write(question.repeat(count))
  const done = (): number =>
    Number(/operation="runs.read",[^}]*} (\d+)/.exec(daemon.api.metrics.print())?.[1] ?? 0)
  await expect.poll(done).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const before = done()
  expect(before).toBeLessThan(count)
  let heard = 0
  socket.on('data', (bytes) => {
    heard += bytes.toString().split('\n').length - 1
  })
  socket.resume()
  await expect.poll(() => heard).toBe(count)
})

test('ten thousand connections are bounded, and those that are in go on', async () => {
  const daemon = await openDaemon({ socket: { connectionsMax: 100 } })
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  let closedCount = 0
  const first = createConnection(daemon.socket.path)
  sockets.push(first)
  await new Promise((resolve) => first.once('connect', resolve))
  for (let round = 0; round < 100; round += 1) {
    const opened: Promise<void>[] = []
    for (let count = 0; count < 100; count += 1) {
      const socket = createConnection(daemon.socket.path)
      sockets.push(socket)
      opened.push(
        new Promise((resolve) => {
          const done = (): void => resolve()
          socket.on('connect', done)
          socket.on('error', done)
          socket.on('close', () => {
            closedCount += 1
            done()
          })
        }),
      )
    }
    await Promise.all(opened)
  }
  await expect.poll(() => closedCount).toBe(9_901)
  const answered = new Promise<string>((resolve) =>
    first.once('data', (bytes) => resolve(bytes.toString())),
  )
  first.write(line(1, 'status'))
  expect(JSON.parse(await answered)).toMatchObject({ id: 1, ok: true })
})

test('closing finishes what was begun', async () => {
  const daemon = await openDaemon({ socket: { closeMs: 5_000 } })
  const runId = await startRelease(daemon.runtime)
  const heard = listen(daemon, line(1, 'runs.wait', { input: { runId, after: 2 } }), 1)
  await expect.poll(() => daemon.runtime.usage().waitersCount).toBe(1)
  await daemon.socket.close()
  expect(await heard).toMatchObject([{ id: 1, ok: true, output: { seq: 2 } }])
})

test('only this user can reach the socket, and another folder is refused', async () => {
  const { socket, api } = await openDaemon()
  expect(statSync(socket.path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(socket.path)).mode & 0o777).toBe(0o700)
  const folder = mkdtempSync(join(tmpdir(), 'pawl-socket-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const codeOf = (path: string): Promise<string> =>
    openSocketDoor({ api, path }).then(
      async (door) => {
        await door.close()
        return 'opened'
      },
      (fault) => fault.code,
    )
  expect(await codeOf(join(folder, 'pawl.sock'))).toBe('CONFIG_INVALID')
  chmodSync(folder, 0o700)
  expect(await codeOf(join(folder, 'x'.repeat(120)))).toBe('CONFIG_INVALID')
  writeFileSync(join(folder, 'file'), '')
  expect(await codeOf(join(folder, 'file'))).toBe('CONFIG_INVALID')
  mkdirSync(join(folder, 'more'), { mode: 0o700 })
  expect(await codeOf(join(folder, 'more', 'pawl.sock'))).toBe('opened')
  expect(await codeOf(socket.path)).toBe('DAEMON_RUNNING')
})

test('whatever is sent, the door answers in lines of ours and stays open', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const piece = fc.oneof(
    fc.json({ maxDepth: 3 }).map((text) => `${text}\n`),
    fc.string({ maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc
      .record({
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
        op: fc.constantFrom('runs.check', 'runs.signal', 'runs.stream', 'check', 'judge', 'x'),
        token: fc.constantFrom(agentToken, personToken, '', 'x'),
        input: fc.oneof(
          fc.jsonValue(),
          fc.record({ runId: fc.constant(runId), name: fc.string(), tool: fc.string() }),
        ),
      })
      .map((frame) => `${JSON.stringify(frame)}\n`),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      for (const one of await speak(daemon.socket.path, pieces.join(''))) {
        expect(JSON.parse(one)).toHaveProperty('ok')
      }
    }),
    { numRuns: 200 },
  )
  const [last] = await speak(daemon.socket.path, line(1, 'status'))
  expect(JSON.parse(last ?? '')).toMatchObject({ id: 1, ok: true })
})
