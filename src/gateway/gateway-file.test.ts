import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readGatewayFiles } from './gateway-file.ts'
import { launchOf } from './launch-settings.ts'
import { openRedactor } from './server-transport.ts'
import { shownName } from './tool-names.ts'

type Files = { readonly home: string; readonly workspace: string }

function openFiles(own: string | null, theirs: string | null): Files {
  const root = mkdtempSync(join(tmpdir(), 'pawl-gateway-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [home, workspace] = [join(root, 'home'), join(root, 'work')]
  mkdirSync(home)
  mkdirSync(join(workspace, '.pawl'), { recursive: true })
  if (own !== null) writeFileSync(join(home, 'gateway.json'), own)
  if (theirs !== null) writeFileSync(join(workspace, '.pawl', 'gateway.json'), theirs)
  return { home, workspace }
}

const servers = (entries: object): string => JSON.stringify({ mcpServers: entries })

test('both files count, comments are allowed, and what is switched off is not there', () => {
  const own = '{ // mine\n "askWaitSeconds": 5, "mcpServers": { "a": { "command": "x" } } }'
  const theirs = servers({ b: { url: 'https://b' }, c: { command: 'c', disabled: true } })
  const { home, workspace } = openFiles(own, theirs)
  const settings = readGatewayFiles(home, workspace)
  expect(settings).toMatchObject({ askWaitMs: 5_000, refused: [] })
  expect(settings.servers.map(({ name, scope }) => [name, scope])).toEqual([
    ['a', null],
    ['b', workspace],
  ])
  expect(readGatewayFiles('/nowhere', '/nowhere').servers).toEqual([])
})

test('servers of template files among the definitions come last', () => {
  const { home, workspace } = openFiles(null, servers({ fs: { command: 'theirs' } }))
  const definition = { id: 'd', initial: 'a', states: { a: { type: 'final' } } }
  const upstream = [
    { name: 'fs', command: 'x' },
    { name: 'web', command: 'npx', args: ['-y', 'web'], env: { A: '1' } },
  ]
  const folder = join(workspace, '.pawl', 'definitions')
  mkdirSync(folder)
  const put = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(value))
  put('a.json', { definition, upstream_servers: upstream })
  put('b.json', { definition, upstream_servers: [] })
  put('c.json', { definition, upstream_servers: [{ name: 'bad' }] })
  put('d.json', definition)
  const settings = readGatewayFiles(home, workspace)
  expect(settings.servers).toMatchObject([
    { name: 'fs', command: 'theirs' },
    { name: 'web', command: 'npx', args: ['-y', 'web'], env: { A: '1' }, scope: workspace, folder },
  ])
  expect(settings.refused).toMatchObject([expect.stringContaining('a.json')])
})

test('names that would be taken for others are refused, and what is no server', () => {
  const entries = {
    ...{ fs: { command: 'x' }, FS: { command: 'y' }, pawl: { command: 'x' } },
    ...{ 'a b': { command: 'x' }, a__b: { command: 'x' }, mcp: { command: 'x' } },
    ...{ both: { command: 'x', url: 'https://x' }, none: {}, odd: { url: 'ftp://x' } },
    ...{ 'f\u0455': { command: 'x' }, process_step: { command: 'x' } },
  }
  const { home, workspace } = openFiles(servers(entries), servers({ fs: { command: 'theirs' } }))
  const { servers: used, refused } = readGatewayFiles(home, workspace)
  expect(used.map(({ name, command }) => [name, command])).toEqual([['fs', 'x']])
  expect(refused).toHaveLength(11)
})

test.each([
  ['{', 'has errors'],
  ['[]', 'not a JSON object'],
  ['{"mcpServers": {"a": {"comand": "x"}}}', 'comand'],
  ['{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', 'has errors'],
])('a file that can not be meant is a fault: %s', (text, words) => {
  const { home, workspace } = openFiles(text, null)
  expect(() => readGatewayFiles(home, workspace)).toThrow(words)
})

test('values are filled in, secrets known, and nothing else of the environment is there', () => {
  const entry = {
    command: 'run',
    args: ['A', 'NONE:-other', 'NONE'].map((name) => ['$', '{', name, '}'].join('')),
    env: { API_KEY: 'key-of-mine', MODE: 'production', FILE: { fromFile: 'secret' } },
  }
  const { home, workspace } = openFiles(servers({ a: entry }), null)
  writeFileSync(join(home, 'secret'), 'in-a-file\n')
  const [server] = readGatewayFiles(home, workspace).servers
  if (server === undefined) throw new Error('there is no server')
  const env = { PATH: '/bin', A: 'value', OTHER: 'not-for-it', PAWL_HOME: home }
  const launch = launchOf(server, workspace, env)
  expect(launch).toMatchObject({
    args: ['value', 'other', ''],
    cwd: workspace,
    env: { PATH: '/bin', API_KEY: 'key-of-mine', MODE: 'production', FILE: 'in-a-file' },
  })
  expect(launch.secrets).toEqual(['key-of-mine', 'in-a-file'])
  expect(JSON.stringify(launch)).not.toContain('not-for-it')
})

test('secrets are taken out also where JSON spells them otherwise', () => {
  const redact = openRedactor(['a"b\\c', 'plain'])
  expect(redact(JSON.stringify({ x: 'is a"b\\c', y: 'plainly' }))).toBe(
    '{"x":"is [secret]","y":"[secret]ly"}',
  )
})

test('a shown name fits what clients take, is the same each time, and no two share one', () => {
  expect(shownName('fs', 'read_file')).toBe('fs__read_file')
  const long = ['x', 'y'].map((end) => shownName('server', `${'a'.repeat(60)}${end}`))
  expect(new Set(long).size).toBe(2)
  const odd = shownName('fs', 'files.read/all')
  for (const name of [...long, odd]) expect(name).toMatch(/^[A-Za-z0-9_-]{1,45}$/)
  expect(odd).not.toBe(shownName('fs', 'files_read_all'))
})
