import { expect, test } from 'vitest'
import type { DialectName } from '../machine/machine.ts'
import { readSource } from '../source/read-source.ts'
import { compileDefinition } from './compile-definition.ts'
import { editStage, type StageEdit } from './edit-stage.ts'

const workflow = `# mine
id: w
initial: a
states:
  a: { on: { GO: b } } # the first
  b: { type: final }
`
const workflowJson = `{
  "id": "w", // mine
  "initial": "a",
  "states": {
    "a": { "on": { "GO": "b" } },
    "b": { "type": "final" }
  }
}
`
const process = `# mine
name: p
initial: a
states:
  a:
    question: Is it?
    answers:
      go: { next: b }
  b: { question: Done. }
`
const processJson = JSON.stringify({
  name: 'p',
  initial: 'a',
  states: { a: { question: 'Is it?', answers: { go: { next: 'b' } } }, b: { question: 'Done.' } },
})
const steps = `# mine
type: steps
id: s
steps:
  - id: a
    goal: First
    next: [{ id: b }]
  - id: b
    goal: Then
`
const stepsJson = JSON.stringify({
  type: 'steps',
  id: 's',
  steps: [
    { id: 'a', goal: 'First', next: [{ id: 'b' }] },
    { id: 'b', goal: 'Then' },
  ],
})

const texts: Readonly<Record<DialectName, readonly [yaml: string, json: string]>> = {
  workflow: [workflow, workflowJson],
  process: [process, processJson],
  steps: [steps, stepsJson],
}

function machineOf(text: string) {
  const { root } = readSource(text)
  if (root === null) throw new Error('it cannot be read')
  return compileDefinition(root).machines[0] ?? null
}

const each = Object.entries(texts).flatMap(([dialect, [yaml, json]]) => [
  { dialect: dialect as DialectName, format: 'yaml', text: yaml },
  { dialect: dialect as DialectName, format: 'json', text: json },
])

test.each(each)('a $dialect in $format takes a stage and a route to it', ({ dialect, text }) => {
  const edit = (from: string | null, change: StageEdit) =>
    from === null ? null : editStage(from, dialect, change)
  const grown = edit(text, { kind: 'add-stage', stage: 'c' })
  const routed = edit(grown, { kind: 'add-route', stage: 'b', signal: 'ON', target: 'c' })
  const told = edit(routed, { kind: 'tell', stage: 'b', brief: 'Say it: "so".' })
  expect(told).toContain('c')
  if (text.includes('mine')) expect(told).toContain('mine')
  const stages = readSource(told ?? '').root
  expect(stages).not.toBeNull()
  expect(told).toContain('Say it')
  const without = edit(told, { kind: 'remove-stage', stage: 'c' })
  const cleared = edit(without, { kind: 'remove-route', stage: 'b', signal: 'ON' })
  expect(Object.keys(machineOf(cleared ?? '')?.stages ?? {})).toEqual(['a', 'b'])
})

test('what is there already is not put over, and what is not there is not taken away', () => {
  for (const { dialect, text } of each) {
    expect(editStage(text, dialect, { kind: 'add-stage', stage: 'a' })).toBeNull()
    expect(editStage(text, dialect, { kind: 'remove-stage', stage: 'zz' })).toBeNull()
    const route = { kind: 'add-route', stage: 'a', signal: 'GO', target: 'b' } as const
    if (dialect === 'workflow') expect(editStage(text, dialect, route)).toBeNull()
  }
  expect(editStage('nonsense: [', 'workflow', { kind: 'add-stage', stage: 'a' })).toBeNull()
})
