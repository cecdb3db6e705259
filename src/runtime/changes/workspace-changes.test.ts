/**
 * What changed in a workspace, in real repositories; among them some whose owner wants programs to
 * run, or changes not to be seen.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { headCommitOf } from './head-commit.ts'
import { workspaceChanges } from './workspace-changes.ts'

const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
let folder = ''
let commit = ''
/** When the run began. */
let since = 0

function git(...args: readonly string[]): void {
  execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' })
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

async function changes(path: string | null = null) {
  return workspaceChanges({ folder, commit, since, path })
}

async function summary(): Promise<readonly string[]> {
  const found = await changes()
  return (
    found?.files.map(({ kind, path, added, removed, note }) =>
      [kind, path, `+${added}`, `-${removed}`, ...(note === null ? [] : [note])].join(' '),
    ) ?? []
  )
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-changes-'))
  const own = folder
  onTestFinished(() => rmSync(own, { recursive: true, force: true }))
  git('init', '--quiet', '--initial-branch=main')
  put('a.txt', 'one\ntwo\nthree\n')
  put('src/b.txt', 'b\n')
  put('run.sh', 'ls\n')
  put('.gitignore', 'ignored/\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  commit = headCommitOf(folder) ?? ''
  since = 0
})

describe('the commit at the start', () => {
  test('is found on a branch, packed, detached and in another work tree', () => {
    const branch = headCommitOf(join(folder, 'src'))
    git('pack-refs', '--all')
    const packed = headCommitOf(folder)
    git('checkout', '--quiet', '--detach')
    const detached = headCommitOf(folder)
    git('worktree', 'add', '--quiet', 'other', 'main')
    expect(branch).toMatch(/^[0-9a-f]{40}$/)
    expect([packed, detached, headCommitOf(join(folder, 'other'))]).toEqual([
      branch,
      branch,
      branch,
    ])
  })

  test('is null without a repository, without a commit, and behind a link to elsewhere', () => {
    expect(headCommitOf(tmpdir())).toBeNull()
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/../../secret\n')
    expect(headCommitOf(folder)).toBeNull()
  })
})

test('every kind of change is told, committed or not', async () => {
  expect(await summary()).toEqual([])
  put('a.txt', 'one\n2\nthree\nfour\n')
  put('new/c.txt', 'c\n')
  put('ignored/d.txt', 'd\n')
  put('picture.png', 'a\0b')
  chmodSync(join(folder, 'run.sh'), 0o755)
  rmSync(join(folder, 'src/b.txt'))
  git('add', 'a.txt')
  git('commit', '--quiet', '--message', 'second')
  symlinkSync('/etc/passwd', join(folder, 'link'))
  expect(await summary()).toEqual([
    'changed a.txt +2 -1',
    'added link +1 -0 link',
    'added new/c.txt +1 -0',
    'added picture.png +0 -0 binary',
    'changed run.sh +0 -0 mode',
    'deleted src/b.txt +0 -1',
  ])
  expect((await changes())?.files[0]?.hunks).toEqual([
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        { kind: 'same', text: 'one' },
        { kind: 'del', text: 'two' },
        { kind: 'add', text: '2' },
        { kind: 'same', text: 'three' },
        { kind: 'add', text: 'four' },
      ],
    },
  ])
})

test('a long diff is cut in the list, and whole for the file alone', async () => {
  put('long.txt', Array.from({ length: 900 }, (_, index) => `line ${index}\n`).join(''))
  const [listed] = (await changes())?.files ?? []
  expect(listed).toMatchObject({ added: 900, linesCut: 500 })
  const alone = (await changes('long.txt'))?.files
  expect(alone).toHaveLength(1)
  expect(alone?.[0]).toMatchObject({ linesCut: 0 })
  expect(alone?.[0]?.hunks[0]?.lines).toHaveLength(900)
})

