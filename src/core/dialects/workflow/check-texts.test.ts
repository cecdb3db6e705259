import { expect, test } from 'vitest'
import { sourceOf } from '../../source/source.ts'
import { compileDefinition } from '../compile-definition.ts'

/** What is said about a list of tools. */
function remarksOn(tools: readonly string[], field = 'allowed_tools') {
  const states = { work: { [field]: [...tools], on: { DONE: 'done' } }, done: { type: 'final' } }
  const { findings } = compileDefinition(sourceOf({ id: 'x', initial: 'work', states }))
  return findings.filter(({ code }) => code === 'TOOL_UNKNOWN')
}

test.each([
  ['Raed', 'Read'],
  ['Bsah', 'Bash'],
  ['Gerp', 'Grep'],
  ['GREP', 'Grep'],
  ['Todowrite', 'TodoWrite'],
  ['toolsearch', 'ToolSearch'],
])('%s is no tool, and %s was probably meant', (wrong, meant) => {
  const [found, ...more] = remarksOn(['Read', wrong])
  expect(more).toEqual([])
  expect(found).toMatchObject({ severity: 'warning', pointer: '/states/work/allowed_tools/1' })
  expect(found?.message).toContain(`\`${wrong}\``)
  expect(found?.hint.toLowerCase()).toContain(meant.toLowerCase())
})

test('a tool that is denied can be misspelt as well', () => {
  expect(remarksOn(['Bahs'], 'disallowed_tools')).toMatchObject([
    { pointer: '/states/work/disallowed_tools/0' },
  ])
})

test('a name that resembles nothing is told how names are written', () => {
  expect(remarksOn(['frobnicate'])[0]?.hint).toContain('mcp__server__tool')
})

test.each([
  ...['Read', 'read_file', 'apply_patch', 'Bash', 'bash', 'ToolSearch', 'update_topic', 'Skill'],
  ...['mcp__github__create_issue', 'mcp:github:create_issue', 'Bash(npm test:*)', 'mcp__*'],
  ...['process_run', 'process.run', 'run_tests', 'gitStatus', 'collaborationspawn_agent'],
])('%s is known, or may be', (tool) => {
  expect(remarksOn([tool])).toEqual([])
})
