import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type BoxControl, connectBox } from './box-control.ts'

const noProc = 'boxes are found by `/proc/self/fd`, which this machine does not have'
beforeEach(({ skip }) => skip(!existsSync('/proc/self/fd'), noProc))

/** WHY a short one: the path of a socket has at most 107 bytes. */
const scratch = '/tmp'

/** A line to somebody who sends these texts, one for each request. */
async function lineTo(replies: readonly string[]): Promise<BoxControl> {
  const folder = mkdtempSync(join(scratch, 'pawl-control-'))
  const left = [...replies]
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(left.shift() ?? ''))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(join(folder, 'control'), resolve))
  const control = await connectBox(folder, { onAgain: () => undefined, onEnd: () => undefined })
  onTestFinished(() => {
    control?.close()
    server.close()
    rmSync(folder, { recursive: true })
  })
  if (control === null) throw new Error('nobody listens')
  return control
}

test('each request has the reply to it, also if they are sent at once', async () => {
  const line = await lineTo(['ok\n\n', 'busy 3\n7\tsh\t/w/a\n\n', 'ok read\n\n', 'fault no\n\n'])
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((word) => line.ask([word])))
  expect(answers).toEqual([
    { kind: 'ok' },
    { kind: 'busy', holders: ['7\tsh\t/w/a'], foundMs: 3 },
    { kind: 'ok' },
    { kind: 'fault', why: 'no' },
  ])
})

test.for([
  ['a second reply', 'busy 3\n7\tsh\t/w/a\n\nok\n\n'],
  ['a part of one', 'busy 3\n7\tsh\t/w/a\n\nok'],
  ['an empty line', 'ok\n\n\n'],
])('%s after a reply ends the line, and is the reply to nothing', async ([, reply = '']) => {
  const line = await lineTo([reply, 'ok\n\n'])
  expect(await line.ask(['mode', 'read'])).toMatchObject({ kind: 'fault' })
  expect(await line.ask(['mode', 'read'])).toMatchObject({ kind: 'fault' })
})

test('only the word itself means that it is done', async () => {
  expect(await (await lineTo(['okay\n\n'])).ask(['tell'])).toMatchObject({ kind: 'fault' })
})

/** A box whose helper answers nothing until it is told to, and what its daemon notes of it. */
async function openStuckBox() {
  const folder = mkdtempSync(join(scratch, 'pawl-control-'))
  const noted: string[] = []
  const callers: Socket[] = []
  const state = { isStuck: true }
  const server = createServer((socket) => {
    callers.push(socket)
    socket.on('data', () => (state.isStuck ? undefined : socket.write('ok\n\n')))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(join(folder, 'control'), resolve))
  const events = { onAgain: () => noted.push('again'), onEnd: () => noted.push('end') }
  const control = await connectBox(folder, events, { answerMs: 50, retryMs: 10 })
  const end = (): void => {
    for (const socket of callers) socket.destroy()
    server.close()
  }
  onTestFinished(() => {
    control?.close()
    end()
    rmSync(folder, { recursive: true })
  })
  if (control === null) throw new Error('nobody listens')
  return { noted, state, control, end }
}

test('a box that does not answer in time is not over, and is found again', async () => {
  const { noted, state, control } = await openStuckBox()
  expect(await control.ask(['mode', 'read'])).toMatchObject({ kind: 'fault' })
  await expect.poll(() => noted).toEqual(['again'])
  state.isStuck = false
  expect(await control.ask(['mode', 'read'])).toEqual({ kind: 'ok' })
})

test('a box to which nobody listens any more is over', async () => {
  const { noted, control, end } = await openStuckBox()
  end()
  await expect.poll(() => noted).toEqual(['end'])
  expect(await control.ask(['tell'])).toMatchObject({ kind: 'fault' })
})
