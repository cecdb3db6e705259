import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { denialCodes, errorCodes, refusalCodes, warningCodes } from '../../../core/errors.ts'
import { folderOf, goodCase, goodWorkflow, runIn } from '../fake-io.contract.ts'

const broken = JSON.stringify(goodWorkflow, null, 2).replace(
  '"FOUND": "fixing"',
  '"FOUND": "fixng"',
)
const open = { ...goodWorkflow, states: { ...goodWorkflow.states, extra: { type: 'final' } } }
const child = {
  name: 'child',
  initial: 'a',
  states: { a: { question: 'ok?', answers: { yes: { next: null, action: 'complete' } } } },
}
const parent = {
  ...goodWorkflow,
  states: {
    ...goodWorkflow.states,
    fixing: {
      ...goodWorkflow.states.fixing,
      on: { FIXED: { invoke: 'child', on_complete: 'done' }, LOST: 'reading' },
    },
  },
}

test('a good definition is told in one line', async () => {
  const folder = folderOf({ 'a.json': { ...goodWorkflow, meta: { calls_max: 90 } } })
  const said = await runIn(folder, ['check', 'a.json'])
  expect(said).toEqual({ code: 0, out: '1 file, 0 errors, 0 warnings\n', err: '' })
})

test('an error is told at its line and column, with the line, a mark and a hint', async () => {
  const folder = folderOf({ 'sub/a.json': broken })
  const { code, out } = await runIn(folder, ['check', 'sub/a.json'])
  expect(code).toBe(1)
  const line = broken.split('\n').findIndex((text) => text.includes('fixng')) + 1
  const column = (broken.split('\n')[line - 1] ?? '').indexOf('"fixng"') + 1
  expect(out).toContain(`sub/a.json:${line}:${column}  error TARGET_UNKNOWN  `)
  expect(out).toMatch(/\n +\| +\^{7}\n/)
  expect(out).toContain('→ did you mean `fixing`?')
  expect(out.trimEnd().split('\n').at(-1)).toMatch(/^1 file, 1 error, \d+ warnings?$/)
})

test('warnings are allowed, but not with --strict', async () => {
  const folder = folderOf({ 'a.json': open })
  const lenient = await runIn(folder, ['check', 'a.json'])
  expect(lenient.out).toContain('warning STAGE_UNREACHABLE')
  expect(lenient.code).toBe(0)
  expect((await runIn(folder, ['check', '--strict', 'a.json'])).code).toBe(1)
})

test('--quiet leaves out warnings that --strict does not count, and the summary', async () => {
  const folder = folderOf({ 'a.json': open })
  expect(await runIn(folder, ['check', '--quiet', 'a.json'])).toEqual({ code: 0, out: '', err: '' })
  const strict = await runIn(folder, ['check', '--quiet', '--strict', 'a.json'])
  expect(strict.code).toBe(1)
  expect(strict.out).toContain('STAGE_UNREACHABLE')
})

test('a file that is not there does not keep the others from being checked', async () => {
  const folder = folderOf({ 'a.json': broken })
  const { code, out, err } = await runIn(folder, ['check', 'gone.json', 'a.json'])
  expect(code).toBe(2)
  expect(err).toContain('there is no `gone.json`')
  expect(out).toContain('TARGET_UNKNOWN')
  expect(out).toContain('1 unreadable')
})

test('a huge file is refused at once', async () => {
  const folder = folderOf({ 'huge.json': '' })
  truncateSync(join(folder, 'huge.json'), 10 * 1024 ** 3)
  const { code, err } = await runIn(folder, ['check', 'huge.json'])
  expect(code).toBe(2)
  expect(err).toContain('10737418240 bytes')
})

test('text that is not UTF-8 is refused', async () => {
  const folder = folderOf({ 'latin.yaml': new Uint8Array([0x69, 0x64, 0x3a, 0x20, 0xe4]) })
  const { code, err } = await runIn(folder, ['check', 'latin.yaml'])
  expect(code).toBe(2)
  expect(err).toContain('UTF-8')
})

