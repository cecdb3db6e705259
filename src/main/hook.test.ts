/** The whole way of a hook, from the shell of a host to a door and back, in real processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { installHookClient } from '../daemon/install-hook-client.ts'
import type { HookOutput, HookRequestBody } from '../doors/api/hook-exchange.ts'
import { hookCommand } from '../doors/hook/hook-command-line.ts'
import { openHookDoor } from '../doors/hook/open-hook-door.ts'
import { ensureDaemonKey } from '../home/daemon-key.ts'
import { findHome, type Home, openHome } from '../home/home.ts'
import { openHookCheck } from '../home/hook-secrets.ts'
import { writeInstalls } from '../home/installs.ts'
import { ensureTokens } from '../home/tokens.ts'
import { type House, isOurNode, openHouse, program } from './daemon.contract.ts'

const compiler = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang'].find(existsSync)
const denial = { exit: 0, stdout: '{"decision":"deny","reason":"ü"}', stderr: '' } as const

const install = {
  ...({ host: 'claude', hostVersion: null, wire: 'command', at: 0 } as const),
  ...{ files: [], folders: [] },
}

type Site = { readonly house: House; readonly home: Home; readonly asked: HookRequestBody[] }

/** A data directory with both sockets of a daemon, which answer what they are given. */
async function openSite(answer: HookOutput): Promise<Site> {
  const house = openHouse({ PAWL_NO_AUTOSTART: '1' })
  onTestFinished(house.close)
  const home = homeOf(house)
  openHome(home)
  ensureTokens(home)
  const installs = ['/w', '/a b'].map((workspace) => ({ ...install, workspace }))
  writeInstalls(home, installs)
  const check = openHookCheck(ensureDaemonKey(home))
  const asked: HookRequestBody[] = []
  const door = await openHookDoor({
    path: home.hookSocket,
    authenticate: ({ token, ...place }) => check(token, place),
    answer: async (question) => {
      asked.push(question)
      return answer
    },
  })
  onTestFinished(door.close)
  // Clients look there for whether a daemon lives.
  const main: Server = createServer((socket) => socket.destroy()).listen(home.socket)
  await once(main, 'listening')
  onTestFinished(() => void main.close())
  return { house, home, asked }
}

function homeOf({ env, workspace: cwd }: House): Home {
  const { platform } = process
  return findHome({ env, platform, userFolder: () => cwd, cwd, uid: process.getuid?.() ?? 0 })
}

async function run({ house }: { house: House }, file: string, args: readonly string[]) {
  const { workspace: cwd, env } = house
  const child = spawn(file, args, { cwd, env: { ...env, PAWL_RUN: 'r_1' } })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end('{"tool":"Bash"}\n')
  const [code] = await once(child, 'close')
  return { code, out, err }
}

const question = { host: 'claude', payload: '{"tool":"Bash"}\n', runId: 'r_1' }

const asked = { host: 'claude', workspace: '/w', failure: 'blocks' } as const

describe.runIf(isOurNode)('a hook', () => {
  test('`pawl hook` carries it and prints the answer', async () => {
    const site = await openSite(denial)
    const ended = await run(site, process.execPath, [program, 'hook', 'claude', '/a b'])
    expect(ended).toEqual({ code: 0, out: denial.stdout, err: '' })
    expect(site.asked).toEqual([{ ...question, workspace: '/a b' }])
    const { code, out, err } = await run(site, process.execPath, [program, 'hook', 'Nobody'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('`Nobody` is not a valid host name')
  })

  test('`pawl hook` blocks with words when it is called wrongly or nobody is there', async () => {
    const house = openHouse({ PAWL_NO_AUTOSTART: '1' })
    onTestFinished(house.close)
    for (const args of [[], ['a', 'b', 'c'], ['claude', '--x'], ['claude', '/w']]) {
      const ended = await run({ house }, process.execPath, [program, 'hook', ...args])
      expect([ended.code, ended.out], args.join(' ')).toEqual([2, ''])
      expect(ended.err).toMatch(/^[Pp]awl: .+/)
    }
  })

  test('`pawl hook` loads little: a host waits for it', async () => {
    const site = await openSite(denial)
    const lister = join(site.home.folder, 'list.mjs')
    writeFileSync(
      lister,
      `import { registerHooks } from 'node:module'
      import { appendFileSync } from 'node:fs'
      registerHooks({ load: (url, context, next) => {
        appendFileSync(${JSON.stringify(`${lister}.txt`)}, url + '\\n')
        return next(url, context)
      } })`,
    )
    await run(site, process.execPath, ['--import', lister, program, 'hook', 'claude', '/w'])
    expect(site.asked).toHaveLength(1)
    const loaded = readFileSync(`${lister}.txt`, 'utf8').trim().split('\n')
    const own = loaded.filter((url) => !url.startsWith('node:'))
    expect(own.filter((url) => url.includes('/node_modules/'))).toEqual([])
    const core = own.filter((url) => url.includes('/src/core/'))
    expect(core.map((url) => url.split('/').at(-1))).toEqual(['closest-name.ts'])
    expect(own.length).toBeLessThan(40)
  })

  test('the command in the settings of a host asks through the script', async () => {
    const site = await openSite({ exit: 2, stdout: '', stderr: 'not now\n' })
    const means = { node: process.execPath, program, cc: [] }
    await installHookClient(site.home, means)
    const command = hookCommand({ ...asked, bin: site.home.bin })
    const ended = await run(site, '/bin/sh', ['-c', command])
    expect(ended).toEqual({ code: 2, out: '', err: 'not now\n' })
  })

  test.runIf(compiler !== undefined)('it asks through C, and by Node where C can not', async () => {
    const site = await openSite(denial)
    const { home } = site
    await installHookClient(home, { node: process.execPath, program })
    const command = hookCommand({ ...asked, bin: home.bin })
    const whole = { code: 0, out: denial.stdout, err: '' }
    expect(await run(site, '/bin/sh', ['-c', command])).toEqual(whole)
    const conf = join(home.bin, 'hook.conf')
    const text = readFileSync(conf, 'utf8').replace(/^socket .*/m, 'socket /nowhere')
    writeFileSync(conf, text)
    expect(await run(site, '/bin/sh', ['-c', command])).toEqual(whole)
    expect(site.asked).toEqual(Array(2).fill({ ...question, workspace: '/w' }))
    writeFileSync(conf, text.replace(/^program .*/m, 'program /gone.js'))
    const broken = await run(site, '/bin/sh', ['-c', command])
    expect([broken.code, broken.out]).toEqual([2, ''])
    expect(broken.err).toContain('the hook could not run, so this is blocked')
  })
})
