import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HostId, hostIds } from '../hosts/registry.ts'
import { callOf } from './call-builder.contract.ts'
import { commonToolOf, namesMatch, toolOf } from './tool-names.ts'

const facts = (tool: string, host: HostId) => {
  const { act, commonName, capability } = toolOf(tool, host)
  return [act, commonName, capability]
}

test.each([
  ['claude', 'Bash', ['shell', 'Bash', 'bash']],
  ['claude', 'Read', ['read', 'Read', 'read']],
  ['claude', 'Task', ['agent', 'Agent', 'agent']],
  ['claude', 'mcp__fs__write_file', ['mcp', 'mcp:fs:write_file', 'mcp:fs:write_file']],
  ['claude', 'mcp__fs__a__b', ['mcp', 'mcp:fs:a__b', 'mcp:fs:a__b']],
  ['codex', 'local_shell', ['shell', 'Bash', 'bash']],
  ['codex', 'apply_patch', ['edit', 'Edit', 'edit']],
  ['codex', 'view_image', ['read', 'Read', 'read']],
  ['codex', 'spawn_agent', ['agent', 'Agent', 'agent']],
  ['gemini', 'run_shell_command', ['shell', 'Bash', 'bash']],
  ['gemini', 'replace', ['edit', 'Edit', 'edit']],
  ['gemini', 'mcp_fs_list_directory', ['mcp', 'mcp:fs:list_directory', 'mcp:fs:list_directory']],
  ['qwen', 'zoom_image', ['read', 'Read', 'read']],
  ['qwen', 'create_sub_session', ['agent', 'Agent', 'agent']],
  ['opencode', 'bash', ['shell', 'Bash', 'bash']],
  ['pi', 'find', ['search', 'Glob', 'search']],
  ['opencode', 'task', ['agent', 'Agent', 'agent']],
  ['opencode', 'fs_read_file', ['mcp', 'mcp:fs:read_file', 'mcp:fs:read_file']],
  ['copilot', 'bash', ['shell', 'Bash', 'bash']],
  ['copilot', 'Bash', ['shell', 'Bash', 'bash']],
  ['copilot', 'view', ['read', 'Read', 'read']],
  ['copilot', 'rg', ['search', 'Grep', 'search']],
  ['copilot', 'fs-read_file', ['mcp', 'mcp:fs:read_file', 'mcp:fs:read_file']],
  [
    'copilot',
    'pawl-gateway-fs-read',
    ['mcp', 'mcp:pawl-gateway:fs-read', 'mcp:pawl-gateway:fs-read'],
  ],
  ['cursor', 'Shell', ['shell', 'Bash', 'bash']],
  ['mcp', 'process_run', ['shell', 'process.run', 'process.run']],
  ['claude', 'mcp__pawl__process_logs', ['other', 'process.logs', 'process.logs']],
  ['claude', 'lookup', ['other', null, 'lookup']],
] as const)('on %s the tool %s is what its host says', (host, tool, expected) => {
  expect(facts(tool, host)).toEqual(expected)
})

test('no name means two tools on two hosts', () => {
  for (const host of hostIds) {
    for (const other of hostIds) {
      for (const name of ['read', 'edit', 'write', 'grep', 'glob', 'list', 'task', 'patch']) {
        const [one, two] = [toolOf(name, host).commonName, toolOf(name, other).commonName]
        if (one !== null && two !== null) expect(one).toBe(two)
      }
    }
  }
})

