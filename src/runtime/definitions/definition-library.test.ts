import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { definitionNames, openLibraries } from './definition-library.ts'
import { readDefinition } from './read-definition.ts'

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-library-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const processOf = (name: string, prompt = '') => ({
  name,
  initial: 'a',
  initial_prompt: prompt,
  states: { a: { question: '?', answers: { yes: { next: null, action: 'complete' } } } },
})
const task = (id: string) => ({
  type: 'steps',
  id,
  steps: [{ id: 'one', goal: 'Ask.', inputs: [{ name: 'x', type: 'string' }] }],
})

test('definitions are found in the folder by what they call themselves, not by their file', () => {
  const folder = folderOf({
    'me.json': processOf('me'),
    'x.yaml': JSON.stringify(processOf('other')),
    'forms.json': { context: { task: [task('first'), task('second')] } },
    'wrong.json': '{',
    'package.json': { name: 'package', version: '1' },
    'a.cases.json': processOf('cases'),
  })
  const library = openLibraries()(join(folder, 'me.json'))
  expect(library.machine('other')?.name).toBe('other')
  expect(library.machine('second')?.name).toBe('second')
  expect(library.machine('x')).toBeUndefined()
  expect(library.machine('package')).toBeUndefined()
  expect(library.machine('constructor')).toBeUndefined()
  expect([...library.names()].sort()).toEqual(['first', 'me', 'other', 'second'])
})

test('a given file comes before a neighbour of the same name', () => {
  const folder = folderOf({ 'a.json': processOf('twin', 'near') })
  const elsewhere = folderOf({ 'b.json': processOf('twin', 'given') })
  const path = join(elsewhere, 'b.json')
  const libraries = openLibraries(new Map([[path, readDefinition(path)]]))
  expect(libraries(join(folder, 'a.json')).machine('twin')?.prompt).toBe('given')
})

test('a definition with errors is there, but gives no machine', () => {
  const folder = folderOf({ 'a.json': { ...processOf('bad'), initial: 'nowhere' } })
  const library = openLibraries()(join(folder, 'me.json'))
  expect(library.machine('bad')).toBeUndefined()
  expect(library.definition('bad')?.file.path).toBe(join(folder, 'a.json'))
})

test('the folder is not looked at before something is asked for', () => {
  expect(() => openLibraries()('/no/such/folder/me.json')).not.toThrow()
})

test('what is no definition has no names', () => {
  const folder = folderOf({ 'a.json': { name: 'x', id: 'y' } })
  const { root } = readDefinition(join(folder, 'a.json'))
  expect(root === null ? null : definitionNames(root)).toEqual([])
})
