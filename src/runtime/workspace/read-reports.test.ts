/** Which reports count: whole ones that a command wrote, inside the workspace. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReports } from './read-reports.ts'

const one = '<testsuite tests="1"><testcase name="a"/></testsuite>'
const failing = '<testsuite><testcase name="b"><failure/></testcase></testsuite>'

function openFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-reports-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, 'w')
  mkdirSync(join(workspace, 'out'), { recursive: true })
  const write = (path: string, text: string): void => writeFileSync(join(workspace, path), text)
  const read = (path: string, since = Date.now() - 5_000, until?: number) => {
    const wanted = { path, since, ...(until === undefined ? {} : { until }) }
    return readReports(workspace, [wanted])[path]
  }
  return { workspace, write, read }
}

test('a report that was written while the command ran is counted', () => {
  const { write, read } = openFolder()
  write('out/a.xml', one)
  expect(read('out/a.xml')).toEqual({ passed: 1, failed: 0, skipped: 0 })
  expect(read('out/a.xml', Date.now() + 1_000)).toBeNull()
  expect(read('out/a.xml', 0, Date.now() - 60_000)).toBeNull()
})

test('the reports of a folder are counted together; a broken one makes all unknown', () => {
  const { write, read } = openFolder()
  expect(read('out')).toBeNull()
  write('out/a.xml', one)
  write('out/b.xml', failing)
  write('out/notes.txt', 'x')
  expect(read('out')).toEqual({ passed: 1, failed: 1, skipped: 0 })
  write('out/c.xml', one.slice(0, -4))
  expect(read('out')).toBeNull()
})

test('nothing is read through links, from outside, or of any size', () => {
  const { workspace, write, read } = openFolder()
  write('../a.xml', one)
  symlinkSync('../../a.xml', join(workspace, 'out/link.xml'))
  symlinkSync('..', join(workspace, 'above'))
  write('out/large.xml', `${one}<!--${'x'.repeat(8 * 1024 * 1024)}-->`)
  for (const path of ['out/link.xml', 'above/a.xml', '../a.xml', 'gone.xml', 'out/large.xml']) {
    expect(read(path), path).toBeNull()
  }
})