test('broken text is an error with its place, not a fault', async () => {
  const folder = folderOf({ 'a.json': '{\n  "id": \n}', 'b.yaml': 'a: [1,\n', 'c.json': '' })
  const { code, out } = await runIn(folder, ['check', 'a.json', 'b.yaml', 'c.json'])
  expect(code).toBe(1)
  expect(out).toMatch(/^a\.json:3:1 {2}error SYNTAX_INVALID/m)
  expect(out).toMatch(/^b\.yaml:\d+:\d+ {2}error SYNTAX_INVALID/m)
  expect(out).toMatch(/^c\.json:1:1 {2}error SYNTAX_INVALID/m)
})

test('a folder stands for the definitions in it, and for nothing else', async () => {
  const folder = folderOf({
    'a.json': goodWorkflow,
    'deep/er/b.yaml': 'name: x\ninitial: gone\nstates: {a: {question: q, answers: {}}}\n',
    'package.json': { name: 'x', version: '1.0.0' },
    'cases/all.json': [goodCase],
    'small.cases.json': '[oops',
    'notes.txt': '{',
    'node_modules/m/c.json': broken,
    '.git/d.json': broken,
  })
  symlinkSync(folder, join(folder, 'deep', 'loop'))
  const { code, out, err } = await runIn(folder, ['check', '.'])
  expect(err).toBe('')
  expect(out).toContain('deep/er/b.yaml')
  expect(out).not.toMatch(/node_modules|\.git|cases|package/)
  expect(out).toContain('2 files, ')
  expect(code).toBe(1)
})

test('a folder without definitions is not a success', async () => {
  const folder = folderOf({ 'package.json': { name: 'x' } })
  mkdirSync(join(folder, 'empty'))
  for (const name of ['.', 'empty']) {
    const { code, err } = await runIn(folder, ['check', name])
    expect(code).toBe(2)
    expect(err).toContain('no definition found')
  }
})

test('what is invoked is found beside the file, by its name', async () => {
  const folder = folderOf({ 'parent.json': parent, 'other-name.json': child, 'bad.json': '{' })
  expect((await runIn(folder, ['check', 'parent.json'])).code).toBe(0)
})

test('what is invoked is found among the files of the command', async () => {
  const folder = folderOf({ 'one/parent.json': parent, 'two/child.json': child })
  const alone = await runIn(folder, ['check', 'one/parent.json'])
  expect(alone.code).toBe(1)
  expect(alone.out).toContain('INVOKE_UNKNOWN')
  const both = await runIn(folder, ['check', 'one/parent.json', 'two/child.json'])
  expect(both.out).not.toContain('INVOKE_UNKNOWN')
  expect(both.code).toBe(0)
})

test('warnings about what is invoked are told once: with it, or with what invokes it', async () => {
  const odd = { ...child, allowed_tools: ['Bash'] }
  const folder = folderOf({ 'parent.json': parent, 'child.json': odd })
  const alone = await runIn(folder, ['check', 'parent.json'])
  expect(alone.out).toMatch(
    /parent\.json:\d+:\d+ +warning TOOL_IGNORED +in `child` \(`child\.json`\)/,
  )
  const both = await runIn(folder, ['check', 'parent.json', 'child.json'])
  expect(both.out.match(/TOOL_IGNORED/g)).toHaveLength(1)
})

test('what is invoked but has errors is told as such', async () => {
  const bad = { ...child, initial: 'nowhere' }
  const folder = folderOf({ 'parent.json': parent, 'child.json': bad })
  const { code, out } = await runIn(folder, ['check', 'parent.json'])
  expect(code).toBe(1)
  expect(out).toContain('`child`, which has errors')
  expect(out).toContain('child.json')
})

test('definitions that invoke each other in a circle are refused', async () => {
  const loop = JSON.stringify(parent).replace('"child"', '"small-fix"')
  const folder = folderOf({ 'a.json': loop })
  const { code, out } = await runIn(folder, ['check', 'a.json'])
  expect(code).toBe(1)
  expect(out).toContain('INVOKE_CYCLE')
})

