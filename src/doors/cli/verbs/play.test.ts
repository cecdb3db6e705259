import { expect, test } from 'vitest'
import { folderOf } from '../fake-io.contract.ts'
import {
  fix,
  keyboard,
  playLines,
  playOn,
  sampleFiles,
} from '../play/sample-definitions.contract.ts'
import { undoStatesMax } from '../play/session.ts'

async function play(name: string, lines: readonly string[], ...options: string[]) {
  return playLines(folderOf(sampleFiles), [name, ...options], lines)
}

test('without any line the standing is shown: brief, tools, limits, what can be sent', async () => {
  const { code, out } = await play('fix.json', [])
  expect(code).toBe(0)
  for (const text of ['fix  workflow', '● running', 'coding', '│ Write the code.']) {
    expect(out).toContain(text)
  }
  expect(out).toMatch(/tools +Read, Edit, Bash/)
  expect(out).toMatch(/limits +3 of 3 calls left/)
  expect(out).toMatch(/READY +→ review when covered \(coverage ≥ 80\)/)
  expect(out).toMatch(/SPLIT +→ forks lint, unit, then review/)
})

test('a signal moves the run; its data counts for the next one', async () => {
  const { code, out } = await play('fix.json', ['DATA coverage=92 result=pass', 'READY'])
  expect(code).toBe(0)
  expect(out).toContain('coding › DATA coverage=92 result=pass\n✔ accepted')
  expect(out).toContain('vars.written coverage=92 result="pass" (claimed)')
  expect(out).toContain('coding ▸ coding ▸ review')
})

test('a refusal is told with its code, its reason and what the guard saw', async () => {
  const { code, out } = await play('fix.json', ['READY {"coverage": 12}'])
  expect(code).toBe(0)
  expect(out).toContain('✖ refused GUARD_FAILED: ')
  expect(out).toContain('why  covered (coverage ≥ 80); coverage is not set')
  expect(out).toContain('still in coding')
})

test('a refusal is a failure only with --strict, and so is a denied call', async () => {
  expect((await play('fix.json', ['READY'], '--strict')).code).toBe(1)
  expect((await play('fix.json', ['call Write x.ts'], '--strict')).code).toBe(1)
  expect((await play('fix.json', ['DATA'], '--strict')).code).toBe(0)
})

test('a call is judged, waits for its report, and uses up the limit', async () => {
  const { out } = await play('fix.json', [
    'call Write a.ts',
    'call Read file_path=a.ts',
    'ok all of it',
    'ok',
  ])
  expect(out).toContain('✖ deny TOOL_NOT_ALLOWED: ')
  expect(out).toContain('✔ allow  Read {"file_path":"a.ts"}')
  expect(out).toContain('coding · Read? › ok all of it\n✔ accepted')
  expect(out).toContain('call.reported ok, 9 bytes')
  expect(out).toContain('2 of 3 calls left')
  expect(out).toContain('✖ refused CALL_UNKNOWN')
})

test('an edit of a matching file leads to the detour and back', async () => {
  const { code, out } = await play('fix.json', [
    'call Edit db/a.sql',
    'ok',
    'VALID',
    'call! Edit db/b.sql',
  ])
  expect(code).toBe(0)
  expect(out).toContain('detour.begun schema: db/a.sql leads from coding to schema')
  expect(out).toContain('detour.ended schema, returned')
  expect(out).toContain('coding ▸ schema ▸ coding ▸ schema')
})

test('a call that failed changes nothing', async () => {
  const { out } = await play('fix.json', ['call Edit db/a.sql', 'fail no such file'])
  expect(out).not.toContain('detour.begun')
  expect(out).toContain('call.reported failed')
})

test('the branches of a fork are addressed, finished and joined', async () => {
  const { code, out } = await play('fix.json', [
    'SPLIT',
    '@unit PASS',
    '@unit',
    'PASS',
    'done lint',
    '@nobody PASS',
    'done unit',
  ])
  expect(code).toBe(0)
  expect(out).toContain('branches  @lint  running at lint_open')
  expect(out).toContain('coding ⟫ @unit unit_open ▸ unit_ok')
  expect(out).toContain('✖ refused BRANCH_UNKNOWN')
  expect(out).toContain('@unit run.completed')
  expect(out).toContain('coding ▸ review')
})

