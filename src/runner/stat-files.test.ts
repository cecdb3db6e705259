/** The native helper and Node must see the same, or evidence would depend on who looked. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { statFiles } from '../runtime/workspace/stat-files.ts'
import { compileHelper } from './scratch.contract.ts'

function openFolder(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-stat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('bash', ['-c', script], { cwd: folder })
  return folder
}

const files = Array.from({ length: 5_000 }, (_one, at) => `d${at % 7}/${at}`)
const odd = ['gone', 'd1/gone/deeper', 'd1', 'link', 'dead', '\xff', 'two\nlines', 'fifo', 'd2/1/x']

test('the helper writes the records that Node writes, also of gone and odd files', () => {
  const folder = openFolder(`
    mkdir d0 d1 d2 d3 d4 d5 d6
    for i in {0..4999}; do echo $i > d$((i % 7))/$i; done
    ln -s d1/1 link; ln -s /nowhere dead; echo x > $'\\xff'; echo x > $'two\\nlines'; mkfifo fifo
    touch -d 1960-01-01T00:00:00.5 d1/1; chmod 000 d2/2; truncate -s 9G d3/3`)
  const paths = [...files, ...odd]
  const byNode = statFiles(folder, paths, null)
  expect(statFiles(folder, paths, compileHelper())).toEqual(byNode)
  expect(byNode.filter((number) => number === 0n).length).toBeGreaterThanOrEqual(3 * 5)
})

test.each(['/no/such/helper', '/bin/false', '/bin/echo'])(
  '%s as the helper is not used',
  (path) => {
    const folder = openFolder('for i in {0..700}; do echo $i > $i; done')
    const paths = Array.from({ length: 700 }, (_one, at) => `${at}`)
    expect(statFiles(folder, paths, path)).toEqual(statFiles(folder, paths, null))
  },
)
