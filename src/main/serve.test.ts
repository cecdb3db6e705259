/** The daemon as a process: one per data directory, clean, ended well, and back after a kill. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openClient } from '../client/open-client.ts'
import {
  type House,
  isOurNode,
  openHouse,
  type Process,
  release,
  until,
} from './daemon.contract.ts'

let house: House
beforeEach(() => {
  house = openHouse()
})
afterEach(() => house.close())

/** Starts a daemon and waits until it serves. */
async function serving(args: string[] = [], more = {}): Promise<Process> {
  const daemon = house.start(['serve', ...args], more)
  await until(() => typeof house.note()?.http === 'string', `a daemon: ${daemon.said()}`)
  return daemon
}

// WHY so long: a start takes a second of work, and a machine may be busy with other tests.
describe.runIf(isOurNode)('one daemon', () => {
  test('of two daemons started at once, one lives, and the other names it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const pair = [house.start(['serve']), house.start(['serve'])] as const
      const loser = await Promise.race(pair.map((one) => one.ended.then((said) => ({ one, said }))))
      const winner = pair.find((one) => one !== loser.one) as Process
      expect(loser.said.code, loser.said.err).toBe(2)
      expect(loser.said.err).toContain(
        `is already running for \`${house.folder}\` (pid ${winner.pid})`,
      )
      expect(winner.child.exitCode).toBeNull()
      winner.child.kill('SIGKILL')
      await winner.ended
    }
  })

  test('it says where it serves, is closed to others, and ends well when told to', async () => {
    const daemon = await serving()
    const note = house.note()
    expect(note?.pid).toBe(daemon.pid)
    expect(note?.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await until(() => daemon.said().includes(note?.http ?? '-'), 'the address on its output')
    for (const name of readdirSync(house.folder)) {
      expect(statSync(join(house.folder, name)).mode & 0o077, name).toBe(0)
    }
    expect(statSync(house.folder).mode & 0o777).toBe(0o700)
    const { runId } = await startRun()
    const waiting = house.cli('wait', runId, '--timeout', '60')
    await untilWaiting()
    daemon.child.kill('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0, signal: null })
    expect(existsSync(join(house.folder, 'daemon.json'))).toBe(false)
    expect(existsSync(join(house.folder, 'daemon.sock'))).toBe(false)
    expect(house.log()).toContain('the daemon has stopped"')
    expect((await waiting).code).toBe(2)
  })

  test('nothing of the environment is left that could be a secret', async () => {
    const env = { AWS_SECRET_ACCESS_KEY: 'hunter2', NODE_OPTIONS: '--no-warnings', LC_ALL: 'C' }
    const daemon = await serving([], { env })
    expect(house.note()?.pid).toBe(daemon.pid)
    const environ = readFileSync(`/proc/${daemon.pid}/environ`, 'utf8').split('\0')
    const names = environ.map((line) => line.split('=')[0])
    expect(environ.join('\n')).not.toContain('hunter2')
    expect(names).not.toContain('NODE_OPTIONS')
    expect(names).toContain('PAWL_HOME')
    expect(names).toContain('LC_ALL')
  })

  test('log lines go to the standard output as JSON where that is wanted', async () => {
    const daemon = await serving(['--json'])
    await until(() => daemon.said().includes('\n'), 'a line')
    const line = JSON.parse(daemon.said().split('\n')[0] ?? '')
    expect(line).toMatchObject({ level: 'info', message: 'the daemon is running', pid: daemon.pid })
    daemon.child.kill('SIGINT')
    expect((await daemon.ended).code).toBe(0)
  })

  test('over HTTP a person can end it, and an agent or nobody cannot', async () => {
    const daemon = await serving()
    const url = house.note()?.http ?? ''
    const tokenOf = (role: string) => readFileSync(join(house.folder, `${role}.token`), 'utf8')
    const stop = (token: string) => openClient({ url, token: token.trim() }).stop()
    await expect(stop('x'.repeat(43))).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
    await expect(stop(tokenOf('agent'))).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
    expect(await stop(tokenOf('person'))).toEqual({ stopping: true })
    expect((await daemon.ended).code).toBe(0)
  })

  test('the port can be named, and one that is taken is told', async () => {
    await serving()
    const { port } = new URL(house.note()?.http ?? '')
    const other = openHouse()
    const second = other.start(['serve', '--port', port])
    const said = await second.ended
    expect(said.code).toBe(2)
    expect(said.err).toContain(port)
    expect(other.note()).toBeNull()
    await other.close()
  })

  test('what nobody foresaw is logged, ends it with 1, and the next one goes on', async () => {
    mkdirSync(house.folder, { mode: 0o700 })
    const lie = join(house.workspace, 'lie.mjs')
    const note = JSON.stringify(join(house.folder, 'daemon.json'))
    const fall = `import { existsSync, readFileSync } from 'node:fs'
      setInterval(() => {
        const isUp = existsSync(${note}) && readFileSync(${note}, 'utf8').includes('http://')
        if (isUp) throw new Error('the floor is gone')
      }, 20)`
    writeFileSync(lie, fall)
    const daemon = house.start(['serve'], { nodeArgs: ['--import', lie] })
    const { code, err } = await daemon.ended
    expect([code, err.includes('the floor is gone')]).toEqual([1, true])
    expect(house.log()).toContain('the floor is gone')
    const status = await house.json('runs')
    expect(status.items).toEqual([])
  })
})

