import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFileWatch } from './watch-files.ts'

function openWatched() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-watch-'))
  let count = 0
  const files = openFileWatch(() => {
    count += 1
  })
  onTestFinished(() => {
    files.close()
    rmSync(folder, { recursive: true })
  })
  return { folder, files, count: () => count }
}

const changes: readonly (readonly [string, (path: string) => void])[] = [
  ['written', (path) => writeFileSync(path, 'b')],
  ['removed', (path) => rmSync(path)],
  [
    'replaced',
    (path) => {
      writeFileSync(`${path}.new`, 'b')
      renameSync(`${path}.new`, path)
    },
  ],
]
test.each(changes)('a file that is %s is heard of', async (_, change) => {
  const { folder, files, count } = openWatched()
  const path = join(folder, 'settings.json')
  writeFileSync(path, 'a')
  files.set([path])
  change(path)
  await expect.poll(count).toBeGreaterThan(0)
})

test('other files are none of our business, and a folder that comes later is found', async () => {
  const { folder, files, count } = openWatched()
  const late = join(folder, 'late', 'settings.json')
  files.set([join(folder, 'one'), late])
  writeFileSync(join(folder, 'other'), 'x')
  mkdirSync(join(folder, 'late'))
  files.set([join(folder, 'one'), late])
  expect(count()).toBe(0)
  writeFileSync(late, 'x')
  await expect.poll(count).toBeGreaterThan(0)
})
