/** The tree keeps the house rules, and each rule notices when it is broken. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Rules, readTree, rules, staleEntries, tidy } from './tidy.ts'

const header = '/** A file. */\n'

// Rules broken by a file at a path; the text follows the header, so it begins on line 2.
function broken(path: string, text: string): readonly string[] {
  return tidy([{ path, text: header + text }]).map((one) => `${one.line} ${one.rule}`)
}

function brokenBy(files: { readonly [path: string]: string }): readonly string[] {
  const input = Object.entries(files).map(([path, text]) => ({ path, text: header + text }))
  return tidy(input).map((one) => `${one.file}:${one.line} ${one.rule}`)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const tree = readTree(root)

test('the tree keeps every rule', () => {
  expect(tree.length).toBeGreaterThan(10)
  const complaints = tidy(tree)
  expect(complaints.map((one) => `${one.file}:${one.line} ${one.rule}: ${one.message}`)).toEqual([])
})

test('every folder in the tables exists, and every allowance is used', () => {
  expect(staleEntries(tree)).toEqual([])
})

test('a folder that is gone and an allowance that nobody uses are named', () => {
  const table: Rules = {
    ...rules,
    rooms: [
      { folder: 'src/core/', mayUse: [] },
      { folder: 'src/old/', mayUse: [] },
      { folder: 'src/doors/', mayUse: ['src/core/', 'src/store/'] },
    ],
    libraries: [{ name: 'yaml', places: ['src/core/', 'src/doors/'], oneFile: false }],
    neighbours: [{ folder: 'src/doors/', apart: null, shared: ['api', 'draw'] }],
    wordBans: [],
  }
  const files = [
    { path: 'src/core/a.ts', text: `${header}import { parse } from 'yaml'` },
    { path: 'src/doors/api/b.ts', text: `${header}import { a } from '../../core/a.ts'` },
  ]
  expect(staleEntries(files, table)).toEqual([
    'there is no `src/old/`',
    'there is no `src/doors/draw/`',
    '`src/doors/` imports nothing of `src/store/`',
    '`src/doors/` does not use `yaml`',
  ])
})

const architecture = readFileSync(join(root, 'docs/contributing/architecture.md'), 'utf8')

test('architecture.md names every module', () => {
  const rooms = ['', 'core/', 'doors/'].flatMap((at) =>
    readdirSync(join(root, 'src', at), { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => `${at}${one.name}`),
  )
  const named = rooms.filter((room) => !['core', 'doors'].includes(room))
  expect(named.filter((room) => !architecture.includes(`\`${room}\``))).toEqual([])
})

test('every file that architecture.md names exists', () => {
  const paths = [...architecture.matchAll(/`([a-z]+\/[a-z/-]+\.ts)`/g)].map(([, path]) => path)
  expect(paths.length).toBeGreaterThan(20)
  const isThere = (path = ''): boolean =>
    [path, `src/${path}`].some((one) => existsSync(join(root, one)))
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

test('core may import core and nothing else of the house', () => {
  const from = 'src/core/engine/decide.ts'
  expect(broken(from, `import { a } from '../json.ts'`)).toEqual([])
  for (const room of ['runtime', 'store', 'runner', 'testing', 'doors/cli', 'main']) {
    expect(broken(from, `import { a } from '../../${room}/a.ts'`), room).toEqual(['2 room'])
    expect(broken(from, `import type { A } from '../../${room}/a.ts'`), room).toEqual(['2 room'])
    expect(broken(from, `export { a } from '../../${room}/a.ts'`), room).toEqual(['2 room'])
  }
})

test.each([
  ['runtime', 'core', true],
  ['runtime', 'store', false],
  ['runtime', 'doors/cli', false],
  ['testing', 'core', true],
  ['testing', 'runtime', false],
  ['testing', 'doors/cli', false],
  ['store', 'core', true],
  ['store', 'runtime', true],
  ['store', 'runner', false],
  ['store', 'doors/cli', false],
  ['runner', 'runtime', true],
  ['runner', 'core', false],
  ['runner', 'store', false],
  ['doors', 'core', true],
  ['doors', 'runtime', true],
  ['doors', 'testing', true],
  ['doors', 'store', false],
  ['doors', 'main', false],
  ['main', 'core', true],
  ['main', 'doors/cli', true],
  ['main', 'store', true],
  ['main', 'runner', true],
])('%s imports %s: %s', (from, to, isAllowed) => {
  const found = broken(`src/${from}/a.ts`, `import { b } from '../${to}/b.ts'`)
  expect(found).toEqual(isAllowed ? [] : ['2 room'])
})

test('a folder that is no room may import nothing of the house', () => {
  expect(broken('src/util/a.ts', `import { b } from '../core/b.ts'`)).toEqual(['2 room'])
})

test('tests may look anywhere', () => {
  const text = `import { test } from 'vitest'\nimport { a } from '../doors/cli/a.ts'\n`
  expect(broken('src/core/a.test.ts', text)).toEqual([])
  expect(broken('test/a.test.ts', text)).toEqual([])
})

test('doors, stores and dialects do not import their neighbours', () => {
  const text = (folder: string) => `import { a } from '../${folder}/a.ts'`
  expect(broken('src/doors/cli/a.ts', text('http'))).toEqual(['2 neighbour'])
  expect(broken('src/doors/cli/verbs/a.ts', `import { a } from '../../mcp/a.ts'`)).toEqual([
    '2 neighbour',
  ])
  expect(broken('src/store/sqlite/a.ts', text('postgres'))).toEqual(['2 neighbour'])
  expect(broken('src/core/dialects/steps/a.ts', text('workflow'))).toEqual(['2 neighbour'])
  expect(broken('src/core/dialects/process/a.ts', text('steps'))).toEqual(['2 neighbour'])
})

test('a machine does not know policies, and policies do not know who judges by them', () => {
  const text = (folder: string) => `import { a } from '../${folder}/a.ts'`
  expect(broken('src/core/machine/a.ts', text('policy'))).toEqual(['2 neighbour'])
  expect(broken('src/core/policy/a.ts', text('judge'))).toEqual(['2 neighbour'])
  expect(broken('src/core/policy/a.ts', text('machine'))).toEqual([])
  expect(broken('src/core/judge/a.ts', text('policy'))).toEqual([])
})

test('what neighbours share, and what stands above them, may meet', () => {
  expect(broken('src/core/dialects/steps/a.ts', `import { a } from '../shared/a.ts'`)).toEqual([])
  expect(broken('src/core/dialects/steps/a.ts', `import { a } from '../read.ts'`)).toEqual([])
  expect(broken('src/core/dialects/index.ts', `import { a } from './steps/a.ts'`)).toEqual([])
  expect(broken('src/doors/cli/a.ts', `import { a } from '../api/a.ts'`)).toEqual([])
})

test('a library is imported only where the table says', () => {
  for (const { name, places } of rules.libraries) {
    const home = places[0] ?? ''
    const path = home.endsWith('/') ? `${home}a.ts` : `${home}.ts`
    expect(broken(path, `import { a } from '${name}'`), name).toEqual([])
    expect(broken(path, `import { a } from '${name}/deep.js'`), name).toEqual([])
    expect(broken('src/core/engine/a.ts', `import { a } from '${name}'`), name).toEqual([
      '2 library',
    ])
    expect(broken('src/main/a.ts', `import { a } from '${name}'`), name).toEqual(['2 library'])
  }
})

test('a library that belongs to one file is not imported by a second', () => {
  const text = `import { a } from 're2js'`
  const files = { 'src/core/expr/pattern-a.ts': text, 'src/core/expr/pattern.ts': text }
  expect(brokenBy(files)).toEqual(['src/core/expr/pattern.ts:2 library'])
})

test('an expression library may be used by its file and the helpers of that file', () => {
  const text = `import { a } from '@bufbuild/cel'`
  const files = { 'src/core/expr/cel-values.ts': text, 'src/core/expr/cel.ts': text }
  expect(brokenBy(files)).toEqual([])
  expect(broken('src/core/expr/compare-values.ts', text)).toEqual(['2 library'])
})

test('a library that no table names is refused, and one for tests stays out of sources', () => {
  expect(broken('src/doors/cli/a.ts', `import { a } from 'left-pad'`)).toEqual(['2 library'])
  expect(broken('src/doors/cli/a.ts', `import { a } from 'fast-check'`)).toEqual(['2 library'])
  expect(broken('scripts/a.ts', `import { a } from 'fast-check'`)).toEqual([])
})

test('Node belongs to the shell, not to core', () => {
  const text = `import { readFileSync } from 'node:fs'`
  expect(broken('src/core/a.ts', text)).toEqual(['2 pure'])
  expect(broken('src/doors/cli/a.ts', text)).toEqual([])
})

test.each([
  'export const now = Date.now()',
  'export const now: Date | null = null',
  'export const luck = Math.random()',
  `export const luck = Math['random']()`,
  'export async function a(): Promise<void> {}',
  'export const a = async () => 1',
  'export const a = { async b() {} }',
  'export const a = await b',
  'setTimeout(() => 1, 1)',
  'console.log(1)',
  'export const home = process.env',
  'export const home = { process }',
  'export const all = globalThis',
  `eval('1')`,
  `export const a = new Function('1')`,
  `export const a = import('./b.ts')`,
])('core is pure, so it may not say: %s', (text) => {
  expect(broken('src/core/a.ts', text)).toContain('2 pure')
  expect(broken('src/doors/cli/a.ts', text)).not.toContain('2 pure')
})

test('core may use such words as keys, texts, patterns and in comments', () => {
  const text = [
    'export const a = { process: 1, Date: 2 }.process',
    `export const b = ['process', 'await', \`Date\`, /console/]`,
    'export type C = { readonly process: string }',
    '// Date and Math.random are banned here',
  ].join('\n')
  expect(broken('src/core/a.ts', text)).toEqual([])
})

test.each([
  'export const workflow = 1',
  'export const loadWorkflow = 1',
  `export const a = 'a workflow'`,
  `export const a = (b: string) => \`the process \${b}\``,
  `export type A = { readonly dialect: 'steps' }`,
  'export const a = { steps: 1 }',
  'export const STEPS_MAX = 1',
])('the engine does not know the dialects, so it may not say: %s', (text) => {
  expect(broken('src/core/engine/a.ts', text)).toContain('2 word')
  expect(broken('src/core/machine/a.ts', text)).not.toContain('2 word')
})

test('the engine may say other words, and anything in a comment', () => {
  const text = `// a workflow, a process, steps\nexport const processed = 'one step, preprocessing'`
  expect(broken('src/core/engine/a.ts', text)).toEqual([])
})

test('files do not import each other in a circle', () => {
  const files = {
    'src/core/a.ts': `import { b } from './b.ts'`,
    'src/core/b.ts': `import { c } from './c.ts'`,
    'src/core/c.ts': `export { a } from './a.ts'`,
  }
  expect(brokenBy(files)).toEqual(['src/core/c.ts:2 cycle'])
  expect(brokenBy({ ...files, 'src/core/c.ts': `import type { A } from './a.ts'` })).toEqual([])
  expect(brokenBy({ 'src/core/a.ts': `import { a } from './a.ts'` })).toHaveLength(1)
})

test('two ways to the same file are no circle', () => {
  const files = {
    'src/core/a.ts': `import { b } from './b.ts'\nimport { c } from './c.ts'`,
    'src/core/b.ts': `import { c } from './c.ts'`,
    'src/core/c.ts': 'export const c = 1',
  }
  expect(brokenBy(files)).toEqual([])
})

test('no two files export the same name', () => {
  const files = {
    'src/core/a.ts': 'export type Place = 1\nexport const [b, c] = [1, 2]',
    'src/core/b.ts': `export { b } from './c.ts'\nexport function e() {}`,
    'dashboard/c.ts': 'const d = 1\nexport type Place = 2\nexport const e = 1',
    'src/core/a.test.ts': 'export type Place = 3',
  }
  const shared = ['dashboard/c.ts:3 exported name', 'dashboard/c.ts:4 exported name']
  expect(brokenBy(files).filter((one) => one.endsWith('exported name'))).toEqual(shared)
})

test('exports have names', () => {
  for (const path of ['src/core/a.ts', 'src/doors/cli/a.ts', 'scripts/a.ts', 'test/a.test.ts']) {
    expect(broken(path, 'export default 1')).toEqual(['2 default export'])
    expect(broken(path, 'const a = 1\nexport { a as default }')).toEqual(['3 default export'])
    expect(broken(path, `export * from './b.ts'`)).toEqual(['2 export *'])
  }
  expect(broken('src/core/index.ts', `export * from './b.ts'`)).toEqual([])
})

test('no enum, no namespace, no any, and no class in core', () => {
  expect(broken('src/doors/cli/a.ts', 'enum A { b }')).toEqual(['2 enum'])
  expect(broken('src/doors/cli/a.ts', 'const enum A { b }')).toEqual(['2 enum'])
  expect(broken('src/doors/cli/a.ts', 'namespace A { export const b = 1 }')).toEqual([
    '2 namespace',
  ])
  expect(broken('src/doors/cli/a.ts', 'export const a: any = 1')).toEqual(['2 any'])
  expect(broken('src/doors/cli/a.ts', 'export const a = b as any')).toEqual(['2 any'])
  expect(broken('src/doors/cli/a.ts', `export const any = 'any'`)).toEqual([])
  expect(broken('src/core/a.ts', 'export class A {}')).toEqual(['2 class'])
  expect(broken('src/core/a.ts', 'export const a = class {}')).toEqual(['2 class'])
  expect(broken('src/store/a.ts', 'export class A {}')).toEqual([])
})

test('a file has at most 400 lines, a test 600', () => {
  const lines = (count: number) => '\n'.repeat(count - 2).concat('export const a = 1\n')
  expect(broken('src/core/a.ts', lines(400))).toEqual([])
  expect(broken('src/core/a.ts', lines(401))).toEqual(['1 file length'])
  expect(broken('src/core/a.test.ts', lines(600))).toEqual([])
  expect(broken('src/core/a.test.ts', lines(601))).toEqual(['1 file length'])
})

test('a function has at most 70 lines, except in a test', () => {
  const body = (count: number) => `{${'\n'.repeat(count - 1)}}`
  for (const head of ['export function a() ', 'export const a = () => ']) {
    expect(broken('src/core/a.ts', head + body(70))).toEqual([])
    expect(broken('src/core/a.ts', head + body(71))).toEqual(['2 function length'])
    expect(broken('src/core/a.test.ts', head + body(71))).toEqual([])
  }
})

test('a line has at most 100 characters, however they are stored; an address may be longer', () => {
  const line = (text: string) => `export const a = '${text}'`
  const room = 100 - line('').length
  expect(broken('src/core/a.ts', line('x'.repeat(room)))).toEqual([])
  expect(broken('src/core/a.ts', line('😀'.repeat(room)))).toEqual([])
  expect(broken('src/core/a.ts', line('x'.repeat(room + 1)))).toEqual(['2 line length'])
  expect(broken('src/core/a.ts', `// https://example.com/${'x'.repeat(100)}`)).toEqual([])
})

test('a function has at most three parameters, and none is a boolean', () => {
  const path = 'src/doors/cli/a.ts'
  expect(broken(path, 'export function a(b: X, c: Y, d: Z) {}')).toEqual([])
  expect(broken(path, 'export function a(this: T, b: X, c: Y, d: Z) {}')).toEqual([])
  expect(broken(path, 'export function a(b: X, c: Y, d: Z, e: W) {}')).toEqual(['2 parameters'])
  expect(broken(path, 'export const a = (b: X, c = 1, { d }: Z, ...e: W[]) => 1')).toEqual([
    '2 parameters',
  ])
  expect(broken(path, 'export class A { b(c: X, d: Y, e: Z, f: W) {} }')).toEqual(['2 parameters'])
  expect(broken(path, 'export function a(isLoud: boolean) {}')).toEqual(['2 boolean parameter'])
  expect(broken(path, 'export function a(isLoud = false) {}')).toEqual(['2 boolean parameter'])
})

test('a source begins with a comment that says what it is for', () => {
  const text = 'export const a = 1\n'
  const complaints = (path: string, whole: string) => tidy([{ path, text: whole }])
  expect(complaints('src/core/a.ts', text)).toMatchObject([{ line: 1, rule: 'header' }])
  expect(complaints('src/core/a.test.ts', text)).toEqual([])
  expect(complaints('src/main/pawl.ts', `#!/usr/bin/env node\n${header}${text}`)).toEqual([])
})

test('what is unfinished names its issue', () => {
  expect(broken('src/core/a.ts', '// TODO: later')).toEqual(['2 todo'])
  expect(broken('src/core/a.ts', '/* FIXME */')).toEqual(['2 todo'])
  expect(broken('src/core/a.ts', '// TODO(#12): later')).toEqual([])
  expect(broken('src/core/a.ts', `export const a = 'TODO'`)).toEqual([])
})

test.each([
  'const a = 1',
  `import { a } from './a.ts'`,
  'if (a > 1) {',
  'return a(b)',
  'function a() {',
  'doSomething(first, second)',
  '} else {',
])('code that was commented out is refused: %s', (text) => {
  expect(broken('src/core/a.ts', `// ${text}`)).toEqual(['2 dead code'])
  expect(broken('src/core/a.ts', text.startsWith('}') ? '' : `/** Like: ${text} */`)).toEqual([])
})

test.each([
  'If a route has no guard, it holds',
  'return values are data',
  'for a fork (any or all), the order is the author’s',
  'import direction: core knows nobody',
  'see `decide(machine, state, command)` for the order',
  '── commands ────────',
])('prose in a comment is welcome: %s', (text) => {
  expect(broken('src/core/a.ts', `// ${text}`)).toEqual([])
})

test('a file that cannot be parsed is named', () => {
  expect(() => tidy([{ path: 'src/core/a.ts', text: 'export const = 1' }])).toThrow('src/core/a.ts')
})
