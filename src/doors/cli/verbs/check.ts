/**
 * `pawl check`: says what is wrong with definitions, and where.
 */
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { isDefinitionName } from '../../../runtime/definitions/list-files.ts'
import type { SourceFile } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { checkFile } from '../check-file.ts'
import { type CheckReport, type Format, formats, printReport } from '../check-report.ts'
import { documentKind } from '../detect-kind.ts'
import { allCodes, explainCode } from '../explain-code.ts'
import { faultText } from '../fault-text.ts'
import { findInputs, type InputFile, readInput } from '../inputs.ts'
import type { Io, Verb } from '../io.ts'
import { type LocatedFinding, locateFindings } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'

const help = `\
pawl check: say what is wrong with definitions, and where

Usage: pawl check [OPTIONS] FILE…
       pawl check --explain [CODE]

A FILE is JSON (comments allowed) or YAML. A folder stands for every definition in it, at any depth;
what is no definition there, and \`*.cases.json\`, is passed over. A policy by itself, and a file of
cases that is named, are checked as such. Definitions that are invoked are looked up among the files
named and in the folder of the file.

Options:
  --strict         warnings count as errors
  --format FORMAT  text (default), json, sarif (2.1.0) or github (annotations)
  --json           the same as --format json
  --quiet          errors only, and no summary
  --explain CODE   what a code means and what to do about it; without CODE, all codes

JSON is one object:
  { "ok": true,
    "summary": { "files": 1, "errors": 0, "warnings": 1, "unreadable": 0 },
    "findings": [ { "file", "code", "severity", "message", "hint", "pointer",
                    "line", "column", "endLine", "endColumn" } ],
    "faults": [ { "code", "message", "hint" } ] }
Lines and columns count from 1; the end is behind the last character. \`pointer\` is a JSON pointer.

Exit codes: 0 no errors, 1 errors (with --strict also warnings), 2 a file can not be read
`

const kinds = {
  strict: 'flag',
  format: 'text',
  json: 'flag',
  quiet: 'flag',
  explain: 'text',
} as const

export const checkVerb: Verb = {
  name: 'check',
  summary: 'say what is wrong with definitions, and where',
  help,
  run: runCheck,
}

async function runCheck(args: readonly string[], io: Io): Promise<number> {
  const isForAll = args.at(-1) === '--explain'
  const { files, values } = readOptions('check', isForAll ? [...args, allCodes] : args, kinds)
  if (values.explain !== null) {
    io.out(explainCode(values.explain))
    return 0
  }
  const format = formatOf(values)
  if (files.length === 0) throw usage('check', 'no file to check was named')
  const report = checkAll(files, io.cwd)
  for (const fault of report.faults) if (format !== 'json') io.err(faultText(fault))
  io.out(printReport(report, { format, isQuiet: values.quiet, isStrict: values.strict, io }))
  return exitCode(report, values.strict ? 'strict' : 'lenient')
}

function formatOf(values: { readonly format: string | null; readonly json: boolean }): Format {
  const format = oneOf('check', { name: 'format', value: values.format }, formats)
  if (values.json && format !== null && format !== 'json') {
    throw usage('check', '`--json` and another `--format` can not both be meant')
  }
  return format ?? (values.json ? 'json' : 'text')
}

function exitCode(report: CheckReport, mode: 'strict' | 'lenient'): number {
  if (report.faults.length > 0) return 2
  const counts = mode === 'strict' ? ['error', 'warning'] : ['error']
  return report.findings.some((one) => counts.includes(one.severity)) ? 1 : 0
}

/** Checks everything that the names mean; one bad file does not keep the others from it. */
function checkAll(names: readonly string[], cwd: string): CheckReport {
  const { inputs, faults } = findInputs(names, cwd, isDefinitionName)
  const unreadable: PawlError[] = [...faults]
  const files = new Map<string, SourceFile>()
  for (const input of inputs) {
    const file = readInput(input)
    if (file instanceof PawlError) unreadable.push(file)
    else if (!isPassedOver(input, file)) files.set(input.path, file)
  }
  if (files.size === 0 && unreadable.length === 0) {
    const named = names.map((name) => `\`${name}\``).join(', ')
    unreadable.push(new PawlError('USAGE', `there is no definition in ${named}`))
  }
  const findings: LocatedFinding[] = []
  const libraryOf = openLibraries(files)
  for (const [path, file] of files) {
    findings.push(...locateFindings(file, checkFile(file, libraryOf(path)).findings))
  }
  return { filesCount: files.size, findings, faults: unreadable }
}

/** A folder holds other things, too. What can't be read as a tree might be a broken definition. */
function isPassedOver(input: InputFile, file: SourceFile): boolean {
  if (input.from === 'name' || file.root === null) return false
  const kind = documentKind(file.root)
  return kind === 'other' || kind === 'cases'
}
