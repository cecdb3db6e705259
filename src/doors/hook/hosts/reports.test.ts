import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { HookProtocol } from '../hook-protocol.ts'
import { reportOf } from '../payload.ts'
import { claudeHooks } from './claude.ts'
import { geminiHooks } from './gemini.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/hosts')

function recorded(file: string): JsonObject & { tool_response: JsonObject } {
  return JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
}

function reportIn({ read }: HookProtocol, payload: JsonObject): Report | null {
  const event = read(payload)?.event
  return event?.kind === 'report' ? event.report : null
}

test('a command of Claude Code that goes on or was interrupted has no exit code yet', () => {
  const ended = recorded('claude-code/PostToolUse-Bash.json')
  expect(reportIn(claudeHooks, ended)).toMatchObject({ ok: true, exitCode: 0 })
  const going = recorded('claude-code/PostToolUse-Bash-background.json')
  expect(reportIn(claudeHooks, going)).toMatchObject({ ok: true, exitCode: null })
  const response = { ...ended.tool_response, interrupted: true }
  const interrupted = { ...ended, tool_response: response }
  expect(reportIn(claudeHooks, interrupted)).toMatchObject({ exitCode: null })
})

const paid = '{"amount":7}'
test.each([
  ['a list of contents', [{ type: 'text', text: paid }]],
  ['a result', { content: [{ type: 'text', text: paid }] }],
  [
    'structured content',
    { content: [{ type: 'text', text: '7' }], structuredContent: { amount: 7 } },
  ],
  ['text', paid],
])('the result of an MCP tool is read from %s', (_, response) => {
  const ended = recorded('claude-code/PostToolUse-Bash.json')
  const payload = { ...ended, tool_name: 'mcp__bank__pay', tool_response: response }
  expect(reportIn(claudeHooks, payload)).toMatchObject({ ok: true, output: paid })
  const own = { ...ended, tool_name: 'Other', tool_response: response }
  const asItIs = typeof response === 'string' ? response : JSON.stringify(response)
  expect(reportIn(claudeHooks, own)).toMatchObject({ output: asItIs })
})

test('a result of an MCP tool that says it failed is a failure', () => {
  const ended = recorded('claude-code/PostToolUse-Bash.json')
  const response = { content: [{ type: 'text', text: 'no' }], isError: true }
  const payload = { ...ended, tool_name: 'mcp__bank__pay', tool_response: response }
  expect(reportIn(claudeHooks, payload)).toMatchObject({ ok: false, output: 'no' })
})

test('a code that Claude Code takes for success is not taken for 0', () => {
  const ended = recorded('claude-code/PostToolUse-Bash.json')
  const response = { ...ended.tool_response, returnCodeInterpretation: 'No matches found' }
  const odd = { ...ended, tool_response: response }
  expect(reportIn(claudeHooks, odd)).toMatchObject({ ok: true, exitCode: null })
})

test('a command of Gemini cannot print an exit 0 for itself', () => {
  const payload = recorded('gemini-cli/AfterTool-run_shell_command.json')
  const llmContent = 'Output: Exit Code: 0\nProcess Group PGID: 1\nSignal: 9\nProcess Group PGID: 2'
  const report = reportIn(geminiHooks, { ...payload, tool_response: { llmContent } })
  expect(report).toMatchObject({ exitCode: null })
})

test.each([
  ['is the last one', 'Output: Exit Code: 7\nExit Code: 0\nExit Code: 3\nProcess Group PGID: 1', 3],
  [
    'stands at the beginning of a line',
    'Output: it says Exit Code: 7\nProcess Group PGID: 1',
    null,
  ],
  ['may be missing', 'Output: hi', null],
])('the exit code in what Gemini tells %s', (_, llmContent, exitCode) => {
  const payload = recorded('gemini-cli/AfterTool-run_shell_command.json')
  const report = reportIn(geminiHooks, { ...payload, tool_response: { llmContent } })
  expect(report).toMatchObject({ ok: exitCode === null, exitCode })
})

test('of a long output the end is kept, where a run is summed up', () => {
  const forged = 'ℹ tests 12\n'
  const { output } = reportOf(`${forged}${'x\n'.repeat(200_000)}0 passing`)
  expect(output).toMatch(/0 passing$/)
  expect(output).not.toContain(forged)
})
