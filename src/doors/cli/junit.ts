/** Results of cases as JUnit XML, for build servers. */
import type { CaseFile } from './load-cases.ts'
import type { PlayedCase } from './play-cases.ts'
import { differenceLines, placeText } from './test-report.ts'

export type Suite = { readonly file: CaseFile; readonly played: readonly PlayedCase[] }

/** One suite per file; a failing `should` is skipped, so that no build fails for it. */
export function junitText(suites: readonly Suite[]): string {
  const parts = suites.map(suiteOf)
  const sum = (count: (one: Counts) => number): number =>
    parts.reduce((total, { counts }) => total + count(counts), 0)
  const counts = {
    tests: sum((one) => one.tests),
    failures: sum((one) => one.failures),
    errors: sum((one) => one.errors),
    skipped: sum((one) => one.skipped),
  }
  const body = parts.map((part) => part.text).join('')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="pawl"${countsText(counts)}>\n${body}</testsuites>\n`,
  ].join('')
}

type Counts = { tests: number; failures: number; errors: number; skipped: number }

function suiteOf({ file, played }: Suite): { readonly text: string; readonly counts: Counts } {
  const broken = brokenText(file)
  const failing = played.filter(({ result }) => !result.ok)
  const skipped = failing.filter(({ result }) => result.level === 'should').length
  const counts = {
    tests: played.length + (broken === null ? 0 : 1),
    failures: failing.length - skipped,
    errors: broken === null ? 0 : 1,
    skipped,
  }
  const name = attribute('name', file.shown)
  const cases = played.map((one) => caseText(one, file.shown)).join('')
  const text = `  <testsuite${name}${countsText(counts)}>\n${cases}${broken ?? ''}  </testsuite>\n`
  return { text, counts }
}

function countsText({ tests, failures, errors, skipped }: Counts): string {
  return ` tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}"`
}

function caseText(played: PlayedCase, classname: string): string {
  const { id, title, level, ok, failures } = played.result
  const seconds = (played.durationMs / 1000).toFixed(3)
  const name = attribute('name', `${id}: ${title}`)
  const head = `    <testcase${name}${attribute('classname', classname)} time="${seconds}"`
  if (ok) return `${head}/>\n`
  const message = attribute('message', `${failures[0]?.path ?? 'failed'} differs`)
  if (level === 'should') return `${head}>\n      <skipped${message}/>\n    </testcase>\n`
  const lines = [placeText(played), ...differenceLines(played, failures)].join('\n')
  const failure = `<failure type="difference"${message}>${escapeXml(lines)}</failure>`
  return `${head}>\n      ${failure}\n    </testcase>\n`
}

function brokenText(file: CaseFile): string | null {
  const words = fileProblem(file)
  if (words === null) return null
  const [message, lines] = words
  const classname = attribute('classname', file.shown)
  const why = attribute('message', message)
  const error = `<error type="unreadable"${why}>${escapeXml(lines)}</error>`
  return `    <testcase name="reading the file"${classname}>\n      ${error}\n    </testcase>\n`
}

function fileProblem(file: CaseFile): readonly [message: string, lines: string] | null {
  if (file.kind === 'unreadable') return [file.fault.message, file.fault.hint]
  if (file.kind !== 'malformed') return null
  const lines = file.findings.map((one) => `${one.line}:${one.column} ${one.code} ${one.message}`)
  return ['the file cannot be read as cases', lines.join('\n')]
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escapeXml(value).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`
}

/** https://www.w3.org/TR/xml/#charsets: what is no character of XML can't even be escaped. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
}
