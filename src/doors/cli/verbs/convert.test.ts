/** `pawl convert` writes what keeps its meaning, and says what would not. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileDefinition } from '../../../core/dialects/compile-definition.ts'
import { readSource } from '../../../core/source/read-source.ts'
import type { Node } from '../../../core/source/source.ts'
import { type FakeIoResult, folderOf, goodWorkflow, runIn } from '../fake-io.contract.ts'

function convert(folder: string, ...args: readonly string[]): Promise<FakeIoResult> {
  return runIn(folder, ['convert', ...args])
}

const plain = {
  id: 'plain',
  initial: 'a',
  states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
}
const asProcess = {
  name: 'plain',
  initial: 'a',
  states: { a: { question: 'a', answers: { GO: { next: 'b' } } }, b: { question: 'b' } },
}
const task = (id: string) => ({ id, steps: [{ id: 'A', goal: 'Go.' }] })

test('a definition that keeps its meaning is printed as JSON', async () => {
  const folder = folderOf({ 'a.json': plain })
  const said = await convert(folder, 'a.json', '--to', 'process')
  expect(said).toEqual({ code: 0, out: `${JSON.stringify(asProcess, null, 2)}\n`, err: '' })
})

test('it is printed as YAML when that is asked for', async () => {
  const folder = folderOf({ 'a.json': plain })
  const { code, out } = await convert(folder, 'a.json', '--to', 'process', '--format', 'yaml')
  expect(code).toBe(0)
  expect(out).toContain('name: plain\ninitial: a\n')
  const { machines } = compileDefinition(readSource(out, 'yaml').root as Node)
  expect(machines[0]?.dialect).toBe('process')
})

test('an output file is written, in the format that its ending tells', async () => {
  const folder = folderOf({ 'a.json': plain })
  for (const [name, begin] of [
    ['new/b.yaml', 'name: plain'],
    ['b.YML', 'name: plain'],
    ['b.json', '{\n  "name": "plain"'],
  ] as const) {
    const said = await convert(folder, 'a.json', '--to', 'process', '--out', name)
    expect(said).toEqual({ code: 0, out: '', err: '' })
    expect(readFileSync(join(folder, name), 'utf8')).toContain(begin)
  }
})

test('losses are listed with their places and effects, and nothing is written', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  const { code, out, err } = await convert(folder, 'a.json', '--to', 'steps', '--out', 'b.json')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(
    'a.json:11:25  loss  a form has no limit on tool calls in a stage\n' +
      '    → more than 9 calls can be made in `reading`\n',
  )
  expect(err).toContain("→ `FIXED` is carried out without a person's approval\n")
  expect(err).toMatch(/`a\.json` was not converted: 3 things would be lost\n {2}→ `--lossy`/)
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('losses stand in the order of the lines of the file', async () => {
  const folder = folderOf({ 'a.json': { ...goodWorkflow, meta: { calls_max: 5 } } })
  const { err } = await convert(folder, 'a.json', '--to', 'process')
  const lines = [...err.matchAll(/^a\.json:(\d+):/gm)].map((match) => Number(match[1]))
  expect(lines.length).toBeGreaterThan(4)
  expect(lines).toEqual([...lines].sort((left, right) => left - right))
})

test('with --lossy it is written, and the losses are told on the standard error', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  const { code, out, err } = await convert(folder, 'a.json', '--to', 'steps', '--lossy')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ id: 'small-fix', steps: [{ id: 'reading' }, {}] })
  expect(err.match(/ {2}loss {2}/g)).toHaveLength(3)
  const written = await convert(folder, 'a.json', '--to', 'steps', '--lossy', '--out', 'b.json')
  expect([written.code, written.out, written.err]).toEqual([0, '', err])
  expect(readFileSync(join(folder, 'b.json'), 'utf8')).toBe(out)
})

test('to its own dialect a definition is written as a clean copy', async () => {
  const text = '# a note\nid: plain\ninitial: a\nstates:\n  a: {on: {GO: b}}\n  b: {type: final}\n'
  const folder = folderOf({ 'a.yaml': text })
  const { code, out } = await convert(folder, 'a.yaml', '--to', 'workflow')
  expect([code, JSON.parse(out)]).toEqual([0, plain])
})

test('the result can be had as JSON, whatever becomes of it', async () => {
  const folder = folderOf({
    'a.json': plain,
    'lossy.json': goodWorkflow,
    'bad.json': { ...plain, initial: 'nowhere' },
  })
  const good = await convert(folder, 'a.json', '--to', 'process', '--json', '--out', 'b.yaml')
  expect(good.code).toBe(0)
  expect(JSON.parse(good.out)).toEqual({
    ok: true,
    to: 'process',
    out: 'b.yaml',
    losses: [],
    findings: [],
    definition: asProcess,
  })
  const lossy = await convert(folder, 'lossy.json', '--to', 'steps', '--json', '--out', 'c.json')
  expect([lossy.code, lossy.err]).toEqual([1, ''])
  const told = JSON.parse(lossy.out)
  expect(told).toMatchObject({ ok: false, out: null, definition: null, findings: [] })
  expect(told.losses[0]).toEqual({
    file: 'lossy.json',
    line: 11,
    column: 25,
    pointer: '/states/reading/max_iterations',
    what: 'a form has no limit on tool calls in a stage',
    effect: 'more than 9 calls can be made in `reading`',
  })
  expect(existsSync(join(folder, 'c.json'))).toBe(false)
  const bad = await convert(folder, 'bad.json', '--to', 'process', '--json')
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.out)).toMatchObject({
    ok: false,
    losses: [],
    definition: null,
  })
  expect(JSON.parse(bad.out).findings[0]).toMatchObject({ code: 'INITIAL_UNKNOWN', line: 3 })
})

test('a definition with errors is not converted; its errors are told', async () => {
  const folder = folderOf({ 'a.json': { ...plain, initial: 'nowhere' } })
  const { code, out, err } = await convert(folder, 'a.json', '--to', 'process', '--lossy')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('a.json:3:14  error INITIAL_UNKNOWN')
})

test('one of several tasks has to be named', async () => {
  const folder = folderOf({ 'a.json': { context: { task: [task('first'), task('second')] } } })
  const { code, out } = await convert(folder, 'a.json', '--to', 'workflow', '--task', 'second')
  expect([code, JSON.parse(out).id]).toEqual([0, 'second'])
  const none = await convert(folder, 'a.json', '--to', 'workflow')
  expect([none.code, none.out]).toEqual([2, ''])
  expect(none.err).toMatch(/2 tasks.*`--task`\n.*`first`, `second`/)
  const near = await convert(folder, 'a.json', '--to', 'workflow', '--task', 'secnd')
  expect([near.code, near.err]).toEqual([2, expect.stringContaining('did you mean `second`?')])
})

test('the definition itself is never overwritten', async () => {
  const folder = folderOf({ 'a.json': plain })
  const before = readFileSync(join(folder, 'a.json'), 'utf8')
  const { code, err } = await convert(folder, 'a.json', '--to', 'process', '--out', './a.json')
  expect([code, err]).toEqual([2, expect.stringContaining('write to another file')])
  expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe(before)
})

test('what can not be read, or is asked for wrongly, is a fault', async () => {
  const folder = folderOf({ 'a.json': plain, 'p.json': { deny: [] } })
  for (const args of [
    [],
    ['a.json'],
    ['a.json', '--to', 'workfow'],
    ['a.json', 'a.json', '--to', 'process'],
    ['gone.json', '--to', 'process'],
    ['.', '--to', 'process'],
    ['p.json', '--to', 'process'],
    ['a.json', '--to', 'process', '--format', 'toml'],
    ['a.json', '--to', 'process', '--lossless'],
  ]) {
    const { code, out, err } = await convert(folder, ...args)
    expect([code, out], args.join(' ')).toEqual([2, ''])
    expect(err).toMatch(/^pawl: /)
  }
})

test('a result that could not be read again is a fault, not a file', async () => {
  const guards = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`g${i}`, { field: `field_${i}`, op: 'neq', value: i }]),
  )
  const go = { target: 'b', guards: Object.keys(guards) }
  const folder = folderOf({
    'a.json': { ...plain, guards, states: { ...plain.states, a: { on: { GO: go, X: 'a' } } } },
  })
  const said = await convert(folder, 'a.json', '--to', 'steps', '--lossy', '--out', 'b.json')
  expect([said.code, said.out]).toEqual([2, ''])
  expect(said.err).toContain('the converted definition would have an error')
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('names out of a hostile file do not steer the terminal', async () => {
  const folder = folderOf({})
  const name = 'a\u001b[2Jb'
  const states = { [name]: { max_iterations: 1, on: { GO: 'end' } }, end: { type: 'final' } }
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ id: 'w', initial: name, states }))
  const { err } = await convert(folder, 'a.json', '--to', 'process')
  expect(err).toContain('2Jb')
  expect(err).not.toContain('\u001b')
})
