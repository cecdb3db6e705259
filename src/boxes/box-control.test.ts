import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BoxControl, connectBox } from './box-control.ts'

/** A line to somebody who sends these texts, one for each request. */
async function lineTo(replies: readonly string[]): Promise<BoxControl> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-control-'))
  const left = [...replies]
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(left.shift() ?? ''))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(join(folder, 'control'), resolve))
  const control = await connectBox(folder, () => undefined)
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