describe.runIf(isOurNode)('a daemon that clients start', () => {
  test('many clients at once end up with the same one', async () => {
    const clients = Array.from({ length: 5 }, () => house.start(['runs', '--json']))
    for (const client of clients) {
      const { code, out, err } = await client.ended
      expect([code, err]).toEqual([0, ''])
      expect(JSON.parse(out)).toEqual({ items: [], next: null })
    }
    const serves = house.log().match(/"the daemon is running"/g)
    expect(serves).toHaveLength(1)
    expect((await house.json('status')).pid).toBe(house.note()?.pid)
  })

  test('after kill -9 the next client starts one that has everything', async () => {
    const { runId } = await startRun()
    const before = await house.json('log', runId, '--anchor')
    const watch = house.start(['watch', runId])
    await until(() => watch.said().includes('plan (start)'), 'the watch')
    const pid = house.note()?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    const after = await house.json('log', runId, '--anchor')
    expect(after).toEqual(before)
    expect(house.note()?.pid).not.toBe(pid)
    const { found } = await house.json('status')
    expect(found.join(' ')).toContain('did not shut down cleanly')
    expect(found.join(' ')).toContain('open runs: 1')
    await house.json('cancel', runId)
    const watched = await watch.ended
    expect(watched.code, watched.err).toBe(0)
    expect(watched.out).toContain('run.cancelled')
    expect(watched.out.match(/run\.started/g)).toHaveLength(1)
  })

  test('a client does not start one where that is not wanted', async () => {
    await house.close()
    house = openHouse({ PAWL_NO_AUTOSTART: '1' })
    const { code, err } = await house.cli('runs')
    expect(code).toBe(2)
    expect(err).toContain('pawl serve')
    expect(await house.cli('status')).toMatchObject({ code: 1 })
    const out = `no daemon was running for ${house.folder}\n`
    expect(await house.cli('stop')).toMatchObject({ code: 0, out })
  })

  test('a configuration that is wrong is told by whoever wanted the daemon', async () => {
    mkdirSync(house.folder, { mode: 0o700 })
    writeFileSync(join(house.folder, 'config.json'), '{ "prot": 1 }')
    const { code, err } = await house.cli('runs')
    expect(code).toBe(2)
    expect(err).toContain('the daemon did not start: unknown field `prot`')
    expect(err).toContain('`port`')
    const foreground = await house.start(['serve']).ended
    expect(foreground.code).toBe(2)
    expect(foreground.err).toContain('`port`')
  })

  test('a daemon of another version is told', async () => {
    await house.json('runs')
    const path = join(house.folder, 'daemon.json')
    writeFileSync(path, JSON.stringify({ ...house.note(), version: '0.0.1' }))
    const { code, err } = await house.cli('runs')
    expect(code).toBe(0)
    expect(err).toContain('version 0.0.1')
    expect(err).toContain('`pawl stop`')
  })

  test('a data directory with a long name is served all the same', async () => {
    await house.close()
    house = openHouse()
    const long = join(house.folder, 'x'.repeat(120))
    const { code, out, err } = await house.start(['status', '--json'], {
      env: { PAWL_HOME: long },
    }).ended
    expect([code, err]).toEqual([1, ''])
    const { socket } = JSON.parse(out)
    expect(socket).toMatch(/^\/tmp\/pawl-\d+\/[0-9a-f]{16}\.sock$/)
    const listed = await house.start(['runs', '--json'], { env: { PAWL_HOME: long } }).ended
    expect([listed.code, listed.err]).toEqual([0, ''])
    const stopped = await house.start(['stop'], { env: { PAWL_HOME: long } }).ended
    expect(stopped.out).toContain(`stopped the daemon of ${house.folder}`)
  })
})

async function untilWaiting(): Promise<void> {
  for (let tries = 0; (await house.json('status')).waitersCount === 0; tries += 1) {
    if (tries > 200) throw new Error('nobody waits')
  }
}

async function startRun(): Promise<{ runId: string }> {
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  return house.json('start', 'release.json')
}