test('a policy by itself is held to the form of a policy', async () => {
  const rule = { capability: 'bash' }
  const folder = folderOf({
    'good.json': { role: 'agent', allow: [rule], default: 'deny' },
    'shadowed.json': { allow: [rule], deny: [rule] },
    'bad.yaml': 'deny: bash\ndefault: maybe\n',
  })
  expect((await runIn(folder, ['check', 'good.json'])).code).toBe(0)
  const shadowed = await runIn(folder, ['check', 'shadowed.json'])
  expect(shadowed.out).toContain('shadowed.json:3:5  warning RULE_SHADOWED')
  const { code, out } = await runIn(folder, ['check', 'bad.yaml'])
  expect(code).toBe(1)
  expect(out).toContain('bad.yaml:1:7  error SCHEMA_INVALID')
  expect(out).toContain('bad.yaml:2:10  error SCHEMA_INVALID')
})

test('a file of cases that is named is held to the form of cases', async () => {
  const folder = folderOf({ 'a.json': [{ ...goodCase, titel: 'x' }] })
  const { code, out } = await runIn(folder, ['check', 'a.json'])
  expect(code).toBe(1)
  expect(out).toContain('titel')
})

test('JSON holds every finding with its place, and faults too', async () => {
  const folder = folderOf({ 'a.json': broken })
  const { code, out, err } = await runIn(folder, ['check', '--json', 'a.json', 'gone.json'])
  expect([code, err]).toEqual([2, ''])
  const report = JSON.parse(out)
  expect(report.ok).toBe(false)
  expect(report.summary).toMatchObject({ files: 1, errors: 1, unreadable: 1 })
  expect(report.faults[0]).toMatchObject({ code: 'FILE_UNREADABLE' })
  const found = report.findings.find((one: { severity: string }) => one.severity === 'error')
  expect(Object.keys(found)).toEqual([
    'file',
    'code',
    'severity',
    'message',
    'hint',
    'pointer',
    'line',
    'column',
    'endLine',
    'endColumn',
  ])
  expect(found).toMatchObject({
    file: 'a.json',
    code: 'TARGET_UNKNOWN',
    pointer: '/states/reading/on/FOUND',
  })
  expect(found.endColumn - found.column).toBe('"fixng"'.length)
})

test('SARIF names a rule for every finding, and places from 1', async () => {
  const folder = folderOf({ 'ä b.json': broken, 'gone.json': '' })
  const { out, code } = await runIn(folder, ['check', '--format', 'sarif', 'ä b.json', 'x.json'])
  expect(code).toBe(2)
  const log = JSON.parse(out)
  expect(log.version).toBe('2.1.0')
  const [sarifRun] = log.runs
  expect(sarifRun.results.length).toBeGreaterThan(0)
  for (const result of sarifRun.results) {
    const rule = sarifRun.tool.driver.rules[result.ruleIndex]
    expect(rule.id).toBe(result.ruleId)
    expect(rule.shortDescription.text).toMatch(/\.$/)
    const { artifactLocation, region } = result.locations[0].physicalLocation
    expect(artifactLocation.uri).toBe('%C3%A4%20b.json')
    expect(region.startLine).toBeGreaterThan(0)
    expect(region.startColumn).toBeGreaterThan(0)
  }
  expect(sarifRun.invocations[0].executionSuccessful).toBe(false)
  expect(sarifRun.invocations[0].toolExecutionNotifications).toHaveLength(1)
})

test('annotations for GitHub escape what would end them', async () => {
  const text = broken.replace('"fixng"', JSON.stringify('a%b::c,d\ne'))
  const folder = folderOf({ 'a,b:c.json': text })
  const { code, out } = await runIn(folder, ['check', '--format', 'github', 'a,b:c.json'])
  expect(code).toBe(1)
  const line = out.split('\n').find((one) => one.includes('TARGET_UNKNOWN')) ?? ''
  expect(line).toMatch(/^::error file=a%2Cb%3Ac\.json,line=\d+,endLine=\d+,col=\d+/)
  expect(line).toContain('a%25b::c,d%0Ae')
})

