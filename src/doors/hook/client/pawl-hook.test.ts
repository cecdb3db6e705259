/** What only the client in C does: read its settings, and hand over to Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  compiler,
  type HookClientBench,
  listen,
  openPlace,
  type ProcessResult,
  token,
} from './client.contract.ts'

const ok = 'PAWL 1 0 2 0\nok'

function expectBlocked({ code, out, err }: ProcessResult, why: RegExp): void {
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^Pawl: blocked: [^\n]+\n$/)
  expect(err).toMatch(why)
}

/** In place of Node: tells how it was started. */
function putNode({ folder }: HookClientBench, script: string): void {
  writeFileSync(join(folder, 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o700 })
}

describe.runIf(compiler !== undefined)('the client in C', () => {
  test('becomes the Node client where no daemon listens, with the payload untouched', async () => {
    const place = openPlace()
    putNode(place, 'printf "%s|" "$@"; cat; exit 2')
    const asked = { workspace: '/a b', payload: '{"x": 1}\n', runId: 'r_1' }
    const gone = await place.ask('c', asked)
    expect(gone).toEqual({ code: 2, out: '/prog|hook|claude|/a b|{"x": 1}\n', err: '' })
    // What a killed daemon leaves: a socket that nobody listens at.
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(`${place.socket}.x`, resolve))
    linkSync(`${place.socket}.x`, place.socket)
    await new Promise((resolve) => server.close(resolve))
    expect(await place.ask('c')).toMatchObject({ code: 2, out: '/prog|hook|claude|{}' })
    expect(await place.ask('c', { payload: 'x'.repeat(3_000_000) })).toMatchObject({ code: 2 })
  })

  test('becomes the Node client, with the payload, where a daemon ends unanswered', async () => {
    const payload = `{"x":"${'long '.repeat(500_000)}"}`
    for (const said of ['', '~\n', '~\n~']) {
      const place = openPlace()
      putNode(place, 'cat')
      await listen(place, (socket) => {
        socket.write(said, () => socket.destroy())
      })
      expect(await place.ask('c', { payload }), said).toEqual({ code: 0, out: payload, err: '' })
      // Nothing of it stays behind.
      expect(readdirSync(place.folder).toSorted()).toEqual([...['bin', 'hook.sock', 'node']])
    }
  })

  test('starts Node in the data directory, without what could change Node', async () => {
    const place = openPlace()
    putNode(place, '/usr/bin/env')
    const unwanted = [
      'NODE_OPTIONS',
      'NODE_PATH',
      'NODE_X',
      'LD_AUDIT',
      'LD_LIBRARY_PATH',
      'DYLD_X',
    ]
    const env = Object.fromEntries(unwanted.map((name) => [name, '/nowhere']))
    const more = { A: '1', NODEX: '2', PAWL_HOME: '/elsewhere', PAWL_RUN: 'r_1' }
    const { out } = await place.ask('c', { env: { ...env, ...more } })
    const lines = out.split('\n').filter((line) => /^(NODE|LD_|DYLD_|A=|PAWL_|PATH)/.test(line))
    const wanted = ['A=1', 'NODEX=2', 'PATH=/usr/bin:/bin', `PAWL_HOME=${place.folder}`]
    expect(lines.toSorted()).toEqual([...wanted, 'PAWL_RUN=r_1'])
  })

  test('blocks when there is neither a daemon nor Node', async () => {
    expectBlocked(await openPlace().ask('c'), /Node could not be started: No such file/)
  })

  test.runIf(existsSync('/usr/bin/perl'))(
    'gives Node no more time than it has itself',
    async () => {
      const place = openPlace()
      // The time that is left until the alarm shows in what the next program inherits.
      putNode(place, "exec /usr/bin/perl -e 'print alarm(0)'")
      const { out } = await place.ask('c')
      expect(Number(out)).toBeGreaterThan(50)
      expect(Number(out)).toBeLessThanOrEqual(57)
    },
  )

  test('blocks without whole settings of its own', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end(ok))
    const conf = join(place.bin, 'hook.conf')
    const text = readFileSync(conf, 'utf8')
    expect(await place.ask('c')).toMatchObject({ code: 0, out: 'ok' })
    for (const name of ['socket', 'secrets', 'node', 'program', 'home']) {
      writeFileSync(conf, text.replace(new RegExp(`^${name} .*\n`, 'm'), ''))
      expectBlocked(await place.ask('c'), /hook\.conf is damaged/)
      writeFileSync(conf, text.replace(new RegExp(`^${name} .*\n`, 'm'), `${name} relative\n`))
      expectBlocked(await place.ask('c'), /hook\.conf is damaged/)
    }
    writeFileSync(conf, `${text}\0`)
    expectBlocked(await place.ask('c'), /damaged/)
    writeFileSync(conf, `${text}${'#'.repeat(20_000)}`)
    expectBlocked(await place.ask('c'), /damaged/)
    writeFileSync(conf, text.replace(/^socket .*/m, `socket /${'x'.repeat(200)}`))
    expectBlocked(await place.ask('c'), /too long/)
    writeFileSync(conf, text)
    chmodSync(conf, 0o622)
    expectBlocked(await place.ask('c'), /other users can change it/)
    rmSync(conf)
    expectBlocked(await place.ask('c'), /hook\.conf: No such file/)
  })

  test('blocks without a secret for its folder that can be sent', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end(ok))
    const path = join(place.bin, 'hook.secrets')
    const wrong = ['', '\n', '-', '- \n', '/ x\n', '-- x\n', ` - ${token}\n`, 'user: x\n']
    for (const text of [...wrong, `- ${'x'.repeat(300)}\n`]) {
      writeFileSync(path, text)
      expectBlocked(await place.ask('c'), /no secret; run `pawl init`/)
    }
    for (const text of ['- a b\n', '- é\n', `- ${token}\0\n`, 'x'.repeat(300_000)]) {
      writeFileSync(path, text)
      expectBlocked(await place.ask('c'), /damaged/)
    }
    rmSync(path)
    expectBlocked(await place.ask('c'), /hook\.secrets: No such file/)
  })

  test('blocks when it is called in another way', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end(ok))
    const wrong = [
      [],
      ['claude', '/w', 'x'],
      ['claude', ''],
      ['claude', 'w'],
      ['claude', '-'],
      [''],
    ]
    for (const args of wrong) expectBlocked(await place.ask('c', { args }), /usage: pawl-hook HOST/)
  })

  test('blocks with words when it is told to end', async () => {
    const place = openPlace()
    const { heard } = await listen(place, () => undefined)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGALRM'] as const) {
      const before = heard.length
      const child = spawn(join(place.bin, 'pawl-hook'), ['claude'])
      let err = ''
      child.stderr.on('data', (bytes) => {
        err += bytes
      })
      child.stdin.end('{}')
      await expect.poll(() => heard.length).toBe(before + 1)
      child.kill(signal)
      expect([await once(child, 'close'), err]).toEqual([[2, null], expect.stringMatching(/^Pawl/)])
    }
  })

  test('blocks without an input, and when it can not print', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end(ok))
    const path = join(place.bin, 'pawl-hook')
    const endOf = async (line: string): Promise<ProcessResult> => {
      const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] })
      let [out, err] = ['', '']
      child.stdout.on('data', (bytes) => {
        out += bytes
      })
      child.stderr.on('data', (bytes) => {
        err += bytes
      })
      const [code] = await once(child, 'close')
      return { code, out, err }
    }
    expect(await endOf(`'${path}' claude`)).toMatchObject({ code: 0, out: 'ok' })
    expectBlocked(await endOf(`'${path}' claude <&-`), /without stdin, stdout and stderr/)
    expectBlocked(await endOf(`'${path}' claude >&-`), /without stdin, stdout and stderr/)
    expect(await endOf(`'${path}' claude 2>&-`)).toMatchObject({ code: 2, out: '' })
    // A disk that is full, as Linux plays it.
    if (existsSync('/dev/full')) {
      expectBlocked(await endOf(`'${path}' claude >/dev/full`), /could not be printed/)
    }
    expectBlocked(await endOf(`cd '${place.bin}' && PATH=. pawl-hook claude`), /absolute path/)
  })

  test('a host that does not end its payload is not waited for', async () => {
    const place = openPlace('short')
    await listen(place, (socket) => socket.end(ok))
    const child = spawn(join(place.bin, 'pawl-hook'), ['claude'])
    child.stdin.write('{')
    const [code] = await once(child, 'close')
    expect(code).toBe(2)
  })

  test('a replaced client does not disturb one that runs', async () => {
    const place = openPlace()
    const { heard } = await listen(place, (socket) => {
      setTimeout(() => socket.end(ok), 300)
    })
    const ended = place.ask('c')
    await expect.poll(() => heard.length).toBe(1)
    const path = join(place.bin, 'pawl-hook')
    writeFileSync(`${path}.new`, '')
    renameSync(`${path}.new`, path)
    expect(await ended).toEqual({ code: 0, out: 'ok', err: '' })
  })
})
