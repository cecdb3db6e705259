import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { refuseHooksOff, settingsFilesInBox } from './box-settings-files.ts'
import type { SetupDoor } from './setup-door.ts'

function openPlace(env: Record<string, string> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-box-settings-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [workspace, home] = [join(root, 'project'), join(root, 'home')]
  for (const path of [workspace, home]) mkdirSync(path)
  const put = (path: string, value: unknown): string => {
    const full = join(root, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, typeof value === 'string' ? value : JSON.stringify(value))
    return full
  }
  const setup = {
    ...{ node: '/bin/node', program: '/lib/pawl.js', home: '/data', env: { HOME: home, ...env } },
    hookCommand: () => "'/data/bin/pawl-hook' claude '/w' || exit 2",
    readInstalls: () => [],
  } as unknown as SetupDoor
  return { put, place: { setup, workspace } }
}

function host(name: AgentHostId) {
  return { name, program: null, version: '99.0.0' }
}

const mine = { hooks: [{ type: 'command', command: 'my-hook' }] }
const ours = (name: string) => ({
  hooks: [{ type: 'command', command: `'/data/bin/pawl-hook' ${name} '/w' || exit 2` }],
})

test('a box shows settings without the entries of `pawl init`, and keeps those of others', () => {
  const { put, place } = openPlace()
  const hooks = { PreToolUse: [mine, ours('claude')] }
  const inProject = put('project/.claude/settings.local.json', { hooks, model: 'x' })
  const inHome = put('home/.claude/settings.json', { hooks: { PreToolUse: [ours('claude')] } })
  put('project/.mcp.json', { mcpServers: { other: { command: 'other' } } })
  const before = readFileSync(inProject, 'utf8')
  const files = settingsFilesInBox(host('claude'), place)
  expect(files.map(({ path }) => path)).toEqual([inProject, inHome])
  const [project, user] = files.map(({ text }) => JSON.parse(text))
  expect(project).toEqual({ hooks: { PreToolUse: [mine] }, model: 'x' })
  expect(JSON.stringify(user)).not.toContain('pawl-hook')
  expect(readFileSync(inProject, 'utf8')).toBe(before)
})

test('a plugin that `pawl init` wrote is empty in a box', () => {
  const { put, place } = openPlace()
  const path = put(
    'project/.opencode/plugins/pawl.js',
    '// written by `pawl init`\nexport const x = 1',
  )
  expect(settingsFilesInBox(host('opencode'), place)).toEqual([{ path, text: '' }])
})

test.for<[AgentHostId, string, unknown]>([
  ['claude', 'project/.claude/settings.local.json', { disableAllHooks: true }],
  ['claude', 'project/.claude/settings.json', { disableAllHooks: true }],
  ['claude', 'home/.claude/settings.json', { disableAllHooks: true }],
  ['gemini', 'project/.gemini/settings.json', { hooksConfig: { enabled: false } }],
  ['gemini', 'home/.gemini/settings.json', { hooksConfig: { disabled: ['pawl'] } }],
  ['qwen', 'home/.qwen/settings.json', { disableAllHooks: true }],
])('%s is not started in a box if %s switches hooks off', ([name, path, value]) => {
  const { put, place } = openPlace()
  const full = put(path, value)
  expect(() => refuseHooksOff(host(name), place, [])).toThrow(full)
})

test('settings in a folder that a variable names are looked through', () => {
  const { put, place } = openPlace()
  const path = put('elsewhere/settings.json', { disableAllHooks: true })
  const env = { ...place.setup.env, CLAUDE_CONFIG_DIR: dirname(path) }
  const setup = { ...place.setup, env }
  expect(() => refuseHooksOff(host('claude'), { ...place, setup }, [])).toThrow(path)
})

test.for<[AgentHostId, string]>([
  ['claude', '--bare'],
  ['claude', '--settings=mine.json'],
  ['qwen', '--safe-mode'],
  ['opencode', '--pure'],
  ['codex', 'features.hooks=false'],
])('%s is not started in a box with %s', ([name, arg]) => {
  const { place } = openPlace()
  expect(() => refuseHooksOff(host(name), place, [arg])).toThrow('would ask no hooks')
  expect(() => refuseHooksOff(host(name), place, ['-p', `what is ${arg}?`])).not.toThrow()
})

test('a variable that switches hooks off is refused', () => {
  const { place } = openPlace({ CLAUDE_CODE_SIMPLE: '1' })
  expect(() => refuseHooksOff(host('claude'), place, [])).toThrow('CLAUDE_CODE_SIMPLE')
})