test('a format that does not exist is refused', async () => {
  const { code, err } = await runIn('/', ['check', '--format', 'sarf', 'a.json'])
  expect(code).toBe(2)
  expect(err).toContain('did you mean `sarif`?')
  expect((await runIn('/', ['check', '--json', '--format', 'sarif', 'a'])).code).toBe(2)
})

test('every code is explained', async () => {
  for (const code of [...errorCodes, ...warningCodes, ...refusalCodes]) {
    const said = await runIn('/', ['check', '--explain', code])
    expect(said.code, code).toBe(0)
    expect(said.out, code).toMatch(new RegExp(`^${code} \\(.+\\)\\n {2}.+\\.\\n {2}.+\\.\\n$`))
  }
})

test('a code that does not exist is not explained', async () => {
  const { code, err } = await runIn('/', ['check', '--explain', 'TARGET_UNKNWON'])
  expect(code).toBe(2)
  expect(err).toContain('TARGET_UNKNOWN')
  expect((await runIn('/', ['check', '--explain', 'constructor'])).code).toBe(2)
})

test.each([
  ['GUARD_TIMING', ['GUARD_UNKNOWN', 'GUARD_UNSATISFIABLE']],
  ['tool', ['TOOL_UNKNOWN', 'TOOL_IGNORED']],
  ['unkown-target', ['TARGET_UNKNOWN']],
  ['NOPE', []],
])('what %s may have meant is named, with the way to all codes', async (word, meant) => {
  const { code, err } = await runIn('/', ['check', '--explain', word])
  expect(code).toBe(2)
  expect(err).toContain('`pawl check --explain list`')
  for (const one of meant) expect(err).toContain(`\`${one}\``)
  expect(err.includes('did you mean')).toBe(meant.length > 0)
})

test('without a code, all of them are listed in one line each', async () => {
  const { code, out } = await runIn('/', ['check', '--explain'])
  expect(code).toBe(0)
  expect(out).toBe((await runIn('/', ['check', '--explain', 'list'])).out)
  for (const one of [...errorCodes, ...warningCodes, ...refusalCodes, ...denialCodes]) {
    expect(out).toMatch(new RegExp(`^ {2}${one} +[A-Z].+[^.]$`, 'm'))
  }
  expect(out.match(/^[a-z]+s:$/gm)).toEqual(['errors:', 'warnings:', 'refusals:', 'denials:'])
})

test('colours are for terminals only', async () => {
  const folder = folderOf({ 'a.json': broken })
  expect((await runIn(folder, ['check', 'a.json'])).out).not.toContain('\u001b')
  expect((await runIn(folder, ['check', 'a.json'], { hasColour: true })).out).toContain(
    '\u001b[31m',
  )
})

test('names out of a hostile file do not steer the terminal', async () => {
  const hostile = broken.replace('fixng', 'x\\u001b]0;owned\\u0007')
  const folder = folderOf({ 'a.json': hostile })
  const { out } = await runIn(folder, ['check', 'a.json'])
  expect(out).toContain('TARGET_UNKNOWN')
  expect(out).not.toContain('\u001b')
  expect(out).not.toContain('\u0007')
})

test('no file at all is a fault', async () => {
  const { code, err } = await runIn('/', ['check'])
  expect(code).toBe(2)
  expect(err).toContain('name a file to check')
})

test('a mark at the beginning of the file does no harm', async () => {
  const folder = folderOf({ 'bom.json': `\uFEFF${JSON.stringify(goodWorkflow)}` })
  expect((await runIn(folder, ['check', 'bom.json'])).code).toBe(0)
})

test('what an entry with wildcards covers is told, and quietly not', async () => {
  const reading = { ...goodWorkflow.states.reading, allowed_commands: ['npm run *', 'git diff'] }
  const states = { ...goodWorkflow.states, reading }
  const folder = folderOf({ 'a.json': { ...goodWorkflow, states } })
  const { out } = await runIn(folder, ['check', 'a.json'])
  expect(out).toContain('a.json: `npm run *` in `reading` covers `npm run`, a word, and whatever')
  expect(out).not.toContain('`git diff` in')
  const { out: json } = await runIn(folder, ['check', '--json', 'a.json'])
  expect(JSON.parse(json).wildcards).toMatchObject([{ stage: 'reading', entry: 'npm run *' }])
  expect((await runIn(folder, ['check', '--quiet', 'a.json'])).out).toBe('')
})

