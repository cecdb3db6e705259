import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runGit, testRepository } from '../runtime/sessions/repository.contract.ts'
import { isConcerned, writeGuardedList } from './guarded-list.ts'
import { homeOf } from './home.ts'
import { readInstalls, writeInstalls } from './installs.ts'

const installAt = (workspace: string) => [{ workspace }]

test('the list says whether a hook of the user has anything to do with a question', () => {
  const { root, main, linked } = testRepository()
  const home = homeOf({ PAWL_HOME: join(root, 'pawl') }, root)
  const elsewhere = join(root, 'main-other')
  mkdirSync(elsewhere)
  expect(isConcerned(home, elsewhere, '{}'), 'without a list').toBe(true)
  mkdirSync(join(root, 'pawl'), { mode: 0o700 })
  writeGuardedList(home, installAt(main))
  expect(isConcerned(home, elsewhere, '{}')).toBe(false)
  expect(isConcerned(home, elsewhere, `{"file_path":"${main}/a"}`)).toBe(true)
  expect(isConcerned(home, elsewhere, `{"file_path":"${main}-other/a"}`)).toBe(false)
  expect(isConcerned(home, root, '{}'), 'above it').toBe(true)
  expect(isConcerned(home, join(linked, 'sub'), '{}')).toBe(true)
  expect(isConcerned(home, join(root, 'gone'), '{}'), 'a folder that is not there').toBe(true)
  const fresh = join(root, 'fresh')
  runGit(main, 'worktree', 'add', '-q', fresh)
  expect(readFileSync(join(home.bin, 'guarded'), 'utf8')).not.toContain(fresh)
  expect(isConcerned(home, fresh, '{}'), 'a work tree that is not listed yet').toBe(true)
})

test('where the record of installs is lost, the guarded folders do not become free', () => {
  const { root, main } = testRepository()
  const home = homeOf({ PAWL_HOME: join(root, 'pawl') }, root)
  mkdirSync(join(root, 'pawl'), { mode: 0o700 })
  expect(readInstalls(home)).toEqual([])
  const place = { workspace: main, host: 'claude', hostVersion: null, wire: 'command' } as const
  writeInstalls(home, [{ ...place, at: 0, files: [], folders: [] }])
  rmSync(home.installs)
  expect(() => readInstalls(home)).toThrow('is gone, but folders are guarded')
  writeInstalls(home, [])
  rmSync(home.installs)
  expect(readInstalls(home)).toEqual([])
})
