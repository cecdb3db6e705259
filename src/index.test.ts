import { expect, test } from 'vitest'
import * as pawl from './index.ts'

test('a definition can be read, checked, run and drawn with what is exported', () => {
  const text = JSON.stringify({
    name: 'x',
    initial: 'a',
    states: { a: { question: 'ok?', answers: { yes: { next: null, action: 'complete' } } } },
  })
  const { root, findings } = pawl.readSource(text)
  expect(findings).toEqual([])
  if (root === null) throw new Error('no tree')
  const compiled = pawl.compileDefinition(root)
  const [machine] = compiled.machines
  if (machine === undefined) throw new Error('no machine')
  const context = { library: () => undefined, at: 0, actor: { kind: 'agent', name: 'a' } } as const
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const { family } = pawl.startFamily({ runId: 'r', machine }, start, context)
  const command = pawl.toCommand(machine, { kind: 'answer', answer: 'yes', stage: null })
  const answered = pawl.commandFamily(family, { command, branch: null }, context)
  expect(pawl.viewMember(answered.family, pawl.mainOf(answered.family)).status).toBe('completed')
  expect(pawl.printMermaid(pawl.pictureOf(machine))).toContain('ok?')
})