describe('whoever works there cannot', () => {
  test('have a program run', async () => {
    const mark = join(folder, '..', `mark-${commit.slice(0, 8)}-${process.pid}`)
    onTestFinished(() => rmSync(mark, { force: true }))
    put('.git/evil.sh', `#!/bin/sh\ntouch ${mark}\ncat\n`)
    chmodSync(join(folder, '.git/evil.sh'), 0o755)
    const evil = join(folder, '.git/evil.sh')
    put('.gitattributes', '* filter=evil diff=evil merge=evil\n')
    put('.git/info/attributes', '* filter=evil diff=evil\n')
    put(
      '.git/config',
      `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${join(folder, '.git')}\n\tpager = ${evil}\n` +
        `\tsshCommand = ${evil}\n[diff]\n\texternal = ${evil}\n` +
        `[diff "evil"]\n\tcommand = ${evil}\n\ttextconv = ${evil}\n` +
        `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\tprocess = ${evil}\n` +
        '[alias]\n\tls-tree = !touch x\n[remote "o"]\n\turl = ext::touch x\n\tpromisor = true\n',
    )
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction']) {
      writeFileSync(join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    }
    put('a.txt', 'changed\n')
    expect(await summary()).toContain('changed a.txt +1 -3')
    expect(existsSync(mark)).toBe(false)
  })

  test('hide a change behind the index, a time stamp, an attribute or a list', async () => {
    git('update-index', '--assume-unchanged', 'a.txt')
    git('update-index', '--skip-worktree', 'src/b.txt')
    put('a.txt', 'ONE\ntwo\nthree\n')
    put('src/b.txt', 'B\n')
    utimesSync(join(folder, 'src/b.txt'), 0, 0)
    put('.git/info/exclude', '*\n')
    put('hidden/.gitignore', '*\n')
    put('hidden/x.sh', 'rm -rf /\n')
    put('.gitattributes', '*.txt -diff binary\n')
    put('seen.sh', 'ls\n')
    expect(await summary()).toEqual([
      'added .gitattributes +1 -0',
      'changed a.txt +1 -1',
      'added hidden/.gitignore +1 -0',
      'added seen.sh +1 -0',
      'changed src/b.txt +1 -1',
    ])
  })
})

describe('what was changed before the run began', () => {
  /** Times of files are a second behind at most. */
  const runBegins = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    since = Date.now()
  }
  const earlier = async (): Promise<readonly string[]> =>
    (await changes())?.files.map(({ path, isEarlier }) => `${path}${isEarlier ? ' *' : ''}`) ?? []

  test('is marked and comes last, and what the run did to it takes the mark away', async () => {
    put('a.txt', 'ONE\n')
    put('other/b.txt', 'B\n')
    rmSync(join(folder, 'run.sh'))
    await runBegins()
    expect(await earlier()).toEqual(['a.txt *', 'other/b.txt *', 'run.sh *'])
    put('src/new.txt', 'new\n')
    expect(await earlier()).toEqual(['src/new.txt', 'a.txt *', 'other/b.txt *', 'run.sh *'])
    put('a.txt', 'TWO\n')
    utimesSync(join(folder, 'a.txt'), 0, 0)
    expect((await earlier())[0]).toBe('a.txt')
  })

  test('is not what a command moved here, with times of long ago', async () => {
    put('../old/b.txt', 'old\n')
    const old = join(folder, '../old')
    onTestFinished(() => rmSync(old, { recursive: true, force: true }))
    await runBegins()
    rmSync(join(folder, 'src'), { recursive: true })
    renameSync(old, join(folder, 'src'))
    expect(await earlier()).toEqual(['src/b.txt'])
  })

  test('are the names in `.git/info/exclude`, unless they were written in the run', async () => {
    put('.git/info/exclude', 'mine/\n')
    put('mine/notes.txt', 'mine\n')
    await runBegins()
    expect(await earlier()).toEqual([])
    put('.git/info/exclude', 'mine/\n')
    expect(await earlier()).toEqual(['mine/notes.txt *'])
  })
})

