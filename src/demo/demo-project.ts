/**
 * The project that the demo works on: a small shop with a bug, a bug report and a test.
 * Knows its files. Must not know the agent or the workflow.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const cartFile = 'src/cart.js'
const changelogFile = 'CHANGELOG.md'
const buggyLine = 'return items.reduce((sum, item) => sum + item.price, 0)'

/** The edits and files of the scripted agent; each edit fits what the one before it left. */
export const changes = {
  test: {
    path: 'test/quantity.test.js',
    content: `\
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/cart.js'

test('two of the same cost twice as much', () => {
  assert.equal(total([{ name: 'coffee', price: 4, quantity: 2 }]), 8)
})
`,
  },
  wrongFix: {
    path: cartFile,
    before: buggyLine,
    after: 'return items.reduce((sum, item) => sum + item.price * item.count, 0)',
  },
  fix: { path: cartFile, before: 'item.count', after: 'item.quantity' },
  comment: {
    path: cartFile,
    before: 'export function total',
    after: '// The quantity counts: two coffees cost twice as much as one.\nexport function total',
  },
  note: {
    path: changelogFile,
    before: '# Changelog\n',
    after: '# Changelog\n\n- Fixed: the total counts the quantity of an item.\n',
  },
} as const

const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify(
    { name: 'shop', private: true, type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  'REPORT.md':
    '# Bug report\n\nTwo coffees cost as much as one. Expected 8.00, the cart says 4.00.\n',
  [changelogFile]: '# Changelog\n',
  [cartFile]: `export function total(items) {\n  ${buggyLine}\n}\n`,
  'test/cart.test.js': `\
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/cart.js'

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0)
})

test('a cart costs what is in it', () => {
  assert.equal(total([{ name: 'tea', price: 3, quantity: 1 }]), 3)
})
`,
}

/** Writes the project as it was before any work; what an earlier demo left is removed. */
export function resetProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) writeProjectFile(folder, path, text)
}

export function readProjectFile(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

export function writeProjectFile(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
