/** `pawl init --user`, `pawl uninit --user` and `pawl init --restore`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentHostId, agentHostIds, agentHosts } from '../../../core/hosts/registry.ts'
import { type Bench, openBench, token } from './init.contract.ts'

function userFile({ user }: Bench, host: AgentHostId): string {
  const { userHooks } = agentHosts[host]
  if ('none' in userHooks) throw new Error(`${host} has no hooks of its user`)
  return join(user, userHooks.folder, userHooks.file)
}

test.each(agentHostIds)('%s: hooks of the user are written where it reads them', async (host) => {
  const bench = openBench()
  const { code } = await bench.pawl('init', '--user', host, '--yes')
  expect(code).toBe(0)
  const text = readFileSync(userFile(bench, host), 'utf8')
  expect(text).toContain(`pawl-hook' ${host} --user`)
  // Neither a token nor a server nor a folder of this project: they count everywhere.
  expect(text).not.toMatch(/mcpServers|Bearer/)
  expect(text).not.toContain(token)
  expect(text).not.toContain(bench.workspace)
  expect(bench.installs()).toMatchObject([{ host, scope: 'user', workspace: bench.user }])
  expect(existsSync(join(bench.workspace, agentHosts[host].folder))).toBe(false)
  expect(await bench.pawl('init', '--user', host, '--yes')).toMatchObject({
    out: expect.stringContaining('nothing to do'),
  })
  await bench.pawl('uninit', '--user', host, '--yes')
  expect(existsSync(userFile(bench, host))).toBe(false)
  expect(bench.installs()).toEqual([])
})

test('what the user has in the file stays, and comes back byte for byte', async () => {
  const bench = openBench()
  const file = userFile(bench, 'claude')
  const before = '{\n  // mine\n  "model": "opus",\n  "hooks": { "Stop": [] }\n}\n'
  mkdirSync(dirname(file))
  writeFileSync(file, before)
  await bench.pawl('init', '--user', 'claude', '--yes')
  expect(readFileSync(file, 'utf8')).toContain('"model": "opus"')
  await bench.pawl('uninit', '--user', 'claude', '--yes')
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('nothing is written before a person has agreed', async () => {
  const bench = openBench()
  const { code } = await bench.pawl('init', '--user', 'claude')
  expect(code).toBe(2)
  expect(existsSync(userFile(bench, 'claude'))).toBe(false)
})

test('a variable of the host names another folder', async () => {
  const bench = openBench()
  const folder = join(bench.user, 'elsewhere')
  mkdirSync(folder)
  const env = { ...bench.setup().env, CODEX_HOME: folder }
  const setup = async () => ({ ...bench.setup(), env })
  await bench.pawlWith({ setup }, 'init', '--user', 'codex', '--yes')
  expect(existsSync(join(folder, 'hooks.json'))).toBe(true)
})

test('hooks of a folder and of the user are installed and removed apart', async () => {
  const bench = openBench()
  await bench.pawl('init', 'codex', '--yes')
  await bench.pawl('init', '--user', 'codex', '--yes')
  expect(bench.installs()).toHaveLength(2)
  await bench.pawl('uninit', 'codex', '--yes')
  expect(bench.installs()).toMatchObject([{ scope: 'user' }])
  expect(bench.has('.codex/hooks.json')).toBe(false)
  expect(existsSync(userFile(bench, 'codex'))).toBe(true)
})

test('`pawl init` says what is not held yet, until it is', async () => {
  const bench = openBench()
  const first = await bench.pawl('init', 'gemini', '--yes')
  expect(first.out).toContain('init --user')
  await bench.pawl('init', '--user', 'gemini', '--yes')
  rmSync(join(bench.workspace, '.gemini'), { recursive: true })
  expect((await bench.pawl('init', 'gemini', '--yes')).out).not.toContain('init --user')
})

test('one command restores all hooks that were changed or removed', async () => {
  const bench = openBench()
  await bench.pawl('init', 'gemini', 'codex', '--yes')
  await bench.pawl('init', '--user', 'gemini', '--yes')
  const before = bench.read('.gemini/settings.json')
  rmSync(join(bench.workspace, '.gemini'), { recursive: true })
  rmSync(userFile(bench, 'gemini'))
  const { code, out } = await bench.pawl('init', '--restore')
  expect(code).toBe(0)
  expect(out).toContain('restored the hooks of Gemini CLI')
  expect(out).not.toContain('Codex')
  expect(bench.read('.gemini/settings.json')).toBe(before)
  expect(existsSync(userFile(bench, 'gemini'))).toBe(true)
  expect((await bench.pawl('init', '--restore')).out).toContain('nothing to do')
})
