import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { processesWith } from '../../src/runner/scratch.contract.ts'
import { openLoadBox } from './switch-load.ts'

test('names of held files cannot end a reply, or pass for another one', async ({ skip }) => {
  const box = await openLoadBox(`
    name="$(printf 'a\\\\b\\n\\nok\\n\\n%0200d' 1)"
    for i in $(seq 60); do (exec 9> "$name$i"; sleep 1000) & done
    wait`)
  if (box === null) return skip('this machine has no boxes')
  onTestFinished(() => box.end())
  await sleep(500)
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await box.control.ask(['mode', 'read'])
    if (answer.kind !== 'busy') throw new Error(JSON.stringify(answer))
    expect(answer.holders).toHaveLength(40)
    for (const line of answer.holders) {
      expect(line).toMatch(/^\d+\t\w+\t\/[^\t]*\/a\\x5cb\\x0a\\x0aok\\x0a\\x0a0+1\d+$/)
    }
  }
})

/** Tries to write into each folder, again and again; a file is there if it could. */
const places = ['.', 'tests', 'other', '.git', '.github']
const guides = ['.git/hooks', '.github/hooks']
const tryAll = `while :; do
  for i in ${[...places, ...guides].join(' ')}; do (: > "$i/made") 2> /dev/null; done
  sleep 0.02
done`

function prepare(workspace: string): readonly string[] {
  for (const name of ['tests', 'other', '.git/hooks', '.github/hooks']) {
    mkdirSync(join(workspace, name), { recursive: true })
  }
  return [
    ...['.git', '.github'].map((name) => `pinned=${join(workspace, name)}`),
    ...['.git/hooks', '.github/hooks'].map((name) => `readonly=${join(workspace, name)}`),
    'mode=read',
  ]
}

async function openTrying() {
  const box = await openLoadBox(tryAll, prepare)
  if (box === null) return null
  onTestFinished(() => box.end())
  const path = (name: string): string => join(box.workspace, name)
  /** Where it can write now. */
  const writable = async (): Promise<readonly string[]> => {
    const all = [...places, ...guides]
    for (const name of all) rmSync(path(`${name}/made`), { force: true })
    await sleep(400)
    return all.filter((name) => existsSync(path(`${name}/made`)))
  }
  const ask = async (mode: string, ...folders: readonly string[]): Promise<string> =>
    (await box.control.ask(['mode', mode, ...folders.map(path)])).kind
  return { path, writable, ask }
}

test('a stage that is limited to folders can write there and to `.git`', async ({ skip }) => {
  const box = await openTrying()
  if (box === null) return skip('this machine has no boxes')
  expect(await box.writable()).toEqual([])
  expect(await box.ask('write', 'tests')).toBe('ok')
  expect(await box.writable()).toEqual(['tests', '.git'])
  // A guide stays closed in a folder that is open.
  expect(await box.ask('write', '.github')).toBe('ok')
  expect(await box.writable()).toEqual(['.git', '.github'])
})

const halfway = [
  { mode: 'read', folders: [], before: [] },
  { mode: 'write', folders: ['tests'], before: ['tests', '.git'] },
  { mode: 'write', folders: [], before: places },
]
test.for(halfway)('a switch from $mode $folders that fails halfway goes back', async (from, t) => {
  const box = await openTrying()
  if (box === null) return t.skip('this machine has no boxes')
  expect(await box.ask(from.mode, ...from.folders)).toBe('ok')
  expect(await box.ask('write', 'other', 'missing')).toBe('fault')
  expect(await box.writable()).toEqual(from.before)
})

test('switches leave no mounts behind', async ({ skip }) => {
  const mark = `777.${process.pid}`
  const box = await openLoadBox(`exec sleep ${mark}`, prepare)
  if (box === null) return skip('this machine has no boxes')
  onTestFinished(() => box.end())
  await expect.poll(() => processesWith(`sleep ${mark}`).length).toBeGreaterThan(0)
  const [pid] = processesWith(`sleep ${mark}`).slice(-1)
  const mounts = (): number => readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n').length
  const before = mounts()
  const tests = join(box.workspace, 'tests')
  const github = join(box.workspace, '.github')
  for (let round = 0; round < 5; round += 1) {
    for (const words of [['write', tests, github], ['scratch'], ['write'], ['read']]) {
      expect(await box.control.ask(['mode', ...words])).toEqual({ kind: 'ok' })
    }
  }
  expect(mounts()).toBe(before)
})

test('a folder that is reached by a link is not opened for writing', async ({ skip }) => {
  const box = await openTrying()
  if (box === null) return skip('this machine has no boxes')
  const { path, writable, ask } = box
  symlinkSync('.git', path('by-git'))
  symlinkSync('tests', path('by-tests'))
  symlinkSync('.', path('by-all'))
  for (const folder of ['by-git/hooks', 'by-tests', 'by-all', 'by-all/other']) {
    expect([folder, await ask('write', 'tests', folder)]).toEqual([folder, 'fault'])
  }
  expect(await writable()).toEqual([])
  expect(await ask('write', 'tests')).toBe('ok')
  expect(await writable()).toEqual(['tests', '.git'])
})
