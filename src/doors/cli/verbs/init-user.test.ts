/** `pawl init --user`, `pawl uninit --user` and `pawl init --restore`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentHostId, agentHostIds, agentHosts } from '../../../core/hosts/registry.ts'
import { checkInstall } from '../../init/check-install.ts'
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

test('a host that reads no hooks of a folder gets those of its user with it', async () => {
  const bench = openBench()
  const file = userFile(bench, 'kimi')
  const before = '# mine\ndefault_model = "k3"\n\n[[hooks]]\nevent = "Stop"\ncommand = "true"'
  mkdirSync(dirname(file))
  writeFileSync(file, before)
  const shown = await bench.pawl('init', 'kimi', '--dry-run')
  expect(shown.out).toContain('~/.kimi-code/config.toml  changed')
  expect(shown.out).toContain('  .kimi-code/mcp.json  new')
  await bench.pawl('init', 'kimi', '--yes')
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith(`${before}\n# >>> pawl kimi: `)).toBe(true)
  expect(text).toContain('event = "PreToolUse"\ncommand = "\'')
  expect(bench.installs().map(({ scope }) => scope)).toEqual([undefined, 'user'])
  expect((await bench.pawl('init', 'kimi', '--yes')).out).toContain('nothing to do')
  await bench.pawl('uninit', 'kimi', '--yes')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(bench.has('.kimi-code')).toBe(false)
  expect(bench.installs()).toEqual([])
})

test('those hooks are restored as well', async () => {
  const bench = openBench()
  await bench.pawl('init', 'kimi', '--yes')
  const file = userFile(bench, 'kimi')
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  expect((await bench.pawl('init', '--restore')).out).toContain('Kimi Code for every folder')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('the hooks of its user stay as long as they hold another folder', async () => {
  const bench = openBench()
  const other = join(bench.workspace, 'other')
  mkdirSync(other)
  await bench.pawl('init', 'kimi', '--yes')
  await bench.pawlWith({ cwd: other }, 'init', 'kimi', '--yes')
  await bench.pawl('uninit', 'kimi', '--yes')
  expect(bench.installs()).toMatchObject([{ workspace: other }, { scope: 'user' }])
  expect(readFileSync(userFile(bench, 'kimi'), 'utf8')).toContain("pawl-hook' kimi --user")
  await bench.pawlWith({ cwd: other }, 'uninit', 'kimi', '--yes')
  expect(bench.installs()).toEqual([])
  expect(existsSync(userFile(bench, 'kimi'))).toBe(false)
})

test('hooks that somebody has asked for stay, and so does what another folder needs', async () => {
  const bench = openBench()
  const other = join(bench.workspace, 'other')
  mkdirSync(other)
  const hosts = () => bench.installs().map(({ host, scope }) => `${host} ${scope ?? 'folder'}`)
  // A folder without hooks takes none away.
  await bench.pawl('init', '--user', 'kimi', '--yes')
  expect((await bench.pawlWith({ cwd: other }, 'uninit', 'kimi', '--yes')).out).toContain('nothing')
  await bench.pawl('init', 'kimi', '--yes')
  await bench.pawl('uninit', '--yes')
  expect(hosts()).toEqual(['kimi user'])
  await bench.pawl('uninit', '--user', 'kimi', '--yes')
  // Kimi Code is held in every folder that is guarded, for whatever host.
  await bench.pawl('init', 'kimi', 'gemini', '--yes')
  await bench.pawl('uninit', 'kimi', '--yes')
  expect(hosts().toSorted()).toEqual(['gemini folder', 'kimi user'])
  const { out } = await bench.pawl('uninit', 'gemini', '--yes')
  expect(out).toContain('removed Pawl from Gemini CLI, Kimi Code\n')
  expect(hosts()).toEqual([])
  // Asked for later.
  await bench.pawl('init', 'kimi', '--yes')
  await bench.pawl('init', '--user', 'kimi', '--yes')
  expect((await bench.pawl('uninit', '--yes')).out).toContain('removed Pawl from Kimi Code\n')
  expect(hosts()).toEqual(['kimi user'])
})

test('unasked hooks that were restored are still unasked, and a host is named once', async () => {
  const bench = openBench()
  await bench.pawl('init', 'kimi', '--yes')
  rmSync(userFile(bench, 'kimi'))
  await bench.pawl('init', '--restore')
  expect((await bench.pawl('uninit', '--yes')).out).toContain('removed Pawl from Kimi Code\n')
  expect(bench.installs()).toEqual([])
})

test.each([
  ['hooks = []\n', 2],
  ['a = 1\n  "hooks" = [{ event = "Stop", command = "true" }]\n', 2],
  ['[plugins]\nhooks = []\n', 0],
])('hooks of Kimi Code that ours cannot stand beside are left alone: %j', async (text, code) => {
  const bench = openBench()
  const file = userFile(bench, 'kimi')
  mkdirSync(dirname(file))
  writeFileSync(file, text)
  expect((await bench.pawl('init', 'kimi', '--yes')).code).toBe(code)
  expect(readFileSync(file, 'utf8').startsWith(text)).toBe(true)
  expect(bench.has('.kimi-code/mcp.json')).toBe(code === 0)
})

/** What Kimi Code makes of its settings when it writes them anew. */
function rewritten(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('[[', '\n[[')
}

test('hooks of Kimi Code are known where it has dropped the marks', async () => {
  const bench = openBench()
  const file = userFile(bench, 'kimi')
  mkdirSync(dirname(file))
  writeFileSync(file, 'a = 1\n')
  await bench.pawl('init', 'kimi', '--yes')
  const text = rewritten(readFileSync(file, 'utf8'))
  writeFileSync(file, text)
  expect((await bench.pawl('init', '--restore')).out).toContain('nothing to do')
  writeFileSync(file, text.replace('event = "Stop"', 'event = "SessionEnd"'))
  await bench.pawl('init', '--restore')
  expect(readFileSync(file, 'utf8').match(/pawl-hook/g)).toHaveLength(7)
  writeFileSync(file, rewritten(readFileSync(file, 'utf8')))
  await bench.pawl('uninit', 'kimi', '--yes')
  expect(readFileSync(file, 'utf8').trim()).toBe('a = 1')
})

test.each([
  'x = [\n  ["a"],\n]\nhooks = []\n',
  'x = = 1\n',
  '[[hooks]]\nevent = "Stop"\ncommand = "true"\nname = "mine"\n',
])('hooks that Kimi Code would not run are neither written nor active: %j', async (text) => {
  const bench = openBench()
  const file = userFile(bench, 'kimi')
  mkdirSync(dirname(file))
  writeFileSync(file, text)
  expect((await bench.pawl('init', 'kimi', '--yes')).code).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe(text)
  rmSync(file)
  await bench.pawl('init', 'kimi', '--yes')
  const ours = readFileSync(file, 'utf8')
  const [, install] = bench.installs()
  const problems = (now: string) => install && checkInstall(install, () => now)
  expect(problems(ours)).toEqual([])
  const kinds = [expect.objectContaining({ kind: expect.stringMatching(/^(unreadable|off)$/) })]
  expect(problems(`${text}${ours}`)).toEqual(kinds)
})
