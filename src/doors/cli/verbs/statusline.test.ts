import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { folderOf, runIn } from '../fake-io.contract.ts'
import type { DaemonDoor } from '../remote/daemon-door.ts'

const input = (text: string): NodeJS.ReadableStream => Readable.from([text])

test('without a daemon it says so, and starts none', async () => {
  let startsCount = 0
  const daemon = {
    find: () => null,
    ensure: async () => {
      startsCount += 1
    },
  } as unknown as DaemonDoor
  const said = await runIn(folderOf({}), ['statusline'], { daemon, input: input('{}') })
  expect(said).toEqual({ code: 0, out: 'pawl: no daemon\n', err: '' })
  expect(startsCount).toBe(0)
})

test.each(['', 'no json', '[]', '{"workspace":7}'])(
  'whatever it is told (%j), it says something',
  async (text) => {
    const daemon = {
      find: () => ({ pid: 1, version: '0', http: null }),
      socket: '/nowhere/daemon.sock',
      token: () => 'x',
    } as unknown as DaemonDoor
    const said = await runIn(folderOf({}), ['statusline'], { daemon, input: input(text) })
    expect(said).toEqual({ code: 0, out: 'pawl: no answer\n', err: '' })
  },
)
