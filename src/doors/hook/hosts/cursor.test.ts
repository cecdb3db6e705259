import { expect, test } from 'vitest'
import type { HookOutput } from '../../api/hook-exchange.ts'
import { type HookAnswer, printReply } from '../hook-protocol.ts'
import { cursorHooks } from './cursor.ts'

function answer(name: string, word: HookAnswer): HookOutput {
  const fields = { conversation_id: 'c', tool_name: 'MCP:pawl_wait', tool_input: '{}' }
  const heard = cursorHooks.read({ hook_event_name: name, ...fields })
  if (heard === null) throw new Error(`${name} is not read`)
  return printReply(cursorHooks.answer(heard, word, 'command'))
}

const input = { _pawl: { run: 'r' } }

test("Pawl's own tools pass where their input cannot be changed; others that change do not", () => {
  const own: HookAnswer = { kind: 'pass', input, context: '', isOwn: true }
  expect(JSON.parse(answer('preToolUse', own).stdout)).toEqual({
    permission: 'allow',
    updated_input: input,
  })
  expect(answer('beforeMCPExecution', own)).toMatchObject({
    exit: 0,
    stdout: '{"permission":"allow"}\n',
  })
  const other: HookAnswer = { ...own, isOwn: false }
  expect(answer('beforeMCPExecution', other).exit).toBe(2)
})
