/** Repositories with several work trees, made by the real git, for tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export type TestRepository = {
  /** Holds everything, outside of any repository. */
  readonly root: string
  /** The main work tree. */
  readonly main: string
  /** Another one, beside it. */
  readonly linked: string
}

/** Runs git in a folder, without the settings of whoever runs the test. */
export function runGit(folder: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', [...who, ...args], { cwd: folder, env, stdio: 'ignore' })
}

/** A repository with two work trees and the folder `sub` in both; it ends with the test. */
export function testRepository(): TestRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-repository-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [main, linked] = [join(root, 'main'), join(root, 'linked')]
  mkdirSync(join(main, 'sub'), { recursive: true })
  runGit(main, 'init', '-q')
  runGit(main, 'commit', '-q', '--allow-empty', '-m', 'first')
  runGit(main, 'worktree', 'add', '-q', linked)
  mkdirSync(join(linked, 'sub'))
  return { root, main, linked }
}
