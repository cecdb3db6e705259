import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, goodCase, goodWorkflow, runIn } from '../fake-io.contract.ts'

const failing = {
  ...goodCase,
  id: 'fails',
  title: 'this <does> & "not" hold',
  steps: [
    { look: true, expect: { stage: 'reading' } },
    { signal: 'FOUND', expect: { stage: 'done', vars: { x: [1] } } },
  ],
}
const wanted = { ...failing, id: 'wanted', level: 'should' }

test('cases that pass are only counted', async () => {
  const folder = folderOf({ 'a.json': [goodCase], 'b.yaml': yamlCase('reads-too') })
  const said = await runIn(folder, ['test', 'a.json', 'b.yaml'])
  expect(said).toEqual({ code: 0, out: '2 passed, 0 failed\n', err: '' })
})

function yamlCase(id: string): string {
  return [
    `id: ${id}`,
    'title: one case by itself, in YAML',
    `definition: ${JSON.stringify(goodWorkflow)}`,
    'steps:',
    '  - signal: FOUND',
    '    expect: { stage: fixing }',
  ].join('\n')
}

test('a failing case is told with its step, its verb and each difference', async () => {
  const folder = folderOf({ 'a.json': [goodCase, failing] })
  const { code, out } = await runIn(folder, ['test', 'a.json'])
  expect(code).toBe(1)
  expect(out).toMatch(/^FAIL fails {2}this .+ hold {2}\(a\.json:\d+\)$/m)
  expect(out).toContain('step 2 `signal FOUND`: stage\n    expected "done"\n    actual   "fixing"')
  expect(out).toContain('step 2 `signal FOUND`: vars.x\n    expected [1]\n    actual   null')
  expect(out).toMatch(/^1 passed, 1 failed$/m)
})

test('a failing `should` is printed and counted apart, and fails nothing', async () => {
  const folder = folderOf({ 'a.json': [goodCase, wanted] })
  const { code, out } = await runIn(folder, ['test', 'a.json'])
  expect(code).toBe(0)
  expect(out).toMatch(/^SHOULD wanted/m)
  expect(out).toMatch(/^1 case of level should failed$/m)
  expect(out).toMatch(/^1 passed, 0 failed$/m)
})

test('--json prints one object per case and nothing else', async () => {
  const folder = folderOf({ 'a.json': [goodCase, failing, wanted] })
  const { code, out, err } = await runIn(folder, ['test', '--json', 'a.json'])
  expect([code, err]).toEqual([1, ''])
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map((one) => [one.id, one.ok, one.level])).toEqual([
    ['reads-first', true, 'must'],
    ['fails', false, 'must'],
    ['wanted', false, 'should'],
  ])
  expect(lines[0]).toEqual({
    id: 'reads-first',
    ok: true,
    failures: [],
    level: 'must',
    file: 'a.json',
  })
  expect(lines[1].failures).toContainEqual({
    step: 1,
    path: 'stage',
    expected: 'done',
    actual: 'fixing',
  })
})

test('a folder stands for the files of cases in it', async () => {
  const folder = folderOf({
    'definition.json': goodWorkflow,
    'package.json': { name: 'x' },
    'list.json': [1, 2],
    'deep/a.json': goodCase,
    'b.cases.yaml': yamlCase('another'),
    'node_modules/x/c.json': failing,
  })
  const said = await runIn(folder, ['test', '.'])
  expect(said).toEqual({ code: 0, out: '2 passed, 0 failed\n', err: '' })
})

test('a folder without cases is not a success', async () => {
  const folder = folderOf({ 'definition.json': goodWorkflow })
  const { code, err } = await runIn(folder, ['test', '.'])
  expect(code).toBe(2)
  expect(err).toContain('no cases found')
})

test.each([
  ['a definition', goodWorkflow],
  ['a definition', { type: 'steps', id: 'f', steps: [{ id: 'A', goal: 'g' }] }],
  ['a policy', { allow: [{ capability: 'mcp:*' }] }],
])('%s that is named is told to be no file of cases', async (what, content) => {
  const folder = folderOf({ 'a.json': content })
  const { code, err } = await runIn(folder, ['test', 'a.json'])
  expect(code).toBe(2)
  expect(err).toContain(`\`a.json\` is ${what}, not a file of cases`)
  expect(err).toMatch(/needs `id`, `title`, `definition` or `definition_file`, and `steps`/)
  expect(err).not.toContain('unknown field')
})