test('a person approves, or refuses with a note', async () => {
  const ask = ['DATA coverage=90', 'READY', 'MERGE']
  const granted = await play('fix.json', [...ask, 'MERGE', 'approve well done'])
  expect(granted.out).toContain('● waiting')
  expect(granted.out).toContain('✖ refused APPROVAL_PENDING')
  expect(granted.out).toContain('approval.granted by person: well done')
  expect(granted.out).toContain('■ the run is completed\n  undo · restart · save FILE · quit')
  const refused = await play('fix.json', [...ask, 'refuse not yet'])
  expect(refused.out).toContain('approval.refused by person: not yet')
  expect(refused.out).not.toContain('● completed')
})

test('an answer with spaces or other capitals is understood, and it is told how', async () => {
  const { code, out } = await play('talk.json', ['Not sure', 'approve', 'no'])
  expect(code).toBe(0)
  expect(out).toContain('(read as `not sure`)')
  expect(out).toContain('■ the run is blocked')
})

test('a word that is an answer and a command is explained and not guessed', async () => {
  const { code, out } = await play('talk.json', ['help'])
  expect(code).toBe(2)
  expect(out).toContain('? `help` can be sent here, but `help` is also a command')
  expect(out).toContain('→ write `send help` or `/help`')
  const sent = await play('talk.json', ['send help'])
  expect(sent.out).toContain('notes ▸ ship')
  const asked = await play('talk.json', ['/help'])
  expect([asked.code, asked.out.includes('as the agent')]).toEqual([0, true])
})

test('an answer that is named like a report is the answer while no call is open', async () => {
  const { code, out } = await play('talk.json', ['ok'])
  expect(code).toBe(0)
  expect(out).toContain('(read as the answer `ok`, not as the command)')
  const open = await play('talk.json', ['call Read a', 'ok'])
  expect(open.code).toBe(2)
})

test('fields of a form add up over several lines, and digits can be text', async () => {
  const { code, out } = await play('order.json', [
    'name="Ann Lee"',
    'phone=0123',
    'count=x',
    'count=2',
  ])
  expect(code).toBe(0)
  expect(out).toContain('○ phone  string, with the area code')
  expect(out).toContain('✖ refused FIELDS_MISSING: ')
  expect(out).toContain('● name   "Ann Lee"')
  expect(out).toContain('inputs.collected phone="0123"')
  expect(out).toContain('says  Thank you!')
  expect(out).toContain('✖ refused FIELDS_INVALID: ')
  expect(out).toContain('● completed')
})

test('undo goes back one input or several, restart to the start', async () => {
  const { code, out } = await play('order.json', [
    'name=Ann',
    'phone=1',
    'undo',
    'undo',
    'vars',
    'name=Bea phone=2',
    'restart',
    'undo',
    'vars',
  ])
  expect(code).toBe(0)
  expect(out.split('↶ undone')).toHaveLength(4)
  expect(out).toContain('WHO › vars\nno values yet')
  expect(out).toMatch(/WHAT › vars\nvars\n {2}name = "Bea"/)
  const far = await play('order.json', ['undo', 'name=Ann', 'undo 2'])
  expect(far.code).toBe(2)
  expect(far.out).toContain('there is nothing to undo')
  expect(far.out).toContain('only 1 inputs can be undone')
})

test('only so many inputs can be undone, and that is told', async () => {
  const many = Array<string>(undoStatesMax + 1).fill('DATA')
  const { code, out } = await play('fix.json', [...many, `undo ${many.length}`])
  expect(code).toBe(2)
  expect(out).toContain(`only ${undoStatesMax} are kept`)
})

test('a call that was reported at once is undone at once', async () => {
  const { out } = await play('fix.json', ['call! Edit db/a.sql', 'undo', 'log'])
  expect(out.slice(out.indexOf('› log'))).not.toContain('call.')
})

test('--json gives the start and one object per input', async () => {
  const { code, out, err } = await play(
    'fix.json',
    ['# first', '', 'READY', 'DATA x=1', 'huh?'],
    '--json',
  )
  expect([code, err]).toEqual([2, ''])
  const objects = out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(objects.map((one) => one.input)).toEqual([null, 'READY', 'DATA x=1', 'huh?'])
  expect(objects.map((one) => one.view.stage)).toEqual(['coding', 'coding', 'coding', 'coding'])
  expect(objects[1].reply).toMatchObject({ kind: 'refused', code: 'GUARD_FAILED' })
  expect(objects[2].reply).toEqual({ kind: 'accepted' })
  expect(objects[2].events.map((one: { type: string }) => one.type)).toContain('vars.written')
  expect([objects[3].reply, objects[3].trouble.message.includes('huh?')]).toEqual([null, true])
})

