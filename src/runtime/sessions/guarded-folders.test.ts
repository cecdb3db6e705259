import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { guardedPaths, guardNamedIn, guardOf } from './guarded-folders.ts'
import { runGit, testRepository } from './repository.contract.ts'

const installAt = (workspace: string) => [{ workspace }]

test.each([
  ['a link to it', (root: string) => `${root}/link/a`],
  ['a link to a folder in it, and a file that is not there', (root: string) => `${root}/sub/x/y`],
  ['doubled slashes', (root: string) => `/${root}//main//a`],
  ['the way up and down again', (root: string) => `${root}/link/../main/a`],
])('a text names a guarded folder by %s', (_, pathIn) => {
  const { root, main } = testRepository()
  symlinkSync(main, join(root, 'link'))
  symlinkSync(join(main, 'sub'), join(root, 'sub'))
  for (const text of [`cat ${pathIn(root)}`, JSON.stringify({ path: pathIn(root) })]) {
    expect(guardNamedIn(installAt(main), text), text).toMatchObject({ workspace: main })
  }
  expect(guardNamedIn(installAt(main), `cat ${root}/other/a`)).toBeNull()
})

test('a text names a guarded folder from the home', () => {
  const { root, main } = testRepository()
  vi.stubEnv('HOME', root)
  onTestFinished(() => void vi.unstubAllEnvs())
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  for (const text of ['cat ~/main/a', 'cat "$HOME/main/a"', 'cat ${HOME}/main/a']) {
    expect(guardNamedIn(installAt(main), text), text).toMatchObject({ workspace: main })
  }
})

test('more work trees than a few are all listed', () => {
  const { main } = testRepository()
  const trees = join(main, '.git', 'worktrees')
  for (let at = 0; at < 400; at += 1) {
    mkdirSync(join(trees, `t${at}`), { recursive: true })
    writeFileSync(join(trees, `t${at}`, 'gitdir'), `/elsewhere/t${at}/.git\n`)
  }
  expect(guardedPaths(installAt(main))).toContain('/elsewhere/t399')
})

test('all work trees of a repository are listed, and what they share', () => {
  const { main, linked } = testRepository()
  expect(guardedPaths(installAt(main))).toEqual([main, join(main, '.git'), linked])
  expect(guardedPaths([{ workspace: main, scope: 'user' }])).toEqual([])
})

describe('which guarded folder a folder belongs to', () => {
  test('itself, what is below it, and the same in other work trees', () => {
    const { root, main, linked } = testRepository()
    const installs = installAt(main)
    expect(guardOf(installs, join(main, 'sub'))).toEqual({ workspace: main, folder: main })
    expect(guardOf(installs, join(linked, 'sub'))).toEqual({ workspace: main, folder: linked })
    expect(guardOf(installs, root)).toBeNull()
    symlinkSync(join(linked, 'sub'), join(root, 'link'))
    expect(guardOf(installs, join(root, 'link'))).toEqual({ workspace: main, folder: linked })
  })

  test('a part of a repository guards all of it', () => {
    const { main, linked } = testRepository()
    const installs = installAt(join(main, 'sub'))
    expect(guardOf(installs, main)).toMatchObject({ workspace: join(main, 'sub') })
    expect(guardOf(installs, linked)).toMatchObject({ folder: join(linked, 'sub') })
  })

  test.each(['an empty `.git`', 'a repository of its own', 'a pipe', 'no `.git` above'])(
    'a folder of another work tree with %s',
    (what) => {
      const { main, linked } = testRepository()
      const folder = join(linked, 'sub')
      if (what === 'an empty `.git`') mkdirSync(join(folder, '.git'))
      else if (what === 'a repository of its own') runGit(folder, 'init', '-q')
      else if (what === 'a pipe') execFileSync('mkfifo', [join(folder, '.git')])
      else rmSync(join(linked, '.git'))
      expect(guardOf(installAt(main), folder)).toEqual({ workspace: main, folder: linked })
    },
  )

  test('a path that leads nowhere any more hides no other one', () => {
    const { root, main, linked } = testRepository()
    const other = testRepository()
    const installs = [...installAt(main), ...installAt(join(other.root, 'removed-since'))]
    const text = `echo x > ${linked}/f # ${other.root}/removed-since`
    expect(guardNamedIn(installs, text)).not.toBeNull()
    expect(guardNamedIn(installAt(main), `see ${main}/a and ${root}`)).toMatchObject({
      workspace: main,
    })
  })

  test('the nearest of several', () => {
    const { main, linked } = testRepository()
    const installs = [...installAt(main), ...installAt(join(main, 'sub'))]
    const there = { workspace: join(main, 'sub'), folder: join(linked, 'sub') }
    expect(guardOf(installs, join(linked, 'sub'))).toEqual(there)
  })

  test('a text names it by a whole path', () => {
    const { main, linked } = testRepository()
    const installs = installAt(main)
    expect(guardNamedIn(installs, `cat ${linked}/a`)).toMatchObject({ folder: linked })
    expect(guardNamedIn(installs, `cat "${main}"`)).toMatchObject({ folder: main })
    expect(guardNamedIn(installs, `cat ${main}-other/a`)).toBeNull()
  })
})