test('a case that forgot its definition is still told as a case', async () => {
  const folder = folderOf({ 'a.json': { ...goodCase, definition: undefined } })
  const { code, err } = await runIn(folder, ['test', 'a.json'])
  expect(code).toBe(2)
  expect(err).not.toContain('name a file of cases')
  expect(err).toContain('definition')
})

test('a malformed file is told with its places, and the others are still played', async () => {
  const folder = folderOf({
    'bad.json': [{ ...goodCase, titel: 'x', steps: [{ look: true, expect: { stge: 'a' } }] }],
    'worse.json': '[\n  {"id": ]',
    'good.json': goodCase,
  })
  const { code, out, err } = await runIn(folder, ['test', '.'])
  expect(code).toBe(2)
  expect(err).toMatch(/^bad\.json:\d+:\d+ {2}error \w+ {2}.*titel/m)
  expect(err).toMatch(/^bad\.json:\d+:\d+ {2}error \w+ {2}.*stge/m)
  expect(err).toMatch(/^worse\.json:2:10 {2}error SYNTAX_INVALID/m)
  expect(out).toBe('1 passed, 0 failed\n')
})

test('a file that is not there is a fault, and the others are still played', async () => {
  const folder = folderOf({ 'good.json': goodCase })
  const { code, out, err } = await runIn(folder, ['test', 'gone.json', 'good.json'])
  expect(code).toBe(2)
  expect(err).toContain('there is no `gone.json`')
  expect(out).toBe('1 passed, 0 failed\n')
})

test('`definition_file` is relative to the file of the case', async () => {
  const { definition: _, ...rest } = goodCase
  const folder = folderOf({
    'defs/fix.json': goodWorkflow,
    'cases/a.json': { ...rest, definition_file: '../defs/fix.json' },
    'cases/b.json': { ...rest, definition_file: './fix.json' },
  })
  expect((await runIn(folder, ['test', 'cases/a.json'])).code).toBe(0)
  const { code, err } = await runIn(folder, ['test', 'cases/b.json'])
  expect(code).toBe(2)
  expect(err).toMatch(/^cases\/b\.json:\d+:\d+ {2}error .*there is no `cases\/fix\.json`/m)
})

test('what the definition of a file invokes is found beside it', async () => {
  const { definition: _, ...rest } = goodCase
  const done = { done: { type: 'final' } }
  const invoke = { GO: { invoke: 'small-fix', on_complete: 'done' } }
  const start = { start: { instructions: 'x', allowed_tools: ['Read'], on: invoke } }
  const outer = { id: 'outer', initial: 'start', states: { ...start, ...done } }
  const steps = [{ signal: 'GO', expect: { events: ['child.requested'] } }]
  const folder = folderOf({
    'outer.json': outer,
    'inner.json': goodWorkflow,
    'a.cases.json': { ...rest, definition_file: 'outer.json', steps },
  })
  const said = await runIn(folder, ['test', 'a.cases.json'])
  expect(said).toEqual({ code: 0, out: '1 passed, 0 failed\n', err: '' })
})

test('a case may be about a definition that can not be read', async () => {
  const { definition: _, steps: __, ...rest } = goodCase
  const about = { ...rest, definition_file: 'broken.json', steps: [] }
  const folder = folderOf({
    'broken.json': '{"id": }',
    'right.json': { ...about, check: { errors: ['SYNTAX_INVALID'] } },
    'wrong.json': { ...about, check: { errors: [] } },
    'twice.json': JSON.stringify({
      ...goodCase,
      steps: [],
      check: { errors: ['DUPLICATE_KEY'] },
    }).replace('"id":"small-fix"', '"id":"small-fix","id":"other"'),
  })
  expect((await runIn(folder, ['test', 'right.json', 'twice.json'])).code).toBe(0)
  const { code, out } = await runIn(folder, ['test', 'wrong.json'])
  expect(code).toBe(1)
  expect(out).toContain('SYNTAX_INVALID')
})

