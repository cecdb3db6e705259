/** Another program takes a socket of the daemon: status and doctor say that calls are not held. */
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type House,
  installHooksIn,
  isOurNode,
  openHouse,
  type Process,
  until,
} from './daemon.contract.ts'

describe.runIf(isOurNode)('a socket that another program takes', { timeout: 120_000 }, () => {
  let house: House
  let daemon: Process
  beforeEach(async () => {
    house = openHouse()
    installHooksIn(house)
    daemon = house.start(['serve'])
    await until(() => typeof house.note()?.http === 'string', `a daemon: ${daemon.said()}`)
  }, 120_000)
  afterEach(() => house.close())

  /** Takes a socket, and agrees with everything that is said there. */
  async function take(name: string): Promise<Server> {
    const path = join(house.folder, name)
    rmSync(path, { force: true })
    const server = createServer((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write('{"id":1,"ok":true}\n'))
    })
    await new Promise<void>((done) => server.listen(path, done))
    onTestFinished(() => void server.close())
    return server
  }

  const verbs = ['status', 'doctor'] as const

  async function say(verb: string): Promise<string> {
    const { out } = await house.start([verb]).ended
    expect(out).toContain(house.folder)
    return out.replaceAll(/\s+/g, ' ')
  }

  test('is told of while the daemon runs', async () => {
    const names = ['daemon.sock', 'hook.sock']
    expect(await say('status')).not.toContain('replaced')
    for (const name of names) await take(name)
    for (const verb of verbs) {
      const told = await say(verb)
      for (const name of names) expect(told, verb).toContain(`${name}\` was replaced`)
    }
    // WHY: what answers on the socket now would not end it.
    process.kill(daemon.pid)
    await daemon.ended
  })

  test('is told of when the daemon was killed, and nothing when nobody answers', async () => {
    daemon.child.kill('SIGKILL')
    await daemon.ended
    expect(await say('status')).not.toContain('another program')
    const server = await take('hook.sock')
    for (const verb of verbs) {
      const told = await say(verb)
      expect(told, verb).toContain('another program answers on')
      expect(told, verb).toContain('calls are not held')
    }
    expect(JSON.parse((await house.cli('status', '--json')).out)).toMatchObject({
      running: false,
      found: [expect.stringContaining('hook.sock')],
    })
    await new Promise((done) => server.close(done))
  })
})
