import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { type BoxLaunch, boxLaunchOf } from './box-launch.ts'
import type { SetupDoor } from './setup-door.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pawl-launch-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

type Wish = { readonly env?: SetupDoor['env']; readonly program?: string }

function launch(name: AgentHostId, { env = {}, program }: Wish = {}): Promise<BoxLaunch | null> {
  const setup = {
    ...{ node: '/bin/node', program: '/lib/pawl.js', env },
    hookCommand: ({ bin, failure }: { bin?: string; failure: string }) => {
      return `'${bin}/pawl-hook' || exit ${failure === 'blocks' ? 2 : 0}`
    },
  } as unknown as SetupDoor
  const host = { name, program: program ?? null, version: '99.0.0' }
  return boxLaunchOf(host, { setup, workspace: tmpdir() })
}

test('the system settings that a machine has still hold in a box', async () => {
  const file = join(folder(), 'settings.json')
  writeFileSync(file, JSON.stringify({ tools: { exclude: ['web_fetch'] } }))
  const name = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'
  const made = await launch('gemini', { env: { [name]: file } })
  expect(made?.environment).toEqual({ [name]: '/run/pawl/settings.json' })
  const settings = JSON.parse(made?.files['settings.json'] ?? '')
  expect(settings.tools).toEqual({ exclude: ['web_fetch'] })
  expect(JSON.stringify(settings.hooks.BeforeTool)).toContain('/run/pawl/bin/pawl-hook')
})

test('opencode loads the plugin beside those that its settings name', async () => {
  const file = join(folder(), 'opencode.json')
  writeFileSync(file, JSON.stringify({ plugin: ['mine'], mcp: { other: {} } }))
  const made = await launch('opencode', { env: { OPENCODE_CONFIG: file } })
  const settings = JSON.parse(made?.files['settings.json'] ?? '')
  expect(settings.plugin).toEqual(['mine', '/run/pawl/pawl.js'])
  expect(Object.keys(settings.mcp)).toEqual(['other', 'pawl'])
  expect(made?.files['pawl.js']).toContain('/run/pawl/bin/pawl-hook')
})

/** A program that answers as `codex app-server` does. */
function codexThatLists(text: string): string {
  const path = join(folder(), 'codex')
  const answer = `const asked = JSON.parse(line)
    const words = process.argv.join(' ')
    const hooks = ${text}
    const result = asked.method === 'hooks/list' ? { data: [{ hooks }] } : {}
    if (asked.id) console.log(JSON.stringify({ id: asked.id, result }))`
  const script = `require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => { ${answer} })`
  writeFileSync(path, `#!${process.execPath}\n${script}\n`, { mode: 0o755 })
  return path
}

const all = `[...words.matchAll(/hooks\\.(\\w+)=/g)].map(([, event]) => ({
  key: 'flags:' + event, command: '/run/pawl/bin/pawl-hook codex', currentHash: 'sha256:' + event,
  source: 'sessionFlags', trustStatus: 'untrusted' }))`

test('Codex is told the hashes of its hooks that it has named itself', async () => {
  const made = await launch('codex', { program: codexThatLists(all) })
  const words = made?.args.join('\n') ?? ''
  expect(words).toContain('hooks.PreToolUse=[{ hooks = [{ type = "command"')
  expect(words).toContain('"flags:PreToolUse" = { trusted_hash = "sha256:PreToolUse" }')
  expect(words).toContain('mcp_servers.pawl={ command = "/bin/node"')
})

test.for([
  ['lists none', '[]'],
  ['lists one less', `${all}.slice(1)`],
  ['lists those of a file', `${all}.map((one) => ({ ...one, source: 'project' }))`],
])('a Codex that %s of the hooks is not started', async ([, listed = '']) => {
  const program = codexThatLists(listed)
  await expect(launch('codex', { program })).rejects.toThrow(
    /would skip the hooks.*does not (?:list|see)/,
  )
})

test('hosts without a way are not started with hooks', async () => {
  expect(await launch('cursor')).toBe(null)
})
