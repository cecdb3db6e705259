import { expect, test } from 'vitest'
import { callOf } from './call-builder.contract.ts'
import { ruleOnEdits } from './rule-on-edits.ts'

const text = (lines: number) => 'x\n'.repeat(lines)
const patch = (lines: number) =>
  `*** Begin Patch\n*** Add File: a\n${'+x\n'.repeat(lines)}*** End Patch`

test.each([
  ['Edit', { file_path: 'a', old_string: 'x', new_string: text(5) }, 'claude'],
  ['Write', { file_path: 'a', content: text(5) }, 'claude'],
  ['Write', { file_path: 'a', content: '' }, 'claude'],
  ['NotebookEdit', { notebook_path: 'a', new_source: text(5) }, 'claude'],
  ['replace', { file_path: 'a', old_string: 'x', new_string: text(5) }, 'gemini'],
  ['edit', { filePath: 'a', oldString: 'x', newString: text(5) }, 'opencode'],
  ['apply_patch', { command: patch(5) }, 'codex'],
  ['Read', { file_path: 'a', limit: 900 }, 'claude'],
  ['Bash', { command: 'make' }, 'claude'],
  ['Bash', { command: `cat > a <<'EOF'\n${text(5)}EOF` }, 'claude'],
  ['Bash', { command: `apply_patch <<'EOF'\n${patch(5)}\nEOF` }, 'codex'],
  ['Bash', { command: `printf '1\\n2\\n3\\n4\\n5' > a` }, 'claude'],
  ['Bash', { command: 'echo 1 > a; echo 2 >> a; echo 3 >> a; echo 4 >> a; echo 5 >> a' }, 'claude'],
  ['Bash', { command: `echo '1\\n2\\n3\\n4\\n5\\n6'; echo 7 > a` }, 'claude'],
  ['Bash', { command: 'printf "%s %s\\n" a b c d e f g h i j > a' }, 'claude'],
  ['Bash', { command: 'echo 1; echo 2; echo 3; echo 4; echo 5; echo 6' }, 'claude'],
  ['mcp__fs__write_file', { path: 'a', content: text(5) }, 'claude'],
  ['mcp__fs__create_directory', { path: 'a' }, 'claude'],
  ['mcp__tickets__edit', { id: 4 }, 'claude'],
] as const)('%s %j fits into five lines', (tool, input, host) => {
  expect(ruleOnEdits(callOf(tool, input, { host }), 5)).toBe(null)
})

test.each([
  ['Edit', { file_path: 'a', old_string: 'x', new_string: text(6) }, 'claude'],
  ['Edit', { file_path: 'a', old_string: text(6), new_string: '' }, 'claude'],
  ['Edit', { file_path: 'a', new_string: 'y' }, 'claude'],
  ['Edit', { file_path: 'a' }, 'claude'],
  ['Write', { file_path: 'a', content: text(6) }, 'claude'],
  ['Write', { file_path: 'a' }, 'claude'],
  ['MultiEdit', { file_path: 'a', edits: [{ old_string: 'x', new_string: text(6) }] }, 'claude'],
  ['NotebookEdit', { notebook_path: 'a', new_source: text(6) }, 'claude'],
  ['NotebookEdit', { notebook_path: 'a', edit_mode: 'delete' }, 'claude'],
  ['write_file', { file_path: 'a', content: text(6) }, 'gemini'],
  ['write_file', { path: 'a', content: text(6) }, 'claude'],
  ['edit', { filePath: 'a', oldString: 'x', newString: text(6) }, 'opencode'],
  ['apply_patch', { command: patch(6) }, 'codex'],
  ['apply_patch', { command: '*** Begin Patch\n*** Delete File: a\n*** End Patch' }, 'codex'],
  ['Bash', { command: `cat > a <<'EOF'\n${text(6)}EOF` }, 'claude'],
  ['Bash', { command: `printf '%s' '${text(6)}' > a` }, 'claude'],
  ['Bash', { command: `printf '1\\n2\\n3\\n4\\n5\\n6' > a` }, 'claude'],
  ['Bash', { command: `printf '%s\\n' 1 2 3 4 5 6 | tee a` }, 'claude'],
  ['Bash', { command: `echo -e '1\\n2\\n3\\n4\\n5\\n6' >> a` }, 'claude'],
  ['Bash', { command: `{ ${'echo x; '.repeat(6)}} > a` }, 'claude'],
  ['Bash', { command: `bash -c 'printf "1\\n2\\n3\\n4\\n5\\n6" > a'` }, 'claude'],
  ['Bash', { command: `apply_patch <<'EOF'\n${patch(6)}\nEOF` }, 'codex'],
  ['mcp__fs__write_file', { path: 'a', content: text(6) }, 'claude'],
  ['mcp__fs__edit_file', { path: 'a', edits: [{ oldText: 'x', newText: text(6) }] }, 'claude'],
] as const)('%s %j does not fit into five lines', (tool, input, host) => {
  const denial = ruleOnEdits(callOf(tool, input, { host }), 5)
  expect(denial?.code).toBe('EDIT_TOO_LARGE')
  expect(denial?.hint).not.toBe('')
})

test('without a limit every size is fine', () => {
  const input = { file_path: 'a', content: text(10_000) }
  expect(ruleOnEdits(callOf('Write', input), null)).toBe(null)
})
