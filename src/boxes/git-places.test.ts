import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gitPlacesOf } from './git-places.ts'

function openRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-git-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main']

function git(cwd: string, ...args: readonly string[]): void {
  const allow = ['-c', 'protocol.file.allow=always']
  execFileSync('git', [...who, ...allow, ...args], { cwd, stdio: 'pipe' })
}

/** A repository with two linked work trees. */
function openRepository(): string {
  const root = openRoot()
  mkdirSync(join(root, 'repo'))
  git(join(root, 'repo'), 'init', '-q')
  git(join(root, 'repo'), 'commit', '-q', '--allow-empty', '-m', 'first')
  for (const name of ['one', 'two']) git(join(root, 'repo'), 'worktree', 'add', '-q', `../${name}`)
  return root
}

function placesIn(root: string, name: string) {
  const { record, guides } = gitPlacesOf(join(root, name))
  return { record, guides: guides.map(({ path }) => relative(root, path)) }
}

test('the repository of a linked work tree is named, with what stays as it is', () => {
  const root = openRepository()
  const { record, guides } = placesIn(root, 'one')
  expect(record).toBe(join(root, 'repo/.git'))
  expect(guides).toEqual([
    'one/.git',
    ...['hooks', 'config', 'config.worktree', 'commondir'].map((name) => `repo/.git/${name}`),
    ...['config.worktree', 'commondir', 'gitdir'].map((name) => `repo/.git/worktrees/one/${name}`),
    'repo/.git/worktrees/two',
  ])
})

test('in the main work tree, what git keeps of the others stays as it is', () => {
  const { record, guides } = placesIn(openRepository(), 'repo')
  expect(record).toBe(null)
  expect(guides.slice(-2)).toEqual(['repo/.git/worktrees/one', 'repo/.git/worktrees/two'])
})

test('the configuration and the hooks of submodules stay as they are', () => {
  const root = openRepository()
  const repo = join(root, 'repo')
  git(repo, 'submodule', '--quiet', 'add', join(root, 'two'), 'libs/part')
  const { guides } = placesIn(root, 'repo')
  expect(guides).toContain('repo/.git/modules/libs/part/config')
  expect(guides).toContain('repo/.git/modules/libs/part/hooks')
})

test('a repository with work trees inside it is not opened with them', () => {
  const root = openRepository()
  git(root, 'clone', '-q', '--bare', 'repo', 'bare')
  for (const name of ['one', 'two']) {
    git(join(root, 'bare'), 'worktree', 'add', '-q', '-b', `in-${name}`, `in-${name}`)
  }
  expect(placesIn(root, 'bare/in-one')).toEqual({ record: null, guides: ['bare/in-one/.git'] })
})

test('a `.git` file whose repository is in the workspace stays as it is', () => {
  const root = openRoot()
  const plain = join(root, 'plain')
  mkdirSync(plain)
  git(plain, 'init', '-q', '--separate-git-dir', join(plain, '.repository'))
  const { guides } = placesIn(root, 'plain')
  expect(guides).toContain('plain/.git')
  expect(guides).toContain('plain/.repository/hooks')
})

test.each([
  ['modules', 101],
  ['worktrees', 201],
])('more %s than can be kept as they are is a refusal', (kind, count) => {
  const root = openRepository()
  for (let i = 0; i < count; i += 1) {
    const folder = join(root, 'repo/.git', kind, `z${i}`)
    for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  }
  expect(() => placesIn(root, 'repo')).toThrow('too much for a box')
})

test('a `.git` file that git does not list opens nothing', () => {
  const root = openRepository()
  mkdirSync(join(root, 'forged'))
  writeFileSync(join(root, 'forged/.git'), `gitdir: ${join(root, 'repo/.git')}\n`)
  expect(placesIn(root, 'forged')).toEqual({ record: null, guides: ['forged/.git'] })
})

test('where no repository is, none can be made', () => {
  const root = openRoot()
  mkdirSync(join(root, 'plain'))
  expect(gitPlacesOf(join(root, 'plain')).guides).toEqual([
    { path: join(root, 'plain/.git'), text: null },
  ])
  const repo = join(openRepository(), 'repo')
  mkdirSync(join(repo, 'part'))
  expect(placesIn(repo, 'part')).toEqual({ record: null, guides: ['part/.git'] })
})

test('a work tree that is named from its repository is found', () => {
  const root = openRepository()
  const gitdir = join(root, 'repo/.git/worktrees/one/gitdir')
  const absolute = placesIn(root, 'one')
  writeFileSync(gitdir, '../../../../one/.git\n')
  expect(placesIn(root, 'one')).toEqual(absolute)
})

test('submodules that are too deep to be found are a refusal', () => {
  const root = openRepository()
  const deep = join(root, 'repo/.git/modules/a/b/c/d/e/f/g')
  mkdirSync(join(deep, 'objects'), { recursive: true })
  expect(() => gitPlacesOf(join(root, 'repo'))).toThrow('is more than 6 folders deep')
})
