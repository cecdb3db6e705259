/**
 * Findings as a person, a program, a code scanner or a build server reads them.
 */
import { assertNever } from '../../core/assert.ts'
import type { PawlError } from '../../runtime/pawl-error.ts'
import { counted, plain } from './ansi.ts'
import type { Io } from './io.ts'
import { type LocatedFinding, locatedText } from './locate-findings.ts'
import { type ClaimReport, claimsExit, claimsText } from './prove-claims.ts'
import { sarifText } from './sarif.ts'

export const formats = ['text', 'json', 'sarif', 'github'] as const
export type Format = (typeof formats)[number]

/** An entry of a command list that has wildcards, and what it covers. */
export type EntryCoverage = {
  readonly file: string
  readonly stage: string
  readonly entry: string
  readonly covers: string
}

export type CheckReport = {
  readonly filesCount: number
  readonly findings: readonly LocatedFinding[]
  readonly wildcards: readonly EntryCoverage[]
  /** What was to be proved, and the answers; absent: nothing was. */
  readonly proofs?: readonly ClaimReport[]
  /** Files that could not be read. */
  readonly faults: readonly PawlError[]
}

type Printing = {
  readonly format: Format
  readonly isQuiet: boolean
  readonly isStrict: boolean
  readonly io: Io
}

/** The whole report as text for the standard output. */
export function printReport(report: CheckReport, printing: Printing): string {
  const { format, isQuiet, isStrict, io } = printing
  // With `--strict` a warning is what the exit code is about, so it is never hidden.
  const isShown = (one: LocatedFinding): boolean => !isQuiet || isStrict || one.severity === 'error'
  const shown = report.findings.filter(isShown)
  switch (format) {
    case 'text': {
      const summary = isQuiet ? [] : [wildcardsText(report) + summaryText(report)]
      const proofs = report.proofs === undefined ? [] : [claimsText(report.proofs)]
      return [...shown.map((one) => locatedText(one, io)), ...proofs, ...summary].join('\n')
    }
    case 'json':
      return jsonText(report, shown, isStrict ? 'strict' : 'lenient')
    case 'sarif':
      return sarifText({ ...report, findings: shown }, io.cwd)
    case 'github':
      return shown.map(githubLine).join('')
    default:
      return assertNever(format)
  }
}

function count(report: CheckReport, severity: LocatedFinding['severity']): number {
  return report.findings.filter((one) => one.severity === severity).length
}

function summaryText(report: CheckReport): string {
  const parts = [
    counted(report.filesCount, 'file'),
    counted(count(report, 'error'), 'error'),
    counted(count(report, 'warning'), 'warning'),
  ]
  if (report.faults.length > 0) parts.push(`${report.faults.length} unreadable`)
  return `${parts.join(', ')}\n`
}

/** What entries with wildcards cover, one line each. */
function wildcardsText({ wildcards }: CheckReport): string {
  const lines = wildcards.map(({ file, stage, entry, covers }) => {
    return plain(`${file}: \`${entry}\` in \`${stage}\` covers ${covers}`).replaceAll('\n', ' ')
  })
  return lines.map((line) => `${line}\n`).join('')
}

function jsonText(
  report: CheckReport,
  shown: readonly LocatedFinding[],
  mode: 'strict' | 'lenient',
): string {
  const errors = count(report, 'error')
  const warnings = count(report, 'warning')
  const isFine = errors === 0 && (mode === 'lenient' || warnings === 0)
  const value = {
    ok: isFine && report.faults.length === 0 && claimsExit(report.proofs ?? []) === 0,
    summary: { files: report.filesCount, errors, warnings, unreadable: report.faults.length },
    findings: shown.map(({ excerpt: _, ...finding }) => finding),
    wildcards: report.wildcards,
    ...(report.proofs === undefined ? {} : { proofs: report.proofs }),
    faults: report.faults.map(({ code, message, hint }) => ({ code, message, hint })),
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function githubLine(one: LocatedFinding): string {
  const properties = [
    ['file', one.file],
    ['line', one.line],
    ['endLine', one.endLine],
    // WHY: columns are ignored, or refused, when a place spans lines.
    ...(one.line === one.endLine
      ? [['col', one.column] as const, ['endColumn', one.endColumn] as const]
      : [['col', one.column] as const]),
    ['title', one.code],
  ] as const
  const list = properties.map(([name, value]) => `${name}=${githubProperty(String(value))}`)
  const message = one.hint === '' ? one.message : `${one.message}\n→ ${one.hint}`
  return `::${one.severity} ${list.join(',')}::${githubData(message)}\n`
}

function githubData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function githubProperty(text: string): string {
  return githubData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
