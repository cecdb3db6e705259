/** What help texts, messages and packed pages refer to is in the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { helpText } from '../../src/doors/cli/help.ts'
import { verbs } from '../../src/doors/cli/verbs.ts'
import { npm, root } from './package.ts'

let files: readonly string[] = []
beforeAll(() => {
  // WHY without scripts: only the list is wanted, of what is there already.
  const said = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], process.env)
  files = JSON.parse(said)[0].files.map((file: { readonly path: string }) => file.path)
}, 120_000)

/** Whether a file, or anything in a folder, is packed. */
function isPacked(path: string): boolean {
  const plain = path.replace(/\/$/, '')
  return files.some((file) => file === plain || file.startsWith(`${plain}/`))
}

const citedPath = /\b(?:docs|examples|schemas|cases)\/[\w./-]*\w/g

describe('the package contains', () => {
  test.each(verbs)('what the help of `pawl $name` cites', async ({ name, summary, load }) => {
    const { help } = await load()
    const cited = helpText(name, summary, help).match(citedPath) ?? []
    expect(cited.filter((path) => !isPacked(path))).toEqual([])
  })

  test('the pages that messages cite', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(name))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    const cited = new Set(sources.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.md/g) ?? []))
    expect(cited.size).toBeGreaterThan(5)
    expect([...cited].filter((path) => !isPacked(path))).toEqual([])
  })

  test('the pages and pictures that packed pages link to', () => {
    const dead = files
      .filter((file) => file === 'README.md' || /^docs\/.*\.md$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g)]
          .map(([, target = '']) => normalize(join(dirname(file), target)))
          .filter((target) => !isPacked(target))
          .map((target) => `${file}: ${target}`),
      )
    expect(dead).toEqual([])
  })

  test('the launcher, the program, the page, and the licences', () => {
    const needed = [
      'bin/pawl.mjs',
      'dist/main/pawl.js',
      'dist/dashboard/index.html',
      'LICENSE',
    ].concat('NOTICE', 'README.md', 'CHANGELOG.md', 'dist/libraries/licenses.md')
    expect(needed.filter((path) => !isPacked(path))).toEqual([])
  })
})
