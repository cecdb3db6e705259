/**
 * Findings as SARIF 2.1.0, the format of code scanners.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FindingCode } from '../../core/errors.ts'
import type { CheckReport } from './check-report.ts'
import { codeHelp } from './code-help.ts'
import type { LocatedFinding } from './locate-findings.ts'
import { versionText } from './version.ts'

/** The report as one SARIF log with one run. */
export function sarifText(report: CheckReport, cwd: string): string {
  const codes = [...new Set(report.findings.map((one) => one.code))].sort()
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'pawl',
            semanticVersion: versionText(),
            rules: codes.map((code) => ruleOf(code, report.findings)),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { ROOT: { uri: `${pathToFileURL(cwd).href.replace(/\/$/, '')}/` } },
        invocations: [
          {
            executionSuccessful: report.faults.length === 0,
            toolExecutionNotifications: report.faults.map((fault) => ({
              level: 'error',
              message: {
                text: fault.hint === '' ? fault.message : `${fault.message}: ${fault.hint}`,
              },
            })),
          },
        ],
        results: report.findings.map((one) => resultOf(one, codes)),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function ruleOf(code: FindingCode, findings: readonly LocatedFinding[]): unknown {
  const { about, advice } = codeHelp[code]
  const isError = findings.some((one) => one.code === code && one.severity === 'error')
  return {
    id: code,
    shortDescription: { text: `${about}.` },
    help: { text: `${advice}.` },
    defaultConfiguration: { level: isError ? 'error' : 'warning' },
  }
}

function resultOf(one: LocatedFinding, codes: readonly FindingCode[]): unknown {
  const { line, column, endLine, endColumn } = one
  return {
    ruleId: one.code,
    ruleIndex: codes.indexOf(one.code),
    level: one.severity,
    message: { text: one.hint === '' ? one.message : `${one.message}: ${one.hint}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactOf(one.file),
          region: { startLine: line, startColumn: column, endLine, endColumn },
        },
        logicalLocations: [{ fullyQualifiedName: one.pointer }],
      },
    ],
  }
}

/** A file beside the caller is named from there, so that the log means the same elsewhere. */
function artifactOf(file: string): unknown {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href }
  return { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'ROOT' }
}
