/** What is served of the page, also after an upgrade has replaced its files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openPageFiles, type PageFiles } from './dashboard-files.ts'

const root = mkdtempSync(join(tmpdir(), 'pawl-page-files-'))
const folder = join(root, 'dashboard')
afterEach(() => rmSync(root, { recursive: true, force: true }))

function build(version: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), `index-${version}.js`)
  writeFileSync(join(folder, 'assets', `index-${version}.js`), `page ${version}`)
  writeFileSync(join(root, 'secret.js'), 'secret')
}

/** The text of a file; null: there is none. */
function textOf(files: PageFiles | null, name: string): string | null {
  let text = ''
  // WHY the cast: of a response, no more than this is used.
  const response = {
    writeHead: () => response,
    end: (bytes: Buffer) => {
      text = bytes.toString()
    },
  } as unknown as ServerResponse
  return files?.(response, name) === true ? text : null
}

test('the page and its parts are those of one build, also after an upgrade', () => {
  build('a')
  const files = openPageFiles(folder)
  expect(textOf(files, 'index.html')).toBe('index-a.js')
  build('b')
  expect(textOf(files, 'index.html')).toBe('index-b.js')
  expect(textOf(files, 'assets/index-b.js')).toBe('page b')
  expect(textOf(files, 'assets/index-a.js')).toBe(null)
})

test.each([
  ...['assets/../../secret.js', '../secret.js', 'assets/..', 'assets/', 'assets', 'index.htm', ''],
  ...['assets//index-a.js', '/index.html', 'assets/index-a.js/x.js', 'assets/\0.js'],
])('%j is no file of the page', (name) => {
  build('a')
  expect(textOf(openPageFiles(folder), name)).toBe(null)
})

test('a page that was not built is not served', () => {
  expect(openPageFiles(folder)).toBe(null)
})
