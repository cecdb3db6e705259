import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runGit, testRepository } from './repository.contract.ts'
import { folderInTreeOf, foldersOfRecord, sameFolders, workTreeOf } from './repository.ts'

test('a folder without git is in no work tree, and is the same folder only here', () => {
  const { root } = testRepository()
  expect(workTreeOf(root)).toBeNull()
  expect(sameFolders(root)).toEqual([root])
})

test('all work trees of a repository share one folder of git', () => {
  const { main, linked } = testRepository()
  const commonDir = join(main, '.git')
  expect(workTreeOf(join(main, 'sub'))).toEqual({ root: main, commonDir })
  expect(workTreeOf(join(linked, 'sub'))).toEqual({ root: linked, commonDir })
})

test('a folder is the same in every work tree, its own first', () => {
  const { main, linked } = testRepository()
  expect(sameFolders(join(linked, 'sub'))).toEqual([join(linked, 'sub'), join(main, 'sub')])
  expect(sameFolders(main)).toEqual([main, linked])
  const own = join(linked, 'sub')
  expect(foldersOfRecord(own)).toEqual([join(main, 'sub'), own])
  expect(folderInTreeOf(join(main, 'sub'), linked)).toBe(join(linked, 'sub'))
})

test('work trees of a bare repository belong together', () => {
  const { root, main } = testRepository()
  const bare = join(root, 'bare.git')
  runGit(root, 'clone', '-q', '--bare', main, bare)
  for (const name of ['one', 'two']) {
    runGit(bare, 'worktree', 'add', '-q', '-b', name, join(root, name))
  }
  expect(sameFolders(join(root, 'two'))).toEqual([join(root, 'two'), join(root, 'one')])
  const both = [join(root, 'one'), join(root, 'two')]
  expect([...foldersOfRecord(join(root, 'two'))].sort()).toEqual(both)
})

test('a folder that only says that it is a work tree is none that the repository knows', () => {
  const { root, main } = testRepository()
  const forged = join(root, 'forged')
  mkdirSync(forged)
  writeFileSync(join(forged, '.git'), `gitdir: ${join(main, '.git', 'worktrees', 'linked')}\n`)
  // It is held like the repository, and its files are not the repository's.
  expect(sameFolders(forged)).toContain(main)
  expect(folderInTreeOf(main, forged)).toBe(main)
})

test('another clone is another repository', () => {
  const { root, main } = testRepository()
  const clone = join(root, 'clone')
  runGit(root, 'clone', '-q', main, clone)
  expect(sameFolders(clone)).toEqual([clone])
  expect(folderInTreeOf(main, clone)).toBe(main)
})

test.each(['nothing of git', 'gitdir: /nowhere', ''])(
  'a `.git` that says %j is harmless',
  (text) => {
    const { root } = testRepository()
    const folder = join(root, 'odd')
    mkdirSync(folder)
    writeFileSync(join(folder, '.git'), text)
    expect(sameFolders(folder)).toEqual([folder])
  },
)
