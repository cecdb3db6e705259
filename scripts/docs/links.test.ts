import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { deadLinks, headingSlug, readerFiles } from './links.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('no page has a dead link or a dead anchor', () => {
  const files = readerFiles(root)
  expect(files).toContain('README.md')
  expect(files).toContain('docs/index.md')
  expect(files.flatMap((file) => deadLinks(root, file))).toEqual([])
})

test('docs/index.md links to every page but the decisions', () => {
  const links = readerFiles(root)
    .filter((file) => file.startsWith('docs/') && !file.startsWith('docs/adr/0'))
    .filter((file) => file !== 'docs/index.md')
  const index = readFileSync(join(root, 'docs/index.md'), 'utf8')
  expect(links.filter((file) => !index.includes(`(${file.slice('docs/'.length)})`))).toEqual([])
})

test('dead files, dead anchors and links out of the checkout are named; code is not read', () => {
  const outer = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  const folder = join(outer, 'checkout')
  try {
    mkdirSync(join(folder, 'docs'), { recursive: true })
    writeFileSync(join(outer, 'x.md'), '# There, but not in the checkout\n')
    writeFileSync(
      join(folder, 'docs/b.md'),
      '# One `two`\n\n## Same\n\n## Same\n\n| <a id="row"></a>x |\n',
    )
    const text = [
      '[a](docs/b.md) [b](docs/b.md#one-two) [c](docs/b.md#same-1) [d](docs) [t](docs/b.md#row) [e](https://x.y/z)',
      '[f](docs/c.md) [g](docs/b.md#same-2) [h](../x.md) ![i](docs/i.png) <img src="j.png">',
      '`[k](k.md)`',
      '```',
      '[l](l.md)',
      '```',
      '[m](#n)',
      '[o][p] [P][] [q][r] and a footnote[^1]',
      '',
      '[p]: docs/b.md#same',
      '[s]: docs/s.md',
      '[^1]: not a link',
    ]
    writeFileSync(join(folder, 'a.md'), text.join('\n'))
    const dead = [
      'docs/c.md',
      'docs/b.md#same-2',
      '../x.md',
      'docs/i.png',
      '#n',
      'j.png',
      'docs/s.md',
      '[r]',
    ]
    expect(deadLinks(folder, 'a.md')).toEqual(dead.map((link) => `a.md: ${link}`))
  } finally {
    rmSync(outer, { recursive: true, force: true })
  }
})

test('anchors are those of GitHub', () => {
  expect(headingSlug('`config.json`')).toBe('configjson')
  expect(headingSlug('Tokens: what they protect, and what they do not')).toBe(
    'tokens-what-they-protect-and-what-they-do-not',
  )
})
