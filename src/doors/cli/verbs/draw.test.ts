import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, goodWorkflow, runIn } from '../fake-io.contract.ts'

const form = (id: string) => ({
  type: 'steps',
  id,
  steps: [{ id: `${id}-step`, goal: 'Ask.', inputs: [{ name: 'phone', type: 'string' }] }],
})

test('a definition is drawn as text unless something else is asked for', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  const { code, out, err } = await runIn(folder, ['draw', 'a.json'])
  expect([code, err]).toEqual([0, ''])
  for (const stage of ['reading', 'fixing', 'done']) expect(out).toContain(stage)
  expect(out).not.toContain('<svg')
})

test('each format can be asked for', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  const first = async (format: string): Promise<string> =>
    (await runIn(folder, ['draw', 'a.json', '--format', format])).out
  expect(await first('svg')).toMatch(/^<svg [\s\S]+<\/svg>\n$/)
  expect(await first('mermaid')).toContain('reading')
  expect(await first('dot')).toMatch(/digraph [\s\S]+}\n$/)
})

test('the ending of the output tells the format, and nothing is printed', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  for (const [name, begin] of [
    ['new/a.svg', '<svg'],
    ['a.DOT', 'digraph'],
    ['a.txt', 'small-fix'],
  ] as const) {
    const said = await runIn(folder, ['draw', 'a.json', '--out', name])
    expect(said).toEqual({ code: 0, out: '', err: '' })
    expect(readFileSync(join(folder, name), 'utf8')).toContain(begin)
  }
  expect(readdirSync(folder).filter((one) => one.endsWith('.part'))).toEqual([])
})

test('an output that tells no format is refused', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  const { code, err } = await runIn(folder, ['draw', 'a.json', '--out', 'a.constructor'])
  expect(code).toBe(2)
  expect(err).toContain('--format')
  expect(existsSync(join(folder, 'a.constructor'))).toBe(false)
})

test('an output that can not be written is a fault', async () => {
  const folder = folderOf({ 'a.json': goodWorkflow })
  mkdirSync(join(folder, 'b.svg'))
  const { code, err } = await runIn(folder, ['draw', 'a.json', '--out', 'b.svg'])
  expect(code).toBe(2)
  expect(err).toContain('cannot write `b.svg`')
  expect(readdirSync(folder).sort()).toEqual(['a.json', 'b.svg'])
})

test('a definition with errors is not drawn; its errors are told', async () => {
  const folder = folderOf({ 'a.json': { ...goodWorkflow, initial: 'nowhere' } })
  const { code, out, err } = await runIn(folder, ['draw', 'a.json', '--out', 'a.svg'])
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('a.json:3:14  error INITIAL_UNKNOWN')
  expect(existsSync(join(folder, 'a.svg'))).toBe(false)
})

test('one of several tasks is chosen by its id', async () => {
  const folder = folderOf({ 'a.json': { context: { task: [form('first'), form('second')] } } })
  expect((await runIn(folder, ['draw', 'a.json'])).out).toContain('first-step')
  const second = await runIn(folder, ['draw', 'a.json', '--task', 'second'])
  expect(second.out).toContain('second-step')
  const { code, err } = await runIn(folder, ['draw', 'a.json', '--task', 'secnd'])
  expect(code).toBe(2)
  expect(err).toContain('`second`')
})

test('what is no definition, no file, or two files is refused', async () => {
  const folder = folderOf({ 'p.json': { deny: [] }, 'a.json': goodWorkflow })
  for (const args of [['p.json'], ['gone.json'], ['a.json', 'a.json'], [], ['.']]) {
    const { code, err } = await runIn(folder, ['draw', ...args])
    expect(code, args.join(' ')).toBe(2)
    expect(err).toMatch(/^pawl: /)
  }
})