const gated = {
  ...goodWorkflow,
  meta: { calls_max: 90 },
  states: {
    ...goodWorkflow.states,
    fixing: {
      ...goodWorkflow.states.fixing,
      on: { FIXED: { target: 'done', requires_approval: true }, LOST: 'reading' },
    },
  },
}

test('--prove says yes, with what every path passes', async () => {
  const folder = folderOf({ 'a.json': gated })
  const claim = 'no path to done without approval FIXED'
  const { code, out } = await runIn(folder, ['check', 'a.json', '--prove', claim])
  expect(out).toContain(`a.json: ${claim}\n  yes: every path passes it\n  fixing → FIXED → done\n`)
  expect(code).toBe(0)
})

test('--prove says no, with the shortest path that avoids it, and fails', async () => {
  const folder = folderOf({ 'a.json': gated })
  const claims = ['approval SHIP', 'approval FIXED'].flatMap((what) => {
    return ['--prove', `no path to done without ${what}`]
  })
  const { code, out } = await runIn(folder, ['check', 'a.json', ...claims])
  expect(out).toContain('  no: there is no `SHIP`\n  reading → FOUND → fixing → FIXED → done\n')
  expect(out).toContain('  yes: every path passes it\n')
  expect(code).toBe(1)
  const json = await runIn(folder, ['check', 'a.json', '--json', ...claims])
  const { ok, proofs } = JSON.parse(json.out)
  expect(ok).toBe(false)
  expect(proofs.map((one: { verdict: string }) => one.verdict)).toEqual(['disproved', 'proved'])
})

test('--prove needs a claim about a stage of the definition', async () => {
  const folder = folderOf({ 'a.json': gated, 'b.json': broken })
  const sentence = await runIn(folder, ['check', 'a.json', '--prove', 'done is safe'])
  expect(sentence.code).toBe(2)
  expect(sentence.err).toContain('is not a claim')
  const claim = 'no path to doen without approval FIXED'
  const stage = await runIn(folder, ['check', 'a.json', '--prove', claim])
  expect(stage.code).toBe(2)
  expect(stage.out).toContain('there is no stage `doen`: did you mean `done`?')
  const errors = await runIn(folder, ['check', 'b.json', '--prove', claim])
  expect(errors.code).toBe(1)
  expect(errors.out).toContain('cannot be proved: the file has errors')
})

test('--against shows what a version loosens; --strict makes it an error', async () => {
  const text = JSON.stringify(goodWorkflow)
  const wider = text.replace(/"allowed_tools":\["Read"/, '"allowed_tools":["WebFetch","Read"')
  expect(wider).not.toBe(text)
  const folder = folderOf({ 'old.json': goodWorkflow, 'new.json': wider, 'bad.json': broken })
  const loose = await runIn(folder, ['check', 'new.json', '--against', 'old.json'])
  expect(loose).toMatchObject({ code: 0, err: '' })
  expect(loose.out).toMatch(/^loosens {5}\w+: permits `WebFetch`\n$/)
  const strict = await runIn(folder, ['check', 'new.json', '--against', 'old.json', '--strict'])
  expect(strict.code).toBe(1)
  const back = await runIn(folder, ['check', 'old.json', '--against', 'new.json', '--json'])
  expect(JSON.parse(back.out).changes).toMatchObject([{ effect: 'tightens' }])
  const same = await runIn(folder, ['check', 'old.json', '--against', 'old.json'])
  expect(same.out).toBe('no permission changes\n')
  for (const args of [['bad.json'], [], ['new.json', 'old.json'], ['missing.json']]) {
    expect((await runIn(folder, ['check', ...args, '--against', 'old.json'])).code).toBe(2)
  }
})
