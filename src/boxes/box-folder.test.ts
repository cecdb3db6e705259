import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  guideInHome,
  guideInWorkspace,
  makePlaceholders,
  openBoxRemoval,
  planPlaceholders,
  removeBox,
} from './box-folder.ts'
import { gitPlacesOf } from './git-places.ts'

function workspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-places-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('placeholders stay while another box may have them mounted', () => {
  const folder = workspace()
  const [one, two] = ['.claude', '.codex'].map((name) => [guideInWorkspace(join(folder, name))])
  for (const placeholders of [one, two]) makePlaceholders(placeholders ?? [])
  const remove = openBoxRemoval()
  remove(join(folder, 'a'), one ?? [], 'one of several')
  expect(readdirSync(folder)).toEqual(['.claude', '.codex'])
  remove(join(folder, 'b'), two ?? [], 'last')
  expect(readdirSync(folder)).toEqual([])
})

test('what is missing is planned before it is made, and removed with the box', () => {
  const folder = workspace()
  mkdirSync(join(folder, '.claude'))
  const guides = ['.claude', '.github/hooks', '.github/copilot'].map((name) => join(folder, name))
  const planned = planPlaceholders(guides.map(guideInWorkspace))
  expect(readdirSync(folder)).toEqual(['.claude'])
  const paths = planned.map(({ path }) => path)
  expect(new Set(paths)).toEqual(new Set([...guides.slice(1), join(folder, '.github')]))
  makePlaceholders(planned)
  makePlaceholders(planned)
  expect(guides.every((path) => existsSync(path))).toBe(true)
  removeBox(join(folder, 'box'), planned)
  expect(readdirSync(folder)).toEqual(['.claude'])
})

test('in a home a file stands for a file, and is removed if it is as it was made', () => {
  const folder = workspace()
  const names = ['settings.json', 'config.toml', '.env', 'hooks']
  const planned = planPlaceholders(names.map((name) => guideInHome(join(folder, name))))
  makePlaceholders(planned)
  const texts = names.slice(0, 3).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(texts).toEqual(['{}\n', '', ''])
  writeFileSync(join(folder, 'config.toml'), 'mine')
  removeBox(join(folder, 'box'), planned)
  expect(readdirSync(folder)).toEqual(['config.toml'])
})

const inTheWay = {
  'a link': (path: string) => symlinkSync('/tmp', path),
  'a link that leads nowhere': (path: string) => symlinkSync('nowhere', path),
  'a link in a circle': (path: string) => symlinkSync(path, path),
  'a file': (path: string) => writeFileSync(path, ''),
}
test.for(Object.entries(inTheWay))('%s in the way is refused', ([, put]) => {
  const folder = workspace()
  put(join(folder, '.github'))
  expect(() => planPlaceholders([guideInWorkspace(join(folder, '.github/hooks'))])).toThrow(
    'a box cannot protect',
  )
  expect(readdirSync(folder)).toEqual(['.github'])
})

test('git works while placeholders are in it, also with a configuration per work tree', () => {
  const folder = workspace()
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  git('init', '-q')
  git('config', 'extensions.worktreeConfig', 'true')
  const before = readdirSync(join(folder, '.git'))
  const planned = planPlaceholders(gitPlacesOf(folder).guides)
  expect(planned.map(({ path }) => path)).toContain(join(folder, '.git/commondir'))
  makePlaceholders(planned)
  git('commit', '-q', '--allow-empty', '-m', 'one')
  git('branch', 'other')
  git('switch', '-q', 'other')
  expect(git('status', '--porcelain')).toBe('')
  expect(realpathSync(git('rev-parse', '--show-toplevel').trim())).toBe(folder)
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  removeBox(join(folder, 'box'), planned)
  const after = readdirSync(join(folder, '.git'))
  expect(after).toEqual(expect.arrayContaining(before))
  expect(after).not.toContain('commondir')
  expect(after).not.toContain('config.worktree')
})
