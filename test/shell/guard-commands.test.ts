/**
 * Lists of whole programs, and stages that may edit: what runs another program, changes a protected
 * file or speaks for a person is denied under every spelling, and ordinary work passes.
 */
import { expect, test } from 'vitest'
import commands from '../fixtures/guard-commands.json' with { type: 'json' }
import { guardedRun } from './guarded-run.ts'

type Verdict = 'allow' | 'deny'

const listed = guardedRun({ allowed_tools: ['Read', 'Bash'], allowed_commands: commands.list })
const editing = guardedRun({ allowed_tools: ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash'] })

function wrong(check: typeof listed, list: readonly string[], verdict: Verdict): readonly string[] {
  return list.filter((command) => check('Bash', { command }).verdict !== verdict)
}

test('an option, a variable or a subscript makes no listed program another one', () => {
  expect(wrong(listed, commands.deniedByList, 'deny')).toEqual([])
})

test('no command of a stage that edits reaches protected files, or approves for a person', () => {
  expect(wrong(editing, commands.deniedWhereEditing, 'deny')).toEqual([])
})

test('ordinary work of a stage that edits passes', () => {
  expect(wrong(editing, commands.allowedWhereEditing, 'allow')).toEqual([])
})
