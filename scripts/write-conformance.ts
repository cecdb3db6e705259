/**
 * Writes docs/reference/conformance.md: every claim of the source documents with its test and
 * result. `npm run conformance` runs the tests and then writes the page, unless one fails; with
 * `-- --list` it only lists them, for a merge of claims that were run before. A test fails when the
 * page is out of date.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'reference', 'conformance.md')
const differences = join(root, 'docs', 'reference', 'differences.md')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const listBytesMax = 64 * 1024 * 1024

/** The documents in the order of the page, with the heading of each. */
const documents: readonly (readonly [document: string, heading: string])[] = [
  ['process definitions', 'Process definitions'],
  ['workflow schema', 'Workflow schema'],
  ['step workflows', 'Step workflows'],
  ['process capabilities', 'Process capabilities'],
]

// WHY repeated here: importing test/conformance/claim.ts outside of vitest fails.
const separator = ' › '

export type ListedTest = { readonly name: string; readonly file: string }

export type ClaimRow = {
  readonly document: string
  readonly section: string
  readonly quote: string
  readonly check: string
  /** The anchor of the difference; null: the claim holds. */
  readonly differs: string | null
  readonly file: string
}

/** The tests of test/conformance, without running them. */
export function listConformanceTests(): readonly ListedTest[] {
  const args = [vitest, 'list', 'test/conformance', '--json', '--staticParse=false']
  const listed = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: listBytesMax,
  })
  if (listed.status !== 0) throw new Error(`vitest lists no tests: ${listed.stderr}`)
  const tests = JSON.parse(listed.stdout.slice(listed.stdout.indexOf('['))) as ListedTest[]
  return tests
    .map(({ name, file }) => ({ name, file: relative(root, file) }))
    .sort((a, b) => (a.file === b.file ? 0 : a.file < b.file ? -1 : 1))
}

/** The claims among tests: a test that quotes nothing has no row. */
export function claimRows(tests: readonly ListedTest[]): readonly ClaimRow[] {
  return tests.flatMap(({ name, file }) => {
    const document = documents.map(([one]) => one).find((one) => name.includes(one + separator))
    if (document === undefined) return []
    const parts = name.slice(name.indexOf(document + separator)).split(separator)
    const [, section = '', quote = '', check = '', difference] = parts
    const differs = difference?.replace('differs: ', '') ?? null
    return [{ document, section, quote, check, differs, file }]
  })
}

export function conformancePage(rows: readonly ClaimRow[]): string {
  const count = (document: string): number =>
    rows.filter((row) => row.document === document && row.differs === null).length
  const total = (document: string): number => rows.filter((row) => row.document === document).length
  const summary = documents.map(
    ([document, heading]) =>
      `| [${heading}](#${heading.toLowerCase().replace(' ', '-')}) | ${total(document)} | ` +
      `${count(document)} | ${total(document) - count(document)} |\n`,
  )
  const parts = documents.map(([document, heading]) => {
    const own = rows.filter((row) => row.document === document)
    return `## ${heading}\n\n<div v-pre>\n\n${table(own)}\n</div>\n`
  })
  return `# Conformance

<!-- Written by \`npm run conformance\`. Do not edit. -->

This page lists every testable claim in the source documents, with the test that quotes it. The
tests are clients of the built program over MCP (stdio and HTTP) and REST; the words in parentheses
name the interface that a test uses. *Differs* links to what Pawl deliberately does instead, and
why; the test checks that behaviour.

| Document | Checks | Hold | Differ |
|---|---|---|---|
${summary.join('')}
${parts.join('\n')}`
}

function table(rows: readonly ClaimRow[]): string {
  const lines = rows.map(({ section, quote, check, differs, file }) => {
    const result = differs === null ? 'holds' : `[differs](differences.md#${differs})`
    const name = file.replace('test/conformance/', '').replace('.test.ts', '')
    const test = `\`${name}\``
    return `| ${[cell(section), cell(quote), cell(check), test, result].join(' | ')} |\n`
  })
  return `| Section | Row | Checked | Test | Result |\n|---|---|---|---|---|\n${lines.join('')}`
}

/** Text that Markdown shows as it is; what is in backticks stays code. */
function cell(text: string): string {
  const parts = text.replaceAll(/\s+/g, ' ').split(/(`[^`]*`)/)
  const plain = parts.map((part) =>
    part.startsWith('`') && part.length > 1
      ? part
      : part.replaceAll(/[\\*_[\]`~]/g, '\\$&').replaceAll('<', '&lt;'),
  )
  return plain.join('').replaceAll('|', '\\|')
}

/** What is wrong with the differences: rows without an anchor, or that no claim shows. */
export function differenceProblems(rows: readonly ClaimRow[], text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => /^\|(?! Difference |---)/.test(line))
  const anchors = lines.map((line) => /^\| <a id="([^"]+)"><\/a>/.exec(line)?.[1] ?? null)
  const unnamed = lines
    .filter((_, i) => anchors[i] === null)
    .map((line) => `a row of differences.md has no <a id="…"></a>: ${line}`)
  const named = anchors.filter((one) => one !== null)
  const used = new Set(rows.flatMap(({ differs }) => (differs === null ? [] : [differs])))
  const twice = named.filter((one, i) => named.indexOf(one) !== i)
  return [
    ...unnamed,
    ...twice.map((one) => `differences.md has \`${one}\` twice`),
    ...[...used].filter((one) => !named.includes(one)).map((one) => `no row for \`${one}\``),
    ...named.filter((one) => !used.has(one)).map((one) => `no claim shows \`${one}\``),
  ]
}

/** The claims that two tests make in the same words. */
export function repeatedClaims(rows: readonly ClaimRow[]): readonly string[] {
  const keys = rows.map((row) => [row.document, row.section, row.quote, row.check].join(separator))
  return keys.filter((key, i) => keys.indexOf(key) !== i)
}

/** Everything that is wrong with the page, given the tests as they are now. */
export function conformanceProblems(tests: readonly ListedTest[]): readonly string[] {
  const rows = claimRows(tests)
  const isStale = readFileSync(page, 'utf8') !== conformancePage(rows)
  return [
    ...(isStale ? ['conformance.md is out of date: `npm run conformance`'] : []),
    ...repeatedClaims(rows).map((key) => `two tests make the same claim: ${key}`),
    ...differenceProblems(rows, readFileSync(differences, 'utf8')),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = [vitest, 'run', 'test/conformance']
  const isListed = process.argv.includes('--list')
  const status = isListed
    ? 0
    : spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status
  if (status !== 0) {
    console.error('a claim does not hold: docs/reference/conformance.md was not written')
    process.exit(1)
  }
  writeFileSync(page, conformancePage(claimRows(listConformanceTests())))
}
