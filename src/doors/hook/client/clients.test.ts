/** Both clients, held to the same rules. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runGit, testRepository } from '../../../runtime/sessions/repository.contract.ts'
import { answerBytesMax, parseAnswer, parseHeader, payloadBytesMax } from '../hook-wire.ts'
import {
  type ClientName,
  compiler,
  listen,
  openPlace,
  type ProcessResult,
  putGuarded,
  silenceMs,
  token,
  totalMs,
} from './client.contract.ts'

const clients: readonly ClientName[] = compiler === undefined ? ['node'] : ['c', 'node']

function expectBlocked({ code, out, err }: ProcessResult, what: string): void {
  expect([code, out], what).toEqual([2, ''])
  expect(err, what).toMatch(/^Pawl: blocked: [^\n]+\n$/)
}

describe.each(clients)('the client in %s', (client) => {
  test('carries the question as it is and prints the answer to the byte', async () => {
    const place = openPlace()
    const stdout = '{"decision":"allow","text":"ü\\n"}\n\0~\n'
    const answer = `PAWL 1 0 ${Buffer.byteLength(stdout)} 4\n${stdout}note`
    const { heard } = await listen(place, (socket) => socket.end(answer))
    const workspace = "/home/dev/a b'%(é)\n漢"
    const payload = '{"x":"\n~\nPAWL 1 0 0 0\n"}'
    const ended = await place.ask(client, { host: 'codex', workspace, runId: 'r 1', payload })
    expect(ended).toEqual({ code: 0, out: stdout, err: 'note' })
    const text = heard[0]?.toString() ?? ''
    const end = text.indexOf('\n')
    const header = { token, host: 'codex', workspace, runId: 'r 1' }
    expect(parseHeader(text.slice(0, end))).toEqual(header)
    expect(text.slice(end + 1)).toBe(payload)
  })

  test('says nothing of a workspace and a run that there are not', async () => {
    const place = openPlace()
    const { heard } = await listen(place, (socket) => socket.end('PAWL 1 0 0 0\n'))
    expect(await place.ask(client, { payload: '' })).toEqual({ code: 0, out: '', err: '' })
    expect(heard[0]?.toString()).toBe(`PAWL-HOOK 1 ${token} claude - -\n`)
  })

  describe('as the hook of a user', () => {
    const answered = 'PAWL 1 0 2 0\nok'

    /** A data directory whose list names a repository with two work trees. */
    function openGuarded() {
      const place = openPlace()
      const repository = testRepository()
      putGuarded(place, repository.main)
      return { ...place, ...repository }
    }

    test('says where it was started, and that it is one', async () => {
      const { main, ...place } = openGuarded()
      const { heard } = await listen(place, (socket) => socket.end(answered))
      expect(await place.ask(client, { user: main })).toEqual({ code: 0, out: 'ok', err: '' })
      const [line = ''] = (heard[0]?.toString() ?? '').split('\n')
      expect(parseHeader(line)).toEqual({
        ...{ token, host: 'claude', workspace: main, runId: null, scope: 'user' },
      })
    })

    test('is silent where nothing is guarded, and asks nobody', async () => {
      const { root, main, ...place } = openGuarded()
      const folder = join(root, 'main-other')
      mkdirSync(folder)
      const { heard } = await listen(place, (socket) => socket.end(answered))
      const payload = JSON.stringify({ tool_input: { file_path: `${main}-other/a` } })
      expect(await place.ask(client, { user: folder, payload })).toEqual({
        ...{ code: 0, out: '', err: '' },
      })
      expect(heard).toEqual([])
    })

    test('asks about everything that may have to do with a guarded folder', async () => {
      const { root, main, linked, ...place } = openGuarded()
      const folder = join(root, 'other')
      const fresh = join(root, 'fresh')
      mkdirSync(folder)
      runGit(main, 'worktree', 'add', '-q', fresh)
      symlinkSync(join(main, 'sub'), join(root, 'link'))
      await listen(place, (socket) => socket.end(answered))
      const payload = JSON.stringify({ tool_input: { command: `cd ${main} && make` } })
      symlinkSync(main, join(root, 'by-link'))
      const reach = (path: string) => ({ payload: JSON.stringify({ tool_input: { path } }) })
      const env = { HOME: root }
      const spelled = [`${root}/by-link/new/file`, `/${root}//main/a`]
      const asked = [
        ...spelled.map((path) => ({ user: folder, ...reach(path) })),
        ...[main, join(main, 'sub'), join(linked, 'sub'), join(root, 'link'), fresh, root].map(
          (user) => ({ user }),
        ),
        { user: folder, payload },
        { user: join(root, 'gone') },
        ...(client === 'c' ? ['~/main/a', '$HOME/main/a'] : []).map((path) => ({
          ...{ user: folder, env, ...reach(path) },
        })),
      ]
      for (const one of asked) {
        expect(await place.ask(client, one), JSON.stringify(one)).toMatchObject({ out: 'ok' })
      }
    })

    test('asks everywhere while there is no list', async () => {
      const place = openPlace()
      await listen(place, (socket) => socket.end(answered))
      expect(await place.ask(client, { user: place.folder })).toMatchObject({ out: 'ok' })
    })
  })

  test('ends with the words of a refusal', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end('~\n~\nPAWL 1 2 0 3\nno\n'))
    expect(await place.ask(client)).toEqual({ code: 2, out: '', err: 'no\n' })
  })

  test('blocks whatever is no answer', async () => {
    const good = 'PAWL 1 0 2 0\nok'
    const wrong = [
      ...['', '~', '~\n', '\n', 'ok', good.slice(0, -1), `${good}x`, `${good}\n`, `${good}~\n`],
      ...[good.replace(' 1 ', ' 2 '), good.replace('1 0', '1 1'), good.replace('1 0', '1 00')],
      ...['PAWL 1 0 02 0\nok', 'PAWL 1 0 +2 0\nok', 'PAWL 1 0 -2 4\nok', 'PAWL 1 0  2 0\nok'],
      ...['PAWL 1 0 2 0\r\nok', 'PAWL 1 0 2\nok', 'PAWL 1 0 2 0 \nok', ' PAWL 1 0 2 0\nok'],
      ...['PAWL 1 0 99999999999999999999 0\nok', 'PAWL 1 0 4294967298 0\nok', 'PAWL 1 0 0 0'],
      ...['~~\n', `~ \n${good}`, `\n${good}`, `~\r\n${good}`, `HTTP/1.1 200 OK\r\n\r\n${good}`],
      // What some hosts would take for leave.
      ...['PAWL 1 2 0 0\n', 'PAWL 1 2 2 2\nokno', 'PAWL 1 2 2 0\nok'],
    ]
    const place = openPlace()
    let answer = ''
    await listen(place, (socket) => socket.end(answer))
    for (answer of wrong) expectBlocked(await place.ask(client), JSON.stringify(answer))
    answer = good
    expect(await place.ask(client)).toEqual({ code: 0, out: 'ok', err: '' })
  })

  test('carries what is long up to its limit, and blocks behind it', async () => {
    const place = openPlace()
    const out = 'x'.repeat(answerBytesMax)
    let answer = `PAWL 1 0 ${out.length} 0\n${out}`
    const { heard } = await listen(place, (socket) => socket.end(answer))
    const payload = Buffer.alloc(payloadBytesMax, 'p')
    expect(await place.ask(client, { payload })).toEqual({ code: 0, out, err: '' })
    expect(heard[0]?.subarray(-payloadBytesMax).equals(payload)).toBe(true)
    expectBlocked(
      await place.ask(client, { payload: Buffer.alloc(payloadBytesMax + 1) }),
      'payload',
    )
    expectBlocked(await place.ask(client, { workspace: `/${'é'.repeat(2_000)}` }), 'workspace')
    answer = `PAWL 1 0 ${out.length} 1\n${out}y`
    expectBlocked(await place.ask(client), 'answer')
  })

  test('waits while there are beats, and not without', async () => {
    const place = openPlace('short')
    await listen(place, async (socket) => {
      for (let count = 0; count < 4; count += 1) {
        socket.write('~\n')
        await sleep(silenceMs / 2)
      }
      socket.end('PAWL 1 0 2 0\nok')
    })
    expect(await place.ask(client)).toEqual({ code: 0, out: 'ok', err: '' })
    const silent = openPlace('short')
    await listen(silent, (socket) => socket.write('~\nPAWL 1 0 2 0\nok'))
    const begun = performance.now()
    expectBlocked(await silent.ask(client), 'silence')
    expect(performance.now() - begun).toBeGreaterThan(silenceMs * 0.9)
    expect(performance.now() - begun).toBeLessThan(totalMs)
  })

  test('does not wait for ever, whatever is promised', async () => {
    const place = openPlace('short')
    await listen(place, (socket) => {
      const timer = setInterval(() => socket.write('~\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const begun = performance.now()
    expectBlocked(await place.ask(client), 'beats')
    expect(performance.now() - begun).toBeGreaterThan(totalMs * 0.9)
  })

  test('blocks when the daemon goes away in the middle', async () => {
    for (const said of ['', '~\n', 'PAWL 1 0 2', 'PAWL 1 0 2 0\no']) {
      const place = openPlace()
      await listen(place, (socket) => {
        socket.write(said, () => socket.destroy())
      })
      expectBlocked(await place.ask(client), said)
    }
  })

  test('blocks under a name that can be no host', async () => {
    const place = openPlace()
    await listen(place, (socket) => socket.end('PAWL 1 0 2 0\nok'))
    for (const host of ['', 'Claude', '../x', 'a b', 'x'.repeat(33), '-h', 'é']) {
      expectBlocked(await place.ask(client, { host }), host)
    }
  })

  test('prints exactly what the form says, whatever comes', async () => {
    const place = openPlace()
    let answer = ''
    await listen(place, (socket) => socket.end(answer))
    const sound = fc
      .tuple(fc.constantFrom(0, 2), fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
      .map(([exit, out, err]) => {
        const [a, b] = [out, err].map((text) => Buffer.byteLength(text))
        return `PAWL 1 ${exit} ${a} ${b}\n${out}${err}`
      })
    const piece = fc.oneof(
      { weight: 3, arbitrary: sound },
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('~\n', '~', 'PAWL 1 ', '0 ', '1 1\n'),
    )
    const many = fc.oneof(
      { weight: 2, arbitrary: sound },
      fc.array(piece).map((all) => all.join('')),
    )
    await fc.assert(
      fc.asyncProperty(many, async (text) => {
        // Halves of characters become what they become as bytes.
        answer = Buffer.from(text).toString()
        const wanted = parseAnswer(Buffer.from(answer))
        const ended = await place.ask(client)
        if (wanted === null) return expectBlocked(ended, JSON.stringify(answer))
        const { exit: code, stdout: out, stderr: err } = wanted
        expect(ended).toEqual({ code, out, err })
      }),
      { numRuns: 80 },
    )
  })
})

test('the client in Node asks the next daemon when one ends before it has answered', async () => {
  const place = openPlace()
  let asked = 0
  const { heard } = await listen(place, (socket) => {
    asked += 1
    if (asked === 1) socket.write('~\n', () => socket.destroy())
    else socket.end('PAWL 1 0 2 0\nok')
  })
  expect(await place.ask('node', { payload: '{"x":1}' })).toEqual({ code: 0, out: 'ok', err: '' })
  expect(heard).toHaveLength(2)
  expect(heard[1]).toEqual(heard[0])
})

test('the client in Node waits for a daemon that does not listen for hooks yet', async () => {
  const place = openPlace()
  const asking = place.ask('node')
  await sleep(200)
  await listen(place, (socket) => socket.end('PAWL 1 0 2 0\nok'))
  expect(await asking).toEqual({ code: 0, out: 'ok', err: '' })
})
