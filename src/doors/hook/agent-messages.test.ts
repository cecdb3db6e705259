/** What an agent is told through its host about where its run stands. */
import { expect, test } from 'vitest'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { type View, viewMember } from '../../core/dialects/run-view.ts'
import { mainOf, startFamily } from '../../core/engine/family.ts'
import { formatHint } from '../../core/engine/format-hint.ts'
import type { Alternative } from '../../core/engine/types.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import { sourceOf } from '../../core/source/source.ts'
import { refusalText, runBriefText } from './agent-messages.ts'

function viewOf(state: JsonObject): View {
  const states = { work: { on: { DONE: 'done' }, ...state }, done: { type: 'final' } }
  const { machines } = compileDefinition(sourceOf({ id: 'fix', initial: 'work', states }))
  const machine = machines[0]
  if (machine === undefined) throw new Error('the definition has errors')
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const actor = { kind: 'agent', name: 'agent' } as const
  const context = { library: () => undefined, at: 0, actor }
  const { family } = startFamily({ runId: 'r', machine }, start, context)
  return viewMember(family, mainOf(family))
}

function briefOf(state: JsonObject, host: AgentHostId = 'claude'): string {
  return runBriefText({ runId: 'r', view: viewOf(state), notice: '', host })
}

test('the rules are told whole where the instructions are too long', () => {
  const text = briefOf({ ...limits, instructions: 'Do it. '.repeat(400) })
  expect(text).toContain('Commands: only `npm test`.')
  expect(text).toContain('Variables: DB_URL blocked; CI set for you.')
  expect(text).toContain('at most 20 lines per edit')
  expect(text).toContain('To move on, call `mcp__pawl__pawl_transition` (event `DONE`')
  expect(text.length).toBeLessThanOrEqual(1_280)
})

test('the rules are told once', () => {
  const text = briefOf(limits)
  expect(text.split('Commands:')).toHaveLength(2)
})

const limits = {
  allowed_commands: ['npm test'],
  blocked_env: ['DB_URL'],
  env_overrides: { CI: '1' },
  max_edit_lines: 20,
}

const reading = { allowed_tools: ['Read', 'Grep', 'Glob', 'Write', 'mcp__tracker__show'] }

test.each<[AgentHostId, string, string]>([
  [
    'claude',
    'Tools: Read, Write, mcp__tracker__show; look at named files and folders with `grep`, `rg`, ' +
      '`find` or `ls` in Bash.',
    '`mcp__pawl__pawl_transition` (event `DONE`) (if it is not loaded, find it with `ToolSearch`)',
  ],
  [
    'codex',
    'Tools: apply_patch, mcp__tracker__show; look at named files and folders with `cat`, ' +
      '`sed -n`, `grep`, `rg`, `find` or `ls` in exec_command.',
    '`mcp__pawl__pawl_transition` (event `DONE`) (if it is not loaded, find it with `tool_search`)',
  ],
  [
    'gemini',
    'Tools: read_file, grep_search, glob, write_file, mcp_tracker_show.',
    'call `mcp_pawl_pawl_transition` (event `DONE`).',
  ],
  [
    'qwen',
    'Tools: read_file, grep_search, glob, write_file, mcp__tracker__show.',
    '`mcp__pawl__pawl_transition` (event `DONE`) (if it is not loaded, find it with `tool_search`)',
  ],
  [
    'copilot',
    'Tools: view, grep, glob, create, tracker-show.',
    'call `pawl-pawl_transition` (event `DONE`).',
  ],
  [
    'pi',
    'Tools: read, write, mcp__tracker__show; look at named files and folders with',
    'call `mcp__pawl__pawl_transition` (event `DONE`).',
  ],
  [
    'cline',
    'Tools: read_files, search_codebase, editor, tracker__show; look at named files and folders',
    'call `pawl__pawl_transition` (event `DONE`).',
  ],
  [
    'kimi',
    'Tools: Read, Grep, Glob, Write, mcp__tracker__show.',
    '(event `DONE`) (if it is not loaded, find it with `select_tools`)',
  ],
  [
    'opencode',
    'Tools: read, grep, glob, write, tracker_show.',
    'call `pawl_pawl_transition` (event `DONE`).',
  ],
])('%s: the brief names the tools of the host, and how to look there', (host, tools, way) => {
  const text = briefOf(reading, host)
  expect(text).toContain(tools)
  expect(text).toContain(way)
})

const denied = {
  code: 'TOOL_NOT_ALLOWED',
  reason: '`Bash` may not be used in `work`',
  rule: '/states/work/allowed_tools',
} as const

function refusalOf(
  instead: readonly Alternative[],
  host: AgentHostId,
  reason: string = denied.reason,
): string {
  const hint = formatHint('', instead)
  return refusalText({ ...denied, reason, hint, instead }, { host, dialect: 'workflow' })
}

test('a refusal names what the host has, and the full name of the tool to move on', () => {
  const instead: readonly Alternative[] = [
    { kind: 'tool', name: 'Read', asks: false },
    { kind: 'tool', name: 'Grep', asks: false },
    { kind: 'signal', name: 'DONE', asks: false, needs: ['bug'] },
  ]
  expect(refusalOf(instead, 'gemini')).toBe(
    'Pawl denied this call: `Bash` may not be used in `work` [TOOL_NOT_ALLOWED, rule ' +
      '/states/work/allowed_tools]. Use `read_file` or `grep_search`, or to move on, call ' +
      '`mcp_pawl_pawl_transition` (event `DONE` with `bug`).',
  )
  expect(refusalOf(instead, 'codex')).toContain(
    'Look at named files and folders with `cat`, `sed -n`, `grep` or `rg` in exec_command, or',
  )
})

test('a refusal has at most 120 tokens, and says how to go on', () => {
  const many = Array.from({ length: 40 }, (_, at) => `npm run task-number-${at}`)
  const instead: readonly Alternative[] = [
    ...many.map((entry) => ({ kind: 'command', entry, asks: false }) as const),
    { kind: 'signal', name: 'DONE', asks: true, needs: [] },
  ]
  const text = refusalOf(instead, 'claude', `\`${'x'.repeat(2_000)}\` is not allowed`)
  expect(text.length).toBeLessThanOrEqual(480)
  expect(text).toContain('`mcp__pawl__pawl_transition` (event `DONE`')
  expect(text).toContain('`mcp__pawl__pawl_get_state` lists all')
  expect(text).not.toMatch(/\d+ more/)
})
