import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../../core/source/read-source.ts'
import { type Node, plainValue } from '../../../core/source/source.ts'
import { type Case, checkCases } from '../../../testing/case-schema.ts'
import { type CaseResult, caseSource, playCase } from '../../../testing/play-case.ts'
import { folderOf } from '../fake-io.contract.ts'
import { fix, order, playLines, sampleFiles } from '../play/sample-definitions.contract.ts'

function rootOf(path: string): Node {
  const { root } = readSource(readFileSync(path, 'utf8'))
  if (root === null) throw new Error(`${path} is no tree`)
  return root
}

/** Plays a saved case the way `pawl test` does. */
function playSaved(folder: string, name: string): { result: CaseResult; saved: Case } {
  const root = rootOf(join(folder, name))
  expect(checkCases(root)).toEqual([])
  const saved = plainValue(root) as unknown as Case
  const file = saved.definition_file
  const definition = file === undefined ? null : rootOf(join(folder, file))
  return { result: playCase(caseSource(saved, root, definition)), saved }
}

test.each([
  [
    'fix.json',
    ['call! Edit db/a.sql', 'VALID', 'READY', 'DATA coverage=90', 'call Write x', 'READY'],
  ],
  [
    'fix.json',
    ['SPLIT', '@unit PASS', '@unit call Read x', '@no call Read x', 'done lint', 'PASS'],
  ],
  ['fix.json', ['call Bash ls', 'report ok=false exit_code=2 output=no cost_usd=0.5', 'wait 2h']],
  ['fix.json', ['pause', 'DATA', 'resume', 'pause person', 'resume', 'force done', 'NOPE']],
  ['fix.json', ['SPLIT', 'PASS', 'done lint', 'PASS', 'done unit', 'MERGE', 'refuse no', 'MERGE']],
  ['talk.json', ['not sure', 'yes', 'approve fine', 'send maybe', 'yes', 'yes']],
  ['order.json', ['submit', 'name=Ann', 'goto WHAT phone=1', 'phone=1 odd=2', '{"count": 2}']],
])('a walk through %s becomes a case that passes', async (name, lines) => {
  const folder = folderOf(sampleFiles)
  const { code, out } = await playLines(folder, [name], [...lines, 'save walk.json'])
  expect([code, out.includes('✔ saved')], out).toEqual([0, true])
  const { result, saved } = playSaved(folder, 'walk.json')
  expect(result.failures).toEqual([])
  expect(saved.definition_file).toBe(`./${name}`)
  expect(saved.steps.length).toBeGreaterThan(lines.length - 1)
})

test('a saved case fails once the definition behaves otherwise', async () => {
  const folder = folderOf(sampleFiles)
  await playLines(folder, ['fix.json'], ['DATA coverage=90', 'READY', 'save walk.json'])
  const changed = structuredClone(fix)
  changed.guards.covered.value = 95
  writeFileSync(join(folder, 'fix.json'), JSON.stringify(changed))
  expect(playSaved(folder, 'walk.json').result.ok).toBe(false)
})

test('what the walk began with is saved, too', async () => {
  const folder = folderOf(sampleFiles)
  const options = ['--stage', 'review', '--var', 'coverage=99']
  await playLines(folder, ['fix.json', ...options], ['MERGE', 'save walk.json'])
  const { result, saved } = playSaved(folder, 'walk.json')
  expect(result.failures).toEqual([])
  expect(saved.start).toEqual({ stage: 'review', vars: { coverage: 99 } })
})

test('a file is overwritten only when that is said, or when the walk wrote it', async () => {
  const folder = folderOf({ ...sampleFiles, 'mine.json': 'mine' })
  const kept = await playLines(folder, ['fix.json'], ['save mine.json'])
  expect([kept.code, readFileSync(join(folder, 'mine.json'), 'utf8')]).toEqual([2, 'mine'])
  expect(kept.out).toContain('`save! mine.json` overwrites it')
  const again = ['save new.json', 'DATA', 'save new.json', 'save! mine.json']
  expect((await playLines(folder, ['fix.json'], again)).code).toBe(0)
  expect(playSaved(folder, 'new.json').saved.steps).toHaveLength(2)
  expect(playSaved(folder, 'mine.json').result.ok).toBe(true)
  const lost = await playLines(folder, ['fix.json'], ['save no/where.json'])
  expect([lost.code, existsSync(join(folder, 'no'))]).toEqual([2, false])
})

test('an invoked definition is played inside the other, and stands in the saved case', async () => {
  const open = { allowed_tools: ['Read'], max_iterations: 5 }
  const go = { invoke: 'inner', on_complete: 'b' }
  const main = {
    id: 'main',
    initial: 'a',
    states: { a: { ...open, on: { GO: go } }, b: { type: 'final' } },
  }
  const inner = {
    id: 'inner',
    initial: 'x',
    states: { x: { ...open, on: { END: 'y' } }, y: { type: 'final' } },
  }
  const folder = folderOf({ 'main.json': main, 'inner.json': inner })
  const { code, out, err } = await playLines(folder, ['main.json'], ['GO', 'END', 'save w.json'])
  expect(code, out + err).toBe(0)
  expect(out).toContain('a ⟫ x')
  expect(out).toContain('■ the run is completed')
  const { result, saved } = playSaved(folder, 'w.json')
  expect(result.failures).toEqual([])
  expect(Object.keys(saved.definitions ?? {})).toEqual(['inner'])
})

test('one of several tasks is chosen by its id, and stands in the saved case', async () => {
  const second = { ...order, id: 'second', tool: { name: 'submit_second' } }
  const folder = folderOf({ 'two.json': { context: { task: [order, second] } } })
  const args = ['two.json', '--task', 'second']
  const { code, out, err } = await playLines(folder, args, ['name=Ann', 'save w.json'])
  expect(code, err).toBe(0)
  expect(out).toContain('second  steps')
  const { result, saved } = playSaved(folder, 'w.json')
  expect([result.failures, saved.definition_file]).toEqual([[], undefined])
  const none = await playLines(folder, ['two.json', '--task', 'secnod'], [])
  expect([none.code, none.err.includes('did you mean `second`?')]).toEqual([2, true])
})

test('a policy laid over a walk is heard, and saved with it', async () => {
  const policy = { deny: [{ capability: 'edit' }], ask: [{ capability: 'bash' }] }
  const folder = folderOf({ ...sampleFiles, 'org.json': policy })
  const lines = ['call Edit src/a.ts', 'call Bash npm test', 'approve', 'save walk.json']
  const { code, out } = await playLines(folder, ['fix.json', '--policy', 'org.json'], lines)
  expect(code).toBe(0)
  expect(out).toContain('POLICY_DENIED')
  expect(out).toContain('/policy/deny/0)')
  expect(out).toContain('? ask')
  const { result, saved } = playSaved(folder, 'walk.json')
  expect(saved).toMatchObject({ policy })
  expect(result.failures).toEqual([])
})

test('a walk with several policies says that no case can hold them', async () => {
  const policy = { deny: [{ capability: 'edit' }] }
  const folder = folderOf({ ...sampleFiles, 'a.json': policy, 'b.json': policy })
  const laid = ['fix.json', '--policy', 'a.json', '--policy', 'b.json']
  const { code, out } = await playLines(folder, laid, ['save walk.json'])
  expect(code).toBe(2)
  expect(out).toContain('a case can have only one policy')
  expect(existsSync(join(folder, 'walk.json'))).toBe(false)
})