test('the token that `pawl init` wrote is not shown', async () => {
  const token = 'RRQwmbJPv3TWBbcqmHLy-UwdmifIeBBm7I4oUGpF4JM'
  put('.claude/settings.local.json', `{ "Authorization": "Bearer ${token}" }\n`)
  const text = JSON.stringify(await changes())
  expect(text).toContain('Bearer [redacted]')
  expect(text).not.toContain(token)
})

describe('a folder that became a link', () => {
  test('shows nothing of what is behind it, not even that it is equal', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'pawl-secret-'))
    onTestFinished(() => rmSync(secret, { recursive: true, force: true }))
    writeFileSync(join(secret, 'b.txt'), 'b\n')
    rmSync(join(folder, 'src'), { recursive: true })
    symlinkSync(secret, join(folder, 'src'))
    expect(await summary()).toEqual(['added src +1 -0 link', 'changed src/b.txt +0 -0 link'])
    writeFileSync(join(secret, 'b.txt'), 'secret\n')
    expect(await summary()).toEqual(['added src +1 -0 link', 'changed src/b.txt +0 -0 link'])
    expect(JSON.stringify(await changes('src/b.txt'))).not.toContain('secret\\n')
    expect((await changes('src/b.txt'))?.files[0]?.hunks).toEqual([])
  })

  test('is no matter above the workspace', async () => {
    const own = folder
    const link = `${folder}-link`
    symlinkSync(own, link)
    onTestFinished(() => rmSync(link))
    put('a.txt', 'one\n')
    folder = link
    expect(await summary()).toEqual(['changed a.txt +0 -2'])
    folder = own
  })
})

test('nested repositories are named, though their files are not compared', async () => {
  const at = (path: string, ...args: readonly string[]): void => git('-C', path, ...args)
  put('tool/x.sh', 'ls\n')
  at('tool', 'init', '--quiet')
  put('lib/y.sh', 'ls\n')
  at('lib', 'init', '--quiet')
  at('lib', 'add', '--all')
  at('lib', 'commit', '--quiet', '--message', 'lib')
  git('add', 'lib')
  git('commit', '--quiet', '--message', 'second')
  commit = headCommitOf(folder) ?? ''
  const tool = 'added tool +0 -0 repository'
  expect(await summary()).toEqual(['changed lib +0 -0 repository', tool])
  rmSync(join(folder, 'lib'), { recursive: true })
  expect(await summary()).toEqual(['deleted lib +0 -0 repository', tool])
  // As after a clone without submodules.
  mkdirSync(join(folder, 'lib'))
  expect(await summary()).toEqual([tool])
  rmSync(join(folder, 'lib'), { recursive: true })
  put('lib', 'text\n')
  expect(await summary()).toEqual(['added lib +1 -0', tool])
})

test('what is shown is bounded in bytes that are read, not in those of the commit', async () => {
  const line = `${'x'.repeat(99)}\n`
  for (let index = 0; index < 40; index += 1) put(`big-${10 + index}.txt`, line.repeat(10_000))
  const notes = (await changes())?.files.map(({ note }) => note) ?? []
  expect(notes).toHaveLength(40)
  expect(notes.filter((one) => one === 'large')).toHaveLength(7)
  expect(notes[0]).toBeNull()
})

test('who asks for the same at the same time shares one comparison', async () => {
  put('a.txt', 'one\n')
  const many = Array.from({ length: 100 }, () => changes())
  const [first, ...others] = await Promise.all([...many, changes('a.txt'), changes('run.sh')])
  expect(others.every((one, index) => (index < 99 ? one === first : one !== first))).toBe(true)
  put('a.txt', 'two\n')
  expect(await changes()).not.toEqual(first)
  const asked = Array.from({ length: 17 }, (_, index) => changes(`${index}`))
  const ends = await Promise.allSettled(asked)
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1)
})

test('without git, or with a commit that is gone, there is nothing to compare with', async () => {
  commit = '0'.repeat(40)
  expect(await changes()).toBeNull()
  rmSync(join(folder, '.git'), { recursive: true })
  expect(await changes()).toBeNull()
})
