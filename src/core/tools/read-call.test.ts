import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HostId, hostIds } from '../hosts/registry.ts'
import type { JsonObject } from '../json.ts'
import { ruleOnCommands } from '../shell/rule-on-commands.ts'
import { callOf, workspace } from './call-builder.contract.ts'

type Recorded = {
  readonly host: HostId
  readonly file: string
  readonly tool: string
  readonly input: JsonObject
  readonly server?: { readonly server: string; readonly tool: string }
}
const recordedFile = new URL('../../../test/fixtures/hosts/calls.json', import.meta.url)
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as readonly Recorded[]

const recordedCall = (one: Recorded) => {
  const { tool, input, host, server } = one
  const where = { host, workspace: '/home/dev/project' }
  return callOf(tool, input, server === undefined ? where : { ...where, server })
}

test('every recorded call of a real host is read without a problem', () => {
  expect(recorded.length).toBeGreaterThan(40)
  for (const one of recorded) expect(recordedCall(one).problem, one.file).toBe(null)
})

test('recorded calls are what they are', () => {
  const told = recorded.map((one) => {
    const { act, capability, reads, writes, editLines, shell } = recordedCall(one)
    const paths = [...reads, ...writes].map((path) => path.inside)
    return [one.host, one.tool, act, capability, paths.join(' '), editLines, shell?.ok ?? null]
  })
  expect(told).toEqual(
    expect.arrayContaining([
      ['claude', 'Bash', 'shell', 'bash', '', null, true],
      ['claude', 'Edit', 'edit', 'edit', 'a.txt', 1, null],
      ['claude', 'Write', 'write', 'write', 'a.txt', 2, null],
      ['claude', 'NotebookEdit', 'edit', 'edit', 'n.ipynb', 1, null],
      ['claude', 'Read', 'read', 'read', 'a.txt', null, null],
      ['claude', 'Grep', 'search', 'search', '.', null, null],
      ['claude', 'Agent', 'agent', 'agent', '', null, null],
      ['claude', 'mcp__fs__write_file', 'mcp', 'mcp:fs:write_file', 'm.txt', 1, null],
      ['codex', 'Bash', 'shell', 'bash', '', null, true],
      ['codex', 'apply_patch', 'edit', 'edit', 'new.txt', 1, null],
      ['codex', 'view_image', 'read', 'read', 'none.png', null, null],
      ['codex', 'spawn_agent', 'agent', 'agent', '', null, null],
      ['gemini', 'run_shell_command', 'shell', 'bash', '', null, true],
      ['gemini', 'replace', 'edit', 'edit', 'a.txt', 1, null],
      ['gemini', 'write_file', 'write', 'write', 'a.txt', 2, null],
      ['gemini', 'mcp_fs_list_directory', 'mcp', 'mcp:fs:list_directory', '.', null, null],
      ['qwen', 'run_shell_command', 'shell', 'bash', '', null, true],
      ['qwen', 'monitor', 'shell', 'bash', '', null, true],
      ['qwen', 'edit', 'edit', 'edit', 'a.txt', 1, null],
      ['qwen', 'notebook_edit', 'edit', 'edit', 'n.ipynb', 1, null],
      ['qwen', 'write_file', 'write', 'write', 'new.txt', 2, null],
      ['qwen', 'agent', 'agent', 'agent', '', null, null],
      ['qwen', 'mcp__fs__write_file', 'mcp', 'mcp:fs:write_file', 'm.txt', 1, null],
      ['copilot', 'Bash', 'shell', 'bash', '', null, true],
      ['copilot', 'Edit', 'edit', 'edit', 'seen.txt', 1, null],
      ['copilot', 'apply_patch', 'edit', 'edit', 'patched.txt', 1, null],
      ['copilot', 'Write', 'write', 'write', 'new.txt', 1, null],
      ['copilot', 'Agent', 'agent', 'agent', '', null, null],
      ['copilot', 'canary-write_file', 'mcp', 'mcp:canary:write_file', 'mcp2.txt', 1, null],
      ['pi', 'bash', 'shell', 'bash', '', null, true],
      ['pi', 'edit', 'edit', 'edit', 'a.txt', 1, null],
      ['pi', 'write', 'write', 'write', 'a.txt', 1, null],
      ['pi', 'read', 'read', 'read', 'a.txt', null, null],
      ['cline', 'run_commands', 'shell', 'bash', '', null, true],
      ['cline', 'editor', 'edit', 'edit', 'a.txt', 2, null],
      ['cline', 'read_files', 'read', 'read', 'a.txt', null, null],
      ['cline', 'search_codebase', 'search', 'search', '', null, null],
      ['cline', 'spawn_agent', 'agent', 'agent', '', null, null],
      ['cline', 'team_run_task', 'agent', 'agent', '', null, null],
      ['cline', 'fs__write_file', 'mcp', 'mcp:fs:write_file', 'm.txt', 1, null],
      ['kimi', 'Bash', 'shell', 'bash', '', null, true],
      ['kimi', 'Edit', 'edit', 'edit', 'a.txt', 1, null],
      ['kimi', 'Write', 'write', 'write', 'a.txt', 2, null],
      ['kimi', 'Read', 'read', 'read', 'a.txt', null, null],
      ['kimi', 'AgentSwarm', 'agent', 'agent', '', null, null],
      ['kimi', 'mcp__fs__write_file', 'mcp', 'mcp:fs:write_file', 'm.txt', 1, null],
      ['opencode', 'bash', 'shell', 'bash', '', null, true],
      ['opencode', 'edit', 'edit', 'edit', 'a.txt', 1, null],
      ['opencode', 'write', 'write', 'write', 'a.txt', 2, null],
      ['opencode', 'task', 'agent', 'agent', '', null, null],
      ['opencode', 'fs_list_directory', 'mcp', 'mcp:fs:list_directory', '.', null, null],
    ]),
  )
})

