import { expect, test } from 'vitest'
import { openBench } from './init.contract.ts'

const claudeFile = `{
  // what the team uses
  "mcpServers": {
    "fs": { "command": "npx", "args": ["-y", "fs-server@1.2.3", "."], "env": { "A": "1" } },
    "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "X": "\${TOKEN}" } },
    "old": { "type": "sse", "url": "https://example.com/sse" }
  }
}
`

/** A variable as most hosts write it. */
const variable = (name: string): string => ['$', '{', name, '}'].join('')

function json(text: string): Record<string, Record<string, unknown>> {
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''))
}

test('servers move behind the gateway, and back to the byte', async () => {
  const { pawl, write, read, has, host } = openBench()
  host('claude', '2.1.325')
  write('.mcp.json', claudeFile)
  const done = await pawl('init', '--gateway', '--yes')
  expect(done).toMatchObject({ code: 0 })
  expect(done.out).toContain('the server `old` in `.mcp.json` is not moved')
  const servers = json(read('.mcp.json')).mcpServers ?? {}
  expect(Object.keys(servers).sort()).toEqual(['old', 'pawl', 'pawl-gateway'])
  expect(servers['pawl-gateway']).toMatchObject({
    command: '/opt/node',
    args: expect.arrayContaining(['gateway', '--workspace']),
  })
  expect(json(read('.claude/settings.local.json')).enabledMcpjsonServers).toEqual([
    'pawl',
    'pawl-gateway',
  ])
  expect(json(read('.pawl/gateway.json'))).toEqual({
    mcpServers: {
      fs: { command: 'npx', args: ['-y', 'fs-server@1.2.3', '.'], env: { A: '1' } },
      web: { type: 'http', url: 'https://example.com/mcp', headers: { X: variable('TOKEN') } },
    },
  })
  const again = await pawl('init', '--yes')
  expect(again.out).toContain('nothing to do')
  await pawl('uninit', '--yes')
  expect(read('.mcp.json')).toBe(claudeFile)
  expect(has('.pawl')).toBe(false)
})

test('a file that was edited meanwhile gets its servers back, and keeps the edit', async () => {
  const { pawl, write, read, host } = openBench()
  host('claude', '2.1.325')
  write('.mcp.json', claudeFile)
  await pawl('init', '--gateway', '--yes')
  const added = read('.mcp.json').replace(
    '"mcpServers": {',
    '"mcpServers": { "new": {"command":"x"},',
  )
  write('.mcp.json', added)
  // The next init takes the new one behind the gateway as well.
  await pawl('init', '--yes')
  expect(Object.keys(json(read('.pawl/gateway.json')).mcpServers ?? {}).sort()).toEqual([
    ...['fs', 'new', 'web'],
  ])
  write('.mcp.json', read('.mcp.json').replace('team uses', 'team loves'))
  await pawl('uninit', '--yes')
  const left = read('.mcp.json')
  expect(left).toContain('team loves')
  const { mcpServers = {} } = json(left)
  expect(Object.keys(mcpServers).sort()).toEqual(['fs', 'new', 'old', 'web'])
  expect(mcpServers.fs).toEqual(json(claudeFile).mcpServers?.fs)
})

test('a server that two hosts share is added once; another of that name is renamed', async () => {
  const { pawl, write, read, host, has } = openBench()
  for (const [name, version] of [
    ['claude', '2.1.325'],
    ['opencode', '1.18.33'],
    ['gemini', '0.61.0'],
  ] as const) {
    host(name, version)
  }
  const plain = { command: 'fs-server', args: ['.'], env: { KEY: variable('KEY') } }
  write('.mcp.json', JSON.stringify({ mcpServers: { fs: plain } }))
  const local = { type: 'local', command: ['fs-server', '.'], environment: { KEY: '{env:KEY}' } }
  const off = { type: 'local', command: ['x'], enabled: false }
  const open = JSON.stringify({ mcp: { fs: local, off } })
  write('opencode.json', open)
  write('.gemini/settings.json', JSON.stringify({ mcpServers: { fs: { command: 'other' } } }))
  await pawl('init', '--gateway', '--yes')
  expect(json(read('.pawl/gateway.json')).mcpServers).toEqual({
    fs: plain,
    'fs-2': { command: 'other' },
  })
  expect(Object.keys(json(read('opencode.json')).mcp ?? {}).sort()).toEqual([
    ...['off', 'pawl', 'pawl-gateway'],
  ])
  await pawl('uninit', 'opencode', '--yes')
  expect(read('opencode.json')).toBe(open)
  // Claude Code still needs it.
  expect(Object.keys(json(read('.pawl/gateway.json')).mcpServers ?? {})).toContain('fs')
  await pawl('uninit', '--yes')
  expect(has('.pawl/gateway.json')).toBe(false)
})