test.each([
  ['Read', 'read_file', 'gemini', { file_path: 'a' }],
  ['read_file', 'Read', 'claude', { file_path: 'a' }],
  ['Bash', 'run_shell_command', 'gemini', { command: 'ls' }],
  ['bash', 'Bash', 'codex', { command: 'ls' }],
  [
    'Edit',
    'apply_patch',
    'codex',
    { command: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' },
  ],
  [
    'Write',
    'apply_patch',
    'codex',
    { command: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' },
  ],
  ['apply_patch', 'Edit', 'claude', { file_path: 'a', old_string: 'x', new_string: 'y' }],
  ['Task', 'Agent', 'claude', { prompt: 'x' }],
  ['Agent', 'task', 'opencode', { prompt: 'x' }],
  ['mcp__fs__read', 'mcp_fs_read', 'gemini', {}],
  ['mcp:fs:read', 'mcp__fs__read', 'claude', {}],
  ['mcp__fs__read', 'fs_read', 'opencode', {}],
  ['lookup', 'lookup', 'claude', {}],
] as const)('`%s` in a definition means `%s` on %s', (...[written, tool, host, input]) => {
  expect(namesMatch(written, callOf(tool, input, { host }))).toBe(true)
})

test.each([
  ['Read', 'read', 'claude'],
  ['Read', 'READ', 'claude'],
  ['Read', 'Read ', 'claude'],
  ['Read', ' Read', 'claude'],
  ['Read', 'R\u0435ad', 'claude'],
  ['Read', 'Re\u200bad', 'claude'],
  ['Read', '\uff32\uff45\uff41\uff44', 'claude'],
  ['Read', 'ReadFile', 'claude'],
  ['Read', 'Read/../Bash', 'claude'],
  ['Read', 'mcp__other__Read', 'claude'],
  ['Read', 'read_file', 'claude'],
  ['Read', '', 'claude'],
  ['Read', 'constructor', 'claude'],
  ['Read', '__proto__', 'claude'],
  ['Edit', 'Write', 'claude'],
  ['Write', 'Edit', 'claude'],
  ['Read', 'Grep', 'claude'],
  ['mcp__fs__read', 'mcp__fs__READ', 'claude'],
  ['mcp__fs__read', 'mcp__fs2__read', 'claude'],
  ['mcp__fs__read', 'mcp__fs__read2', 'claude'],
  ['mcp__fs__*', 'mcp__fs__read', 'claude'],
  ['Bash', 'mcp__bash__run', 'claude'],
  ['Bash', 'Monitor', 'claude'],
] as const)('`%s` in a definition does not mean `%s` on %s', (written, tool, host) => {
  expect(namesMatch(written, callOf(tool, {}, { host }))).toBe(false)
})

test('a server that the host names counts more than what the name looks like', () => {
  const server = { server: 'fs_list', tool: 'directory' }
  const call = callOf('mcp_fs_list_directory', {}, { host: 'gemini', server })
  expect(call.capability).toBe('mcp:fs_list:directory')
  expect(namesMatch('mcp__fs__list_directory', call)).toBe(false)
})

test('a name that does not say its server is a problem', () => {
  for (const tool of ['mcp__', 'mcp____x', 'mcp__a', 'mcp__a__', 'mcp__a:b__c', 'mcp__ a__c']) {
    expect(callOf(tool, {}).problem, tool).not.toBe(null)
  }
  expect(callOf('mcp__a__b', {}).problem).toBe(null)
})

test('only the server of Pawl has tools of Pawl', () => {
  expect(callOf('mcp__pawl__pawl_get_state', {}).isOwn).toBe(true)
  expect(callOf('mcp__pawl__process_step', {}).isOwn).toBe(true)
  expect(callOf('mcp__pawl__statewright_transition', {}).isOwn).toBe(true)
  expect(callOf('mcp_pawl_pawl_get_state', {}, { host: 'gemini' }).isOwn).toBe(true)
  expect(callOf('pawl_pawl_get_state', {}, { host: 'opencode' }).isOwn).toBe(true)
  for (const tool of [
    ...[
      'mcp__other__pawl_get_state',
      'pawl_get_state',
      'mcp__pawl2__pawl_get_state',
      'process_step',
    ],
    ...['mcp__Pawl__pawl_get_state', 'mcp__pawl__process_run', 'mcp__pawl__delete_everything'],
    ...['mcp__x__mcp__pawl__pawl_get_state', 'mcp_pawl_pawl_get_state'],
    ...['mcp__pawl__transition', 'mcp__pawl__process_log', 'mcp__pawl__a_b_transition'],
    ...['mcp__pawl__statewright_run_agent', 'mcp__other__statewright_transition'],
  ]) {
    expect(callOf(tool, { command: 'ls' }).isOwn, tool).toBe(false)
  }
})

test('no name makes a call throw, and an unknown name means only itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...hostIds), (tool, host) => {
      const call = callOf(tool, {}, { host })
      expect(namesMatch(tool, call)).toBe(true)
      if (commonToolOf(tool) === null) expect(namesMatch('Read', call)).toBe(false)
    }),
  )
})
