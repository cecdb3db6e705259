import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { guardedPaths, guardNamedIn, guardOf } from './guarded-folders.ts'
import { runGit, testRepository } from './repository.contract.ts'

const installAt = (workspace: string) => [{ workspace }]

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
