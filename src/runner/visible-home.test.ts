import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { visibleHome } from './visible-home.ts'

test('what is listed is kept, also where a job has a folder of its own', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-home-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [home, program] = [join(root, 'home'), join(root, 'program')]
  for (const folder of [home, program, join(home, 'tools')]) mkdirSync(folder)
  const wish = { userFolders: [home], path: join(root, 'bin') }
  const kept = (...homePaths: string[]): readonly string[] =>
    visibleHome({ ...wish, homePaths }).kept
  expect(kept('tools', program)).toEqual(expect.arrayContaining([join(home, 'tools'), program]))
  expect(kept()).not.toContain(program)
  // A folder that a job has as its own is never replaced as a whole.
  expect(kept('/tmp')).not.toContain('/tmp')
})
