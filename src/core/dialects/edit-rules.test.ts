/** Rules that are edited in forms: the text says the new rule, and keeps everything else. */
import { describe, expect, test } from 'vitest'
import { readSource } from '../source/read-source.ts'
import { compileDefinition } from './compile-definition.ts'
import { dropGuard, guardsOf } from './edit-route-guard.ts'
import {
  evidenceGuardsOf,
  putEvidenceGuard,
  putRouteGate,
  putStageRule,
  routeGateOf,
  stageRuleFields,
  stageRuleOf,
} from './edit-rules.ts'
import type { EditableDefinition } from './editable-definition.ts'

const yaml = `\
# A small fix.
id: fix
initial: work
states:
  work:
    allowed_tools: [Read, Edit, Bash] # no web
    allowed_commands:
      - npm test # the tests
      - git diff
    max_iterations: 12
    on:
      GO: done
      SHIP: { target: done, guard: green } # with proof
  done: { type: final }
guards:
  green: { evidence: npm test, exit: 0, folder: . }
  named: { field: version, op: exists }
`
const json = `{
  "id": "fix", "initial": "work",
  "states": {
    "work": {
      "allowed_tools": ["Read", "Edit", "Bash"],
      "allowed_commands": ["npm test", "git diff"],
      "max_iterations": 12,
      "on": { "GO": "done", "SHIP": { "target": "done", "guard": "green" } }
    },
    "done": { "type": "final" }
  },
  "guards": {
    "green": { "evidence": "npm test", "exit": 0, "folder": "." },
    "named": { "field": "version", "op": "exists" }
  }
}
`

function written(text: string): EditableDefinition {
  const { root } = readSource(text)
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (root === null || machine === undefined) throw new Error(`it does not load:\n${text}`)
  return { text, root, machine }
}

function taken(text: string | null): EditableDefinition {
  if (text === null) throw new Error('the text did not take it')
  return written(text)
}

describe.each([['yaml', yaml] as const, ['json', json] as const])('in %s', (format, text) => {
  const rule = (one: EditableDefinition, key: string) => stageRuleOf(one, 'work', key)
  const put = (key: string, value: readonly string[] | number | null) =>
    taken(putStageRule(written(text), 'work', { key, value }))

  test.each(stageRuleFields)('$label are put, changed and taken away', ({ key, kind }) => {
    const [first, second] = kind === 'list' ? [['Read', 'Glob'], []] : [3, 4]
    const once = put(key, first)
    expect(rule(once, key)).toEqual(first)
    const twice = taken(putStageRule(once, 'work', { key, value: second }))
    expect(rule(twice, key)).toEqual(second)
    const never = taken(putStageRule(twice, 'work', { key, value: null }))
    expect(rule(never, key)).toBeNull()
  })

  test('what is not changed stays as it was written', () => {
    const tools = put('allowed_tools', ['Read', 'Bash', 'Grep']).text
    expect(tools.split('\n').filter((line) => !text.split('\n').includes(line))).toHaveLength(1)
    const commands = put('allowed_commands', ['npm test', 'git log']).text
    if (format === 'yaml') {
      expect(tools).toMatch(/allowed_tools: \[ ?Read, Bash, Grep ?\] # no web/)
      expect(commands).toContain('- npm test # the tests')
    }
    expect(put('max_iterations', 12).text).toBe(text)
    expect(put('max_iterations', 13).text).toBe(text.replace('12', '13'))
  })

  test('a gate is put on a transition, told apart from others, and taken away', () => {
    const of = (one: EditableDefinition, name: string) =>
      routeGateOf(one, `/states/work/on/${name}`)
    expect(of(written(text), 'GO')).toBeNull()
    const gate = { message: 'Ship it?', needed: 2 }
    const gated = taken(putRouteGate(written(text), '/states/work/on/GO', gate))
    expect(of(gated, 'GO')).toEqual(gate)
    expect(of(gated, 'SHIP')).toBeNull()
    const fewer = { message: '', needed: 1 }
    const changed = taken(putRouteGate(gated, '/states/work/on/GO', fewer))
    expect(of(changed, 'GO')).toEqual(fewer)
    expect(of(taken(putRouteGate(changed, '/states/work/on/GO', null)), 'GO')).toBeNull()
    const guarded = taken(putRouteGate(written(text), '/states/work/on/SHIP', fewer))
    expect(guarded.machine.stages.work?.signals.SHIP?.routes[0]).toMatchObject({
      guards: [{ name: 'green' }],
      gate: expect.anything(),
    })
  })

  test('evidence is added and changed, and what a form cannot say of it stays', () => {
    const wanted = { evidence: 'npm run lint', exit: 0, tests_min: null, fresh: true }
    const added = taken(putEvidenceGuard(written(text), 'clean', wanted))
    expect(evidenceGuardsOf(added).clean).toEqual(wanted)
    const green = { evidence: 'npm test', exit: 'nonzero', tests_min: 2, fresh: null }
    const changed = taken(putEvidenceGuard(written(text), 'green', green))
    expect(evidenceGuardsOf(changed)).toEqual({ green })
    expect(changed.text).toContain('folder')
  })

  test('guards that compare and guards that want evidence are told apart', () => {
    expect(Object.keys(guardsOf(written(text)))).toEqual(['named'])
    expect(Object.keys(evidenceGuardsOf(written(text)))).toEqual(['green'])
    expect(dropGuard(written(text), 'green')).toBeNull()
    expect(dropGuard(written(text), 'named')).not.toBeNull()
  })
})

test('other dialects take none of it', () => {
  const process = written('name: p\ninitial: a\nstates: { a: { question: q } }\n')
  expect(putStageRule(process, 'a', { key: 'max_iterations', value: 1 })).toBeNull()
  expect(putRouteGate(process, '/states/a', { message: '', needed: 1 })).toBeNull()
  expect(evidenceGuardsOf(process)).toEqual({})
})