test('lines come from a file or the input; comments do not count', async () => {
  const script = '# a walk\r\n\r\n  DATA x=1  \r\nquit\r\nnonsense\r\n'
  const folder = folderOf({ ...sampleFiles, 'walk.txt': script })
  const { code, out } = await playLines(folder, ['fix.json', '--script', 'walk.txt'])
  expect([code, out.includes('coding › DATA x=1\n')]).toEqual([0, true])
  expect(out).not.toContain('nonsense')
  const piped = await playLines(folder, ['fix.json', '--script', '-'], ['DATA x=1'])
  expect([piped.code, piped.out.includes('vars.written x=1')]).toEqual([0, true])
  const none = await playLines(folder, ['fix.json', '--script', 'none.txt'])
  expect([none.code, none.err.includes('there is no `none.txt`')]).toEqual([2, true])
})

test('colours and control characters never reach a script', async () => {
  const hostile = structuredClone(fix)
  hostile.states.coding.instructions = 'red \u001b[31m and \u0007 bell'
  const folder = folderOf({ 'h.json': hostile })
  const { out } = await playOn(folder, ['h.json'], { hasColour: true })
  expect(out).toContain('red �[31m and � bell')
  expect(out).not.toContain('\u001b')
})

test('a definition with errors never starts: its findings are told with their places', async () => {
  const broken = structuredClone(fix)
  broken.initial = 'nowhere'
  const folder = folderOf({ 'b.json': broken, 'no.json': '{', 'case.json': { a: 1 } })
  const { code, out, err } = await playLines(folder, ['b.json'], ['DATA'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/b\.json:\d+:\d+ {2}error INITIAL_UNKNOWN/)
  expect((await playLines(folder, ['no.json'])).code).toBe(2)
  expect((await playLines(folder, ['case.json'])).code).toBe(2)
  const json = await playLines(folder, ['b.json', '--json'])
  expect(JSON.parse(json.out).findings[0]).toMatchObject({
    code: 'INITIAL_UNKNOWN',
    file: 'b.json',
  })
})

test('wrong options are refused with what to do instead', async () => {
  const folder = folderOf(sampleFiles)
  const wrong = async (...args: string[]) => (await playLines(folder, args)).err
  expect(await wrong()).toContain('name a definition to play')
  expect(await wrong('fix.json', 'talk.json')).toContain('name only one definition')
  expect(await wrong('none.json')).toContain('there is no `none.json`')
  expect(await wrong('fix.json', '--stage', 'nowhere')).toContain('nowhere')
  expect(await wrong('fix.json', '--data', '{"a"')).toContain('`--data`: ')
  expect(await wrong('fix.json', '--scirpt', 'x')).toContain('did you mean `--script`?')
})

test('at a terminal keys are read, completed and answered until the person leaves', async () => {
  const input = keyboard()
  const playing = playOn(folderOf(sampleFiles), ['fix.json'], {
    input,
    isTerminal: true,
    hasColour: true,
  })
  for (const keys of [
    'DA',
    '\t',
    'x=1',
    '\r',
    'call Re',
    '\t',
    'a.ts',
    '\r',
    'fa',
    '\t',
    '\r',
    'quit',
    '\r',
  ]) {
    input.write(keys)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { code, out } = await playing
  expect(code).toBe(0)
  expect(out).toContain('vars.written x=1')
  expect(out).toContain('Read {"file_path":"a.ts"}')
  expect(out).toContain('call.reported failed')
  expect(out).toContain('\u001b[32m✔ \u001b[0m')
})

test('at a terminal the end of the input leaves as well', async () => {
  const input = keyboard()
  const playing = playOn(folderOf(sampleFiles), ['fix.json'], { input, isTerminal: true })
  input.end()
  expect((await playing).code).toBe(0)
})

test('a denied call says what can be done instead', async () => {
  const { out } = await play('fix.json', ['call WebFetch https://example.com'])
  expect(out).toMatch(/✖ deny TOOL_NOT_ALLOWED: [^→]*\(by\s+\/states\/coding\/allowed_tools\)/)
  expect(out).toContain('\n  → use `Read`, `Edit` or `Bash`')
})
