/** Real programs connect, and are found out. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compileHelper } from '../runner/scratch.contract.ts'
import { openPeerFinder } from './find-peer.ts'

const lookMsMax = 60_000
const helper = compileHelper()
const find = openPeerFinder({ helper: async () => helper, lookMsMax })
const code = `require('node:net').connect(JSON.parse(process.env.TO)).on('error', () => {})`

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peer-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

type Caller = { readonly child: ChildProcess; readonly connection: Socket }

/** A program that connects to where we listen, and stays. */
async function callFrom(
  args: readonly string[],
  at: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<Caller> {
  const server = createServer()
  server.listen(at)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection')
  const to = JSON.stringify('path' in at ? at : { ...at, port })
  const child = spawn(process.execPath, args, { env: { TO: to }, stdio: 'ignore' })
  const [connection] = (await connected) as [Socket]
  onTestFinished(() => {
    connection.destroy()
    child.kill('SIGKILL')
    server.close()
  })
  return { child, connection }
}

const tcp = { host: '127.0.0.1', port: 0 }
const socket = () => ({ path: join(openFolder(), 'door.sock') })
const places = [
  { name: 'TCP', at: () => tcp },
  { name: 'TCP of version 6', at: () => ({ host: '::1', port: 0 }) },
  { name: 'a socket', at: socket },
]

describe.runIf(process.platform === 'linux')('who connects', () => {
  test.each(places)('over $name is told with pid, executable and user', async ({ at }) => {
    const { child, connection } = await callFrom(['-e', code, 'secret'], at())
    expect(await find(connection)).toEqual({
      ...{ uid: process.getuid?.(), pid: child.pid, executable: process.execPath, script: null },
    })
  })

  test('is told with its script, and with no other argument', async () => {
    const script = join(openFolder(), 'odd \u001b[2J name.cjs')
    writeFileSync(script, code)
    const { connection } = await callFrom(['--no-warnings', script, 'secret'], socket())
    expect(await find(connection)).toMatchObject({ script })
  })

  test('is told in a bounded length', async () => {
    const folder = join(openFolder(), ...Array.from({ length: 4 }, () => 'x'.repeat(200)))
    mkdirSync(folder, { recursive: true })
    const script = join(folder, 'script.cjs')
    writeFileSync(script, code)
    const { connection } = await callFrom([script], tcp)
    expect((await find(connection))?.script).toMatch(/^.{400}… \[cut: \d+ characters\]$/)
  })

  test('can still be talked to', async () => {
    const { connection } = await callFrom(['-e', `${code}.pipe(process.stdout)`], socket())
    await find(connection)
    for (let count = 0; count < 200; count += 1) connection.write('x'.repeat(65_536))
    await once(connection, 'drain')
  })

  test('is unknown when the connection is over, the helper fails or time is up', async () => {
    const { connection } = await callFrom(['-e', code], socket())
    const failing = openPeerFinder({ helper: () => Promise.reject(new Error('no compiler')) })
    expect(await failing(connection)).toBeNull()
    const odd = openPeerFinder({ helper: async () => '/bin/true' })
    expect(await odd(connection)).toBeNull()
    const slow = openPeerFinder({ helper: () => new Promise(() => undefined), lookMsMax: 10 })
    expect(await slow(connection)).toBeNull()
    const { child, connection: gone } = await callFrom(['-e', code], tcp)
    const closed = once(gone, 'close')
    child.kill('SIGKILL')
    gone.resume().on('error', () => undefined)
    await closed
    expect(await find(gone)).toBeNull()
  })

  test('is known once the helper is there, which is installed once', async () => {
    const { child, connection } = await callFrom(['-e', code], socket())
    let finish: (path: string) => void = () => undefined
    const installed = new Promise<string>((done) => {
      finish = done
    })
    const begun: string[] = []
    const patient = openPeerFinder({
      lookMsMax,
      helper: () => {
        begun.push('install')
        return begun.length === 1 ? Promise.reject(new Error('no compiler')) : installed
      },
    })
    expect(await patient(connection)).toBeNull()
    expect(await patient(connection)).toBeNull()
    finish(helper)
    expect(await patient(connection)).toMatchObject({ pid: child.pid })
    expect(begun).toHaveLength(2)
  })

  test('is looked for by a few at a time', async () => {
    const { connection } = await callFrom(['-e', code], tcp)
    const found = await Promise.all(Array.from({ length: 20 }, () => find(connection)))
    expect(found.filter((one) => one !== null)).toHaveLength(4)
  })
})
