/** Template files around a definition, and putting a name into a definition's text. */
import { expect, test } from 'vitest'
import { positionOf } from '../source/source.ts'
import { compileDefinition } from './compile-definition.ts'
import { readDefinitionSource, upstreamServersOf } from './definition-wrapper.ts'
import { renameDefinition } from './rename-definition.ts'

const definition = {
  id: 'fix',
  initial: 'a',
  states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
}
const server = { name: 'files', command: 'npx', args: ['-y', 'files'], env: { A: '1' } }
const wrap = (more: object): string => JSON.stringify({ definition, ...more })

test('a definition inside a template file is the definition', () => {
  const { root, findings } = readDefinitionSource(wrap({ upstream_servers: [] }))
  expect(findings).toEqual([])
  expect(root && compileDefinition(root).machines.map(({ name }) => name)).toEqual(['fix'])
})

test('findings in a template file stand where the author wrote them', () => {
  const broken = JSON.stringify({ ...definition, initial: 'x' })
  const text = `{\n "definition": ${broken},\n "upstrem": []}`
  const { root, findings } = readDefinitionSource(text)
  expect(findings.map(({ code, offset }) => [code, text.slice(offset)])).toEqual([
    ['FIELD_UNKNOWN', '"upstrem": []}'],
  ])
  const [wrong] = root === null ? [] : compileDefinition(root).findings
  expect(wrong && text.slice(positionOf(root, wrong)?.start)).toMatch(/^"x"/)
})

test('what only looks like a template file is read as it is', () => {
  for (const other of [
    { ...definition, definition },
    { definition, steps: [] },
    { definition: 3 },
  ]) {
    expect(readDefinitionSource(JSON.stringify(other)).root?.pointer).toBe('')
  }
})

test('servers of a template file are read, unless they have errors', () => {
  expect(upstreamServersOf(wrap({ upstream_servers: [server] }))).toEqual([server])
  expect(upstreamServersOf(wrap({ upstream_servers: [{ ...server, command: 3 }] }))).toEqual([])
  expect(upstreamServersOf(JSON.stringify(definition))).toEqual([])
})

test.each([
  ['a workflow', JSON.stringify(definition), '"id":"new"'],
  ['one without an id', JSON.stringify({ ...definition, id: undefined }), '"new"'],
  ['a template file', wrap({}), '{"definition":{"id":"new"'],
  ['a process', 'name: old # mine\nstates: { q: { question: Well? } }\n', 'name: new # mine'],
  ['a form', 'id: old\nsteps: [{ id: A, goal: x }]\n', 'id: new\n'],
  ['a form in its envelope', 'context: { task: { id: old, steps: [] } }', 'task: { id: new,'],
])('the name of %s is put where its dialect has it', (_, text, expected) => {
  expect(renameDefinition(text, 'new')).toContain(expected)
})

test('a text without a place for the name, or with it already, stays as it is', () => {
  for (const text of ['{', '{"a": 1}', JSON.stringify({ ...definition, id: 'new' })]) {
    expect(renameDefinition(text, 'new')).toBe(text)
  }
})