test('spellings of one file are one file', () => {
  const spellings = ['src/a.ts', './src/a.ts', 'src/x/../a.ts', `${workspace}/src/a.ts`]
  for (const file_path of spellings) {
    const call = callOf('Edit', { file_path, old_string: 'a', new_string: 'b' })
    expect(call.edits).toEqual(['src/a.ts'])
  }
})

test('another case is another file', () => {
  expect(callOf('Write', { file_path: 'A.ts', content: '' }).edits).toEqual(['A.ts'])
})

test('a patch edits all of its files', () => {
  const command = [
    '*** Begin Patch',
    ...['*** Add File: a.ts', '+x', '*** Update File: src/b.ts', '*** Move to: c.ts', '@@', '-x'],
    '*** End Patch',
  ].join('\n')
  const call = callOf('apply_patch', { command }, { host: 'codex' })
  expect(call.edits).toEqual(['a.ts', 'src/b.ts', 'c.ts'])
  const shell = callOf('Bash', { command: `cd src && apply_patch <<'EOF'\n${command}\nEOF` })
  expect(shell.edits).toEqual(['src/a.ts', 'src/src/b.ts', 'src/c.ts'])
  expect(shell.editLines).toBe(2)
  expect(shell.problem).toBe(null)
  const either = callOf('Bash', { command: `cd src; apply_patch <<'EOF'\n${command}\nEOF` })
  expect(either.edits).toHaveLength(6)
})

test('a patch that cannot be read is a problem, through a tool or through a shell', () => {
  expect(callOf('apply_patch', { command: 'x' }, { host: 'codex' }).problem).not.toBe(null)
  expect(callOf('Bash', { command: 'apply_patch < p.txt' }).problem).not.toBe(null)
  const half = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\nEOF"
  expect(callOf('Bash', { command: half }).problem).not.toBe(null)
  expect(callOf('Bash', { command: "echo '*** Begin Patch'" }).problem).toBe(null)
})

test('what a shell writes is an edit', () => {
  expect(callOf('Bash', { command: 'echo x > db/seed.sql' }).edits).toEqual(['db/seed.sql'])
  expect(callOf('Bash', { command: 'cd db && echo x > seed.sql' }).edits).toEqual(['db/seed.sql'])
  expect(callOf('Bash', { command: 'cd db; echo x > a' }).edits).toEqual(['a', 'db/a'])
  const moved = { command: 'echo x > seed.sql', workdir: 'db' }
  expect(callOf('shell', moved, { host: 'codex' }).edits).toEqual(['db/seed.sql'])
  expect(callOf('Bash', { command: 'cp a.txt b.txt' }).edits).toEqual(['b.txt'])
  expect(callOf('Bash', { command: 'ls 2>/dev/null >/dev/stderr' }).edits).toEqual([])
})

