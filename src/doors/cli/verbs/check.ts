/**
 * `pawl check`: finds mistakes in definitions.
 */

import type { Machine } from '../../../core/machine/machine.ts'
import { describeEntry } from '../../../core/shell/describe-entry.ts'
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { isDefinitionName } from '../../../runtime/definitions/list-files.ts'
import type { SourceFile } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { checkFile } from '../check-file.ts'
import {
  type CheckReport,
  type EntryCoverage,
  type Format,
  formats,
  printReport,
} from '../check-report.ts'
import { documentKind } from '../detect-document-kind.ts'
import { allCodes, explainCode } from '../explain-code.ts'
import { faultText } from '../fault-text.ts'
import { findInputs, type InputFile, readInput } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { type LocatedFinding, locateFindings } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'

const help: VerbHelp = {
  usage: ['check [OPTIONS] FILE…', 'check --explain [CODE]'],
  about: `\
A FILE is JSON (comments allowed) or YAML. A folder stands for every definition
in it, at any depth; other files and \`*.cases.json\` in it are skipped. A policy
and a file of cases are checked when you name them. Definitions that a file
invokes are looked up among the files you name and in the folder of the file.`,
  options: [
    ['--strict', 'treat warnings as errors'],
    ['--format FORMAT', 'text (default), json, sarif (2.1.0) or github (annotations)'],
    ['--json', 'the same as --format json'],
    ['--quiet', 'print errors only, without a summary'],
    ['--explain CODE', 'explain a code and what to do about it; without CODE, list all codes'],
  ],
  notes: `\
JSON output is one object:
  { "ok": true,
    "summary": { "files": 1, "errors": 0, "warnings": 1, "unreadable": 0 },
    "findings": [ { "file", "code", "severity", "message", "hint", "pointer",
                    "line", "column", "endLine", "endColumn" } ],
    "wildcards": [ { "file", "stage", "entry", "covers" } ],
    "faults": [ { "code", "message", "hint" } ] }
Lines and columns count from 1; the end is exclusive. \`pointer\` is a JSON pointer.
\`wildcards\` says what entries of command lists with a \`*\` cover.`,
  examples: ['check examples/workflow/tdd-bug-fix.json', 'check --explain OPEN_STAGE'],
  exits: {
    0: 'no errors',
    1: 'errors (with --strict also warnings)',
    2: 'usage error, or a file cannot be read',
  },
}

const kinds = {
  strict: 'flag',
  format: 'text',
  json: 'flag',
  quiet: 'flag',
  explain: 'text',
} as const

export const checkVerb: Verb = {
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
  if (files.length === 0) throw usage('check', 'name a file to check')
  const report = checkAll(files, io.cwd)
  for (const fault of report.faults) if (format !== 'json') io.err(faultText(fault))
  io.out(printReport(report, { format, isQuiet: values.quiet, isStrict: values.strict, io }))
  return exitCode(report, values.strict ? 'strict' : 'lenient')
}

function formatOf(values: { readonly format: string | null; readonly json: boolean }): Format {
  const format = oneOf('check', { name: 'format', value: values.format }, formats)
  if (values.json && format !== null && format !== 'json') {
    throw usage('check', '`--json` and another `--format` cannot be used together')
  }
  return format ?? (values.json ? 'json' : 'text')
}

function exitCode(report: CheckReport, mode: 'strict' | 'lenient'): number {
  if (report.faults.length > 0) return 2
  const counts = mode === 'strict' ? ['error', 'warning'] : ['error']
  return report.findings.some((one) => counts.includes(one.severity)) ? 1 : 0
}

/** Checks everything that the names mean; a file that cannot be read does not stop the others. */
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
    unreadable.push(new PawlError('USAGE', `no definition found in ${named}`))
  }
  const findings: LocatedFinding[] = []
  const wildcards: EntryCoverage[] = []
  const libraryOf = openLibraries(files)
  for (const [path, file] of files) {
    const checked = checkFile(file, libraryOf(path))
    findings.push(...locateFindings(file, checked.findings))
    wildcards.push(...checked.machines.flatMap((machine) => wildcardsIn(file.path, machine)))
  }
  return { filesCount: files.size, findings, wildcards, faults: unreadable }
}

function wildcardsIn(file: string, machine: Machine): readonly EntryCoverage[] {
  return Object.values(machine.stages).flatMap(({ name, rule }) =>
    [...new Set(rule.commands ?? [])].flatMap((entry) => {
      const covers = describeEntry(entry)
      return covers === null ? [] : [{ file, stage: name, entry, covers }]
    }),
  )
}

/** A folder holds other things, too. What can't be read as a tree might be a broken definition. */
function isPassedOver(input: InputFile, file: SourceFile): boolean {
  if (input.from === 'name' || file.root === null) return false
  const kind = documentKind(file.root)
  return kind === 'other' || kind === 'cases'
}
