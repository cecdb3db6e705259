import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { guardedPaths, guardNamedIn, guardOf } from './guarded-folders.ts'
import { testRepository } from './repository.contract.ts'

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