test('a command that comes as a list is read as the words it is', () => {
  const list = callOf('shell', { command: ['ls', '-l', 'a; rm b'] }, { host: 'codex' })
  expect(list.shell).toMatchObject({ ok: true, commands: [{ words: ['ls', '-l', 'a; rm b'] }] })
  const text = callOf('shell', { command: ['bash', '-lc', 'ls; pwd'] }, { host: 'codex' })
  expect(text.shell).toMatchObject({ ok: true, commands: [{ words: ['ls'] }, { words: ['pwd'] }] })
  const local = callOf('local_shell', { action: { command: ['ls'] } }, { host: 'codex' })
  expect(local.shell).toMatchObject({ ok: true, commands: [{ words: ['ls'] }] })
})

test.for([
  ['bash', '-c', 'ls'],
  ['/bin/sh', 'script.sh'],
  ['env', 'A=1', 'dash', '-c', 'ls'],
  ['busybox', 'sh', '-c', 'ls'],
  ['nice', '-n', '5', 'bash', '-c', 'ls'],
  ['timeout', '5', 'env', 'zsh', '-c', 'ls'],
  ['xargs', 'sh', '-c', 'ls'],
  ['find', '.', '-exec', 'sh', '-c', 'ls', ';'],
  ['script', '-c', 'ls'],
  ['watch', 'ls | cat'],
  ['fish', '-c', 'ls'],
])(
  'the program %s that is a shell, or starts one, is `bash` to policies',
  ([command = '', ...args]) => {
    expect(callOf('mcp__pawl__process_run', { command, args }).capability).toBe('bash')
  },
)

test.for([
  ['npm', 'test'],
  ['env', 'A=1', 'npm', 'test'],
  ['timeout', '5', 'make', '-j2'],
  ['python3', '-m', 'pytest'],
  ['git', 'commit', '-m', 'say $(what) you; like'],
])('the program %s stays its own capability', ([command = '', ...args]) => {
  expect(callOf('mcp__pawl__process_run', { command, args }).capability).toBe('process.run')
})

