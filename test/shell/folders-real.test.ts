/**
 * Where commands run, asked of a real bash: texts that wander through folders, some of which are
 * missing. Every command must be found in a folder that the reading names.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../scripts/shell-fuzz/random.ts'
import { readShell } from '../../src/core/shell/read-shell.ts'

const textsCount = 150
const seed = 20_260

const root = mkdtempSync(join(tmpdir(), 'pawl-folders-'))
afterAll(() => rmSync(root, { recursive: true }))
const log = join(root, 'log')
const workspace = join(root, 'deep/down/here')
for (const folder of ['a/b', 'b/a', 'a/c']) mkdirSync(join(workspace, folder), { recursive: true })

type Making = { readonly random: Random; marksCount: number }

function makeText(random: Random): string {
  return makeList({ random, marksCount: 0 }, 3)
}

function makeList(making: Making, depth: number): string {
  const parts = Array.from({ length: 1 + making.random.below(3) }, () => makeAndOr(making, depth))
  return parts.join(making.random.pick(['; ', '\n', ' ; ']))
}

function makeAndOr(making: Making, depth: number): string {
  const { random } = making
  let text = makeCommand(making, depth)
  while (random.chance(45)) text += random.pick([' && ', ' || ']) + makeCommand(making, depth)
  return text
}

function makeCommand(making: Making, depth: number): string {
  const { random } = making
  if (depth > 0 && random.chance(25)) return makeCompound(making, depth - 1)
  if (random.chance(45)) {
    const target = random.pick(['a', 'b', 'c', 'no', '..', '../a', 'a/b', './a/..', '.', workspace])
    const inside = random.chance(10) ? ` "$(${mark(making)})"` : ''
    return `${random.pick(['cd', 'cd', 'cd', '! cd', 'pushd', 'command cd'])} ${target}${inside}`
  }
  return random.pick([mark, mark, mark, () => random.pick(['true', 'false', 'exit', 'exit 1'])])(
    making,
  )
}

function makeCompound(making: Making, depth: number): string {
  const { random } = making
  const list = () => makeList(making, depth)
  const shapes = [
    () => `(${list()})`,
    () => `{ ${list()}\n}`,
    () => `{ ${list()}\n} > ${random.pick(['/dev/null', 'no/x'])}`,
    () => `if ${list()}\nthen ${list()}\nelse ${list()}\nfi`,
    () => `case ${random.pick(['a', 'b'])} in a) ${list()}\n;; *) ${list()}\n;; esac`,
    () => `for i in 1 2; do ${list()}\ndone`,
    () => `{ ${list()}\n} | { ${list()}\n}`,
    () => `{ ${mark(making)}; exit 1; }`,
    () => `eval '${list()}'`,
    () => `bash -c '${list()}'`,
  ]
  // A quote ends at the next one: texts in texts stay on one level.
  const text = random.pick(shapes)()
  return /^(eval|bash)/.test(text) && text.slice(9, -1).includes("'") ? 'true' : text
}

/** A command that tells where it runs. */
function mark(making: Making): string {
  making.marksCount += 1
  return `echo ${making.marksCount} "$PWD" >> ${log}`
}

/** The marks that a real bash has met where the reading does not say so. */
function strayed(text: string): readonly string[] {
  const reading = readShell(text)
  if (!reading.ok) throw new Error(`${reading.reason}: ${text}`)
  // What is hidden (an `eval` behind a pipe) is denied as such, and could move anywhere.
  if (reading.hidden.length > 0) return []
  writeFileSync(log, '')
  spawnSync('bash', ['-c', text], { cwd: workspace, stdio: 'ignore', timeout: 10_000 })
  const met = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return met.filter((line) => {
    const [number = '', place = ''] = line.split(' ')
    const command = reading.commands.find(({ words }) => words[0] === 'echo' && words[1] === number)
    const dirs = command?.dirs ?? []
    return !dirs.some((dir) => dir === null || resolve(workspace, dir) === place)
  })
}

test('every command of a text runs in a folder that its reading names', () => {
  const random = randomFrom(seed)
  const found: string[] = []
  for (let i = 0; i < textsCount; i += 1) {
    const text = makeText(random)
    const lines = strayed(text)
    if (lines.length > 0) found.push(`${text}\n→ ${lines.join(', ')}`)
  }
  expect(found).toEqual([])
})

test('a folder that the reading does not name would be found', () => {
  expect(strayed('cd() { :; }; cd a && echo 1 "$PWD" >> '.concat(log))).toHaveLength(1)
})
