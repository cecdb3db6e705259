/** What an agent is told through its host about where its run stands. */
import { expect, test } from 'vitest'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { type View, viewMember } from '../../core/dialects/view.ts'
import { mainOf, startFamily } from '../../core/engine/family.ts'
import type { JsonObject } from '../../core/json.ts'
import { sourceOf } from '../../core/source/source.ts'
import { runBriefText } from './agent-messages.ts'

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

test('the rules are told whole where the instructions are too long', () => {
  const text = runBriefText('r', viewOf({ ...limits, instructions: 'Do it. '.repeat(400) }), '')
  expect(text).toContain('Commands: only `npm test`.')
  expect(text).toContain('Variables: DB_URL blocked; CI set for you.')
  expect(text).toContain('at most 20 lines per edit')
  expect(text).toContain('To move on, call pawl_transition')
  expect(text.length).toBeLessThanOrEqual(1_600)
})

test('the rules are told once', () => {
  const text = runBriefText('r', viewOf(limits), '')
  expect(text.split('Commands:')).toHaveLength(2)
})

const limits = {
  allowed_commands: ['npm test'],
  blocked_env: ['DB_URL'],
  env_overrides: { CI: '1' },
  max_edit_lines: 20,
}
