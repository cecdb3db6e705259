/** The end of a program that looked at a workspace, in a real one. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const observer = pathToFileURL(join(import.meta.dirname, 'observe-workspace.ts')).href

test('a program that looked at a workspace by thread ends by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-observer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program =
    `import { openWorkspaceObserver } from ${JSON.stringify(observer)}\n` +
    `const state = await openWorkspaceObserver()(${JSON.stringify(folder)})\n` +
    'console.log(state.fingerprint)\n'
  const file = join(folder, 'look.mjs')
  writeFileSync(file, program)
  const output = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 })
  expect(output).toMatch(/^\w{64}\n$/)
})
