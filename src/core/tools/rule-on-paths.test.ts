import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callOf, workspace } from './call-builder.contract.ts'
import type { CallLocation } from './read-call.ts'
import { ruleOnPaths } from './rule-on-paths.ts'

const none = { read: [], write: [] }
const codeOf = (tool: string, input: JsonObject, where: Partial<CallLocation> = {}) =>
  ruleOnPaths(callOf(tool, input, where), { lists: true, paths: none, workspace })?.code ?? null

test.each([
  ['Read', { file_path: 'src/a.ts' }],
  ['Read', { file_path: '/srv/proj/src/a.ts' }],
  ['Read', { file_path: '..foo/a.ts' }],
  ['Read', { file_path: 'src/new/deep/file.ts' }],
  ['Edit', { file_path: './a.ts', old_string: 'a', new_string: 'b' }],
  ['Grep', { pattern: '/etc' }],
  ['Grep', { pattern: 'x', path: 'src' }],
  ['Glob', { pattern: '**/*.ts' }],
  ['Glob', { pattern: 'src/{a,b}/*.ts' }],
  ['Glob', { pattern: '/srv/proj/src/*.ts' }],
  ['Glob', { pattern: '../*.ts', path: 'src' }],
  ['WebFetch', { url: 'https://example.com/' }],
  ['mcp__fs__read_file', { path: 'src/a.ts' }],
  ['mcp__api__call', { path: '/users/4' }],
  ['lookup', { path: '/users/4' }],
  ['Bash', { command: 'cat /etc/hosts' }],
  ['Bash', { command: 'make > out.log 2>/dev/null' }],
  ['Bash', { command: 'cp a.txt /tmp/b.txt' }],
] as const)('%s %j stays in the workspace', (tool, input) => {
  expect(codeOf(tool, input)).toBe(null)
})

test.each([
  ['Read', { file_path: '../secret.txt' }],
  ['Read', { file_path: '/srv/proj/../secret' }],
  ['Read', { file_path: '/srv/project/a' }],
  ['Read', { file_path: '/SRV/proj/a' }],
  ['Read', { file_path: '~/x' }],
  ['Read', { file_path: '$HOME/x' }],
  ['Read', { file_path: '/dev/fd/3' }],
  ['Read', { file_path: 'a\0/../../etc/passwd' }],
  ['Read', { file_path: 'C:\\Windows\\x' }],
  ['Write', { file_path: '/tmp/x', content: '' }],
  ['Edit', { file_path: 'src/../../a.ts', old_string: 'a', new_string: 'b' }],
  ['MultiEdit', { file_path: '/etc/x', edits: [] }],
  ['NotebookEdit', { notebook_path: '../n.ipynb', new_source: '' }],
  ['Grep', { pattern: 'x', path: '/etc' }],
  ['Glob', { pattern: '/etc/*' }],
  ['Glob', { pattern: '../**/*.env' }],
  ['Glob', { pattern: '**/../../*' }],
  ['Glob', { pattern: '{..,src}/*' }],
  ['LS', { path: '/' }],
  ['mcp__fs__read_file', { path: '/etc/passwd' }],
  ['mcp__fs__read_multiple_files', { paths: ['a', '/etc/passwd'] }],
  ['mcp__fs__move_file', { source: 'a', destination: '../b' }],
  ['Bash', { command: 'echo x > /tmp/out' }],
] as const)('%s %j leaves the workspace', (tool, input) => {
  expect(codeOf(tool, input)).toBe('PATH_OUT_OF_SCOPE')
})

test('every host is held by the same rule', () => {
  expect(codeOf('read_file', { file_path: '/etc/x' }, { host: 'gemini' })).not.toBe(null)
  expect(codeOf('read_many_files', { paths: ['/etc/*'] }, { host: 'gemini' })).not.toBe(null)
  expect(codeOf('read', { filePath: '/etc/x' }, { host: 'opencode' })).not.toBe(null)
  expect(codeOf('fs_read_file', { path: '/etc/x' }, { host: 'opencode' })).not.toBe(null)
  expect(codeOf('view_image', { path: '/etc/x.png' }, { host: 'codex' })).not.toBe(null)
  const patch = '*** Begin Patch\n*** Add File: ../x\n+a\n*** End Patch'
  expect(codeOf('apply_patch', { command: patch }, { host: 'codex' })).not.toBe(null)
  const workdir = { command: 'ls', workdir: '/etc' }
  expect(codeOf('shell', workdir, { host: 'codex' })).not.toBe(null)
  expect(codeOf('shell', { ...workdir, workdir: 'src' }, { host: 'codex' })).toBe(null)
})

test('where a stage does not list its tools, every path passes', () => {
  const call = callOf('Read', { file_path: '/etc/passwd' })
  expect(ruleOnPaths(call, { lists: false, paths: none, workspace })).toBe(null)
})

test('a link is judged by its name and by what is behind it', () => {
  const links = new Map([
    ['link', '/etc/passwd'],
    ['inner', '/srv/proj/src/a.ts'],
  ])
  expect(codeOf('Read', { file_path: 'link' }, { links })).toBe('PATH_OUT_OF_SCOPE')
  expect(codeOf('Read', { file_path: 'inner' }, { links })).toBe(null)
})

const added = { read: ['/var/log/*.log', '~/notes/**', '../shared'], write: ['/tmp/out'] }
const withAdded = (tool: string, input: JsonObject) =>
  ruleOnPaths(callOf(tool, input), { lists: true, paths: added, workspace })?.code ?? null

test.each([
  ['Read', { file_path: '/var/log/a.log' }],
  ['Read', { file_path: '~/notes/deep/a.md' }],
  ['Read', { file_path: '../shared/a' }],
  ['Read', { file_path: '/srv/shared/a' }],
  ['Read', { file_path: '/tmp/out/a' }],
  ['Write', { file_path: '/tmp/out', content: '' }],
  ['Write', { file_path: '/tmp/x/../out/a', content: '' }],
] as const)('what a definition adds is reached: %s %j', (tool, input) => {
  expect(withAdded(tool, input)).toBe(null)
})

test.each([
  ['Read', { file_path: '/var/log/a.txt' }],
  ['Read', { file_path: '/var/log/deep/a.log' }],
  ['Read', { file_path: '~/notes/../.ssh/id' }],
  ['Read', { file_path: '~ann/.ssh/id' }],
  ['Read', { file_path: '../shared2/a' }],
  ['Read', { file_path: '/tmp/output/a' }],
  ['Read', { file_path: '/tmp/out/../x' }],
  ['Write', { file_path: '/var/log/a.log', content: '' }],
  ['Write', { file_path: '../shared/a', content: '' }],
  ['Write', { file_path: '/tmp/out/..%2fx', content: '' }],
] as const)('and nothing else: %s %j', (tool, input) => {
  expect(withAdded(tool, input)).toBe('PATH_OUT_OF_SCOPE')
})

test('no path makes the rule throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (path) => {
      withAdded('Read', { file_path: path })
    }),
  )
})