test.for([
  ['npm_config_script_shell', './evil'],
  ['GIT_SSH_COMMAND', 'sh -c evil'],
  ['MAKEFLAGS', '--eval=x'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:x.jar'],
])('%s beside a command is an assignment in front of it', ([name = '', value = '']) => {
  const judge = (input: JsonObject) => {
    const { shell } = callOf('mcp__pawl__process_run', input)
    return shell === null ? null : ruleOnCommands(shell, ['npm test'])
  }
  const environment = { [name]: value }
  const denied = { code: 'COMMAND_NOT_ALLOWED' }
  expect(judge({ command: 'npm test', environment })).toMatchObject(denied)
  expect(judge({ command: 'npm', args: ['test'], environment })).toMatchObject(denied)
  expect(judge({ command: 'npm test', environment: { CI: '1' } })).toBeNull()
})

test('a program with arguments is its own capability, a shell text is `bash`', () => {
  const run = (input: JsonObject) => callOf('mcp__pawl__process_run', input)
  expect(run({ command: 'ls', args: ['-l'] }).capability).toBe('process.run')
  expect(run({ command: 'ls -l' }).capability).toBe('bash')
  const call = run({ command: 'ls', args: ['$(x)'], environment: { LD_PRELOAD: 'x' } })
  expect(call.shell).toMatchObject({ ok: true, commands: [{ words: ['ls', '$(x)'] }] })
  expect(call.shell).toMatchObject({ variablesWritten: ['LD_PRELOAD'] })
  expect(run({ command: 'ls', args: 'x' }).problem).not.toBe(null)
  expect(run({ command: 'ls', environment: ['x'] }).problem).not.toBe(null)
})

test('PowerShell is not read as bash', () => {
  expect(callOf('PowerShell', { command: 'ls' }).shell?.ok).toBe(false)
})

test('a tool that names no file is outside, a shell without a command runs nothing', () => {
  expect(callOf('Read', { offset: 1 })).toMatchObject({ reads: [{ inside: null }], problem: null })
  expect(callOf('Read', {})).toMatchObject({ reads: [], problem: null })
  expect(callOf('Write', { content: 'x' })).toMatchObject({ writes: [{ inside: null }] })
  expect(callOf('Bash', {})).toMatchObject({ shell: { ok: true, commands: [] }, problem: null })
})

test.each([
  ['Bash', { command: 7 }],
  ['Bash', { command: { a: 1 } }],
  ['Bash', { command: ['ls', 7] }],
  ['Bash', { command: 'ls', cwd: 7 }],
  ['Read', { file_path: 7 }],
  ['Read', { file_path: '' }],
  ['Read', { file_path: ['a'] }],
  ['Read', { file_path: 'a\0b' }],
  ['Read', { file_path: '\ud800' }],
  ['Read', { file_path: 'a'.repeat(5000) }],
  ['MultiEdit', { file_path: 'a', edits: 'x' }],
  ['Glob', { pattern: 7 }],
  ['mcp__fs__write_file', { path: { a: 1 }, content: 'x' }],
  ['mcp__fs__read_multiple_files', { paths: [7] }],
] as const)('%s %j cannot be judged', (tool, input) => {
  expect(callOf(tool, input).problem).not.toBe(null)
})

test.each([
  ['lookup', {}],
  ['read', {}],
  ['Grep', {}],
  ['Grep', { pattern: 'x', path: null }],
  ['Edit', { file_path: 'a' }],
  ['Bash', { command: '' }],
  ['mcp__bash__run', {}],
  ['mcp__db__query', { path: 7, file: {} }],
  ['Agent', { prompt: 7 }],
] as const)('%s %j can', (tool, input) => {
  expect(callOf(tool, input).problem).toBe(null)
})

test('no input makes it throw, on whatever host', () => {
  const names = ['Bash', 'Read', 'Edit', 'apply_patch', 'shell', 'write_file', 'read', 'mcp__a__b']
  const tool = fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary' }))
  const key = fc.constantFrom(
    'command',
    'file_path',
    'path',
    'edits',
    'files',
    'args',
    'env',
    'cwd',
  )
  const input = fc.dictionary(fc.oneof(key, fc.string()), fc.jsonValue())
  fc.assert(
    fc.property(tool, input, fc.constantFrom(...hostIds), (name, value, host) => {
      callOf(name, value as JsonObject, { host })
    }),
  )
  for (const odd of [null, [], 'x', 7]) {
    expect(callOf('Read', odd as unknown as JsonObject).problem).not.toBe(null)
  }
})

test('a huge input is read in no time', () => {
  const text = 'x\n'.repeat(500_000)
  callOf('Write', { file_path: 'a', content: text })
  callOf('MultiEdit', { file_path: 'a', edits: [{ old_string: text, new_string: text }] })
  callOf('apply_patch', { command: text }, { host: 'codex' })
  const patch = `*** Begin Patch\n*** Add File: a\n${'+\n'.repeat(490_000)}*** End Patch`
  expect(callOf('apply_patch', { command: patch }, { host: 'codex' }).editLines).toBe(490_000)
  callOf('Read', { file_path: text })
  callOf(text, {})
})

test('a command is read from where the shell stands', () => {
  const standing = (command: string, cwd: string, more: JsonObject = {}) =>
    callOf('Bash', { command, ...more }, { cwd, workspace: '/w' })
  expect(standing('echo x > a.txt', '/w/src').edits).toEqual(['src/a.txt'])
  expect(standing('echo x > ../a.txt', '/w/src').edits).toEqual(['a.txt'])
  expect(standing('echo x > ../a.txt', '/w').edits).toEqual([])
  expect(standing('echo x > a.txt', '/tmp').edits).toEqual([])
  expect(standing('cd lib && echo x > a.txt', '/w/src').edits).toEqual(['src/lib/a.txt'])
  expect(standing('echo x > a.txt', '/w/src', { workdir: 'lib' }).edits).toEqual(['src/lib/a.txt'])
  expect(standing('echo x > a.txt', '/w/src', { workdir: '/w/lib' }).edits).toEqual(['lib/a.txt'])
})