test('what an agent sends may have names that no author may use', async () => {
  const text = JSON.stringify({
    ...goodCase,
    steps: [{ signal: 'FOUND', data: { PROTO: 1 }, expect: { code: 'any', stage: 'reading' } }],
  }).replace('PROTO', '__proto__')
  const folder = folderOf({
    'a.json': text,
    'b.json': text.replace('"Read"', '"Read","__proto__"'),
  })
  const said = await runIn(folder, ['test', 'a.json', 'b.json'])
  expect(said).toEqual({ code: 0, out: '2 passed, 0 failed\n', err: '' })
})

test('a name that no author may use is still refused elsewhere in a case', async () => {
  const text = JSON.stringify(goodCase).replace('"title"', '"__proto__"')
  const folder = folderOf({ 'a.json': text })
  const { code, err } = await runIn(folder, ['test', 'a.json'])
  expect(code).toBe(2)
  expect(err).toContain('RESERVED_NAME')
})

test('--filter plays the cases whose id or title has the text', async () => {
  const folder = folderOf({ 'a.json': [goodCase, failing] })
  expect((await runIn(folder, ['test', '--filter', 'READS', 'a.json'])).out).toBe(
    '1 passed, 0 failed\n',
  )
  const { code, err } = await runIn(folder, ['test', '--filter', 'nothing', 'a.json'])
  expect(code).toBe(2)
  expect(err).toContain('no case matches `nothing`')
})

test('--quiet leaves only the summary', async () => {
  const folder = folderOf({ 'a.json': [goodCase, failing, wanted] })
  const { code, out } = await runIn(folder, ['test', '--quiet', 'a.json'])
  expect([code, out]).toEqual([1, '1 case of level should failed\n1 passed, 1 failed\n'])
})

test('--coverage names the stages and routes that no case has walked', async () => {
  const folder = folderOf({ 'a.json': [goodCase, { ...goodCase, id: 'again' }] })
  const { out } = await runIn(folder, ['test', '--coverage', 'a.json'])
  expect(out).toContain('coverage of `small-fix`: stages 2/3, routes 1/3')
  expect(out).toContain('stages not covered: done')
  expect(out).toMatch(
    /routes not covered: \/states\/fixing\/on\/FIXED\S*, \/states\/fixing\/on\/LOST/,
  )
  expect(out.match(/coverage of/g)).toHaveLength(1)
  const json = await runIn(folder, ['test', '--coverage', '--json', 'a.json'])
  const last = JSON.parse(json.out.trimEnd().split('\n').at(-1) ?? '')
  expect(last.coverage).toMatchObject({ definition: 'small-fix', stages: { all: 3, covered: 2 } })
})

test('JUnit XML counts failures, skips what is only wanted, and escapes every text', async () => {
  const nasty = { ...failing, id: 'nasty', title: 'a\u0000\u001b]]>&<"\uD800' }
  const folder = folderOf({
    'a.json': [goodCase, failing, wanted],
    'b.json': JSON.stringify(nasty).replaceAll('\\u0000', '').replaceAll('\\ud800', ''),
    'bad.json': '[',
  })
  const { code } = await runIn(folder, [
    'test',
    '--junit',
    'out/j.xml',
    'a.json',
    'b.json',
    'bad.json',
  ])
  expect(code).toBe(2)
  const xml = readFileSync(join(folder, 'out/j.xml'), 'utf8')
  expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites /)
  expect(xml).toContain('<testsuites name="pawl" tests="5" failures="2" errors="1" skipped="1">')
  expect(xml).toContain('this &lt;does&gt; &amp; &quot;not&quot; hold')
  expect(xml).toContain(']]&gt;&amp;&lt;&quot;')
  expect(xml).not.toContain('\u001b')
  const open = xml.match(/<testcase [^>]*[^/]>/g)?.length
  expect(xml.match(/<\/testcase>/g)).toHaveLength(open ?? -1)
})

test('no file at all is a fault', async () => {
  const { code, err } = await runIn('/', ['test'])
  expect(code).toBe(2)
  expect(err).toContain('name a file of cases')
})
