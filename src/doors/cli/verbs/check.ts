/**
 * `pawl check`: finds mistakes in definitions.
 */

import type { PathClaim } from '../../../core/machine/claim.ts'
import type { Machine } from '../../../core/machine/machine.ts'
import { describeEntry } from '../../../core/shell-view/describe-entry.ts'
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
import { comparePermissionsOf } from '../compare-permissions-of.ts'
import { documentKind } from '../detect-document-kind.ts'
import { allCodes, explainCode } from '../explain-code.ts'
import { faultText } from '../fault-text.ts'
import { findInputs, type InputFile, readInput } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { type LocatedFinding, locateFindings } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'
import {
  type ClaimReport,
  claimsExit,
  claimsText,
  proveAll,
  readClaims,
  unprovable,
} from '../prove-claims.ts'

const help: VerbHelp = {
  usage: [
    'check [OPTIONS] FILE…',
    'check FILE… --prove "no path to STAGE without …"',
    'check FILE --against FILE',
    'check --explain [CODE]',
  ],
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
    ['--prove CLAIM', 'prove that every path passes an approval or evidence; repeatable'],
    ['--against FILE', 'show what the definition loosens and tightens compared with FILE'],
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
\`wildcards\` says what entries of command lists with a \`*\` cover. With \`--prove\`
there is also \`"proofs": [ { "file", "definition", "claim", "verdict", "reason",
"trace", "needs", "passes" } ]\`; a verdict is proved, disproved, unknown or invalid.

A CLAIM is one of
  no path to STAGE without approval EVENT     a person approves that event
  no path to STAGE without approval           a person approves something
  no path to STAGE without evidence NAME      Pawl saw what the guard NAME asks for
  no path to STAGE without evidence COMMAND   Pawl saw that command succeed
\`completed\` instead of a STAGE is every end that is a success. A proof covers all
paths that the definition allows: events, unknown events, interrupts, branches and
stages named in a submission. If the answer is no, the shortest path that avoids
the approval or the evidence is shown. What is done in an invoked definition is not
looked into; with \`debug\` a person can force a run anywhere: both cannot be proved.
A path begins in the first stage; only a person can start a run in another one.`,
  examples: [
    'check examples/workflow/tdd-bug-fix.json',
    "check examples/workflow/tdd-bug-fix.json --prove 'no path to done without approval'",
    'check --explain OPEN_STAGE',
  ],
  exits: {
    0: 'no errors',
    1: 'errors (with --strict also warnings, and what may loosen), or a claim not proved',
    2: 'usage error, or a file cannot be read',
  },
}

const kinds = {
  strict: 'flag',
  format: 'text',
  json: 'flag',
  quiet: 'flag',
  prove: 'list',
  against: 'text',
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
  if (values.against !== null) {
    return comparePermissionsOf([values.against, ...files], {
      ...{ io, format, isStrict: values.strict },
    })
  }
  if (files.length === 0) throw usage('check', 'name a file to check')
  const claims = readClaims(values.prove)
  const report = checkAll(files, { cwd: io.cwd, claims })
  for (const fault of report.faults) if (format !== 'json') io.err(faultText(fault))
  io.out(printReport(report, { format, isQuiet: values.quiet, isStrict: values.strict, io }))
  // These formats are about places in files, and a claim has none.
  if (format === 'sarif' || format === 'github') io.err(claimsText(report.proofs ?? []))
  return Math.max(
    exitCode(report, values.strict ? 'strict' : 'lenient'),
    claimsExit(report.proofs ?? []),
  )
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
function checkAll(
  names: readonly string[],
  { cwd, claims }: { readonly cwd: string; readonly claims: readonly PathClaim[] },
): CheckReport {
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
  const proofs: ClaimReport[] = []
  const libraryOf = openLibraries(files)
  for (const [path, file] of files) {
    const checked = checkFile(file, libraryOf(path))
    findings.push(...locateFindings(file, checked.findings))
    wildcards.push(...checked.machines.flatMap((machine) => wildcardsIn(file.path, machine)))
    if (checked.machines.length === 0) proofs.push(...unprovable(file.path, claims))
    proofs.push(...checked.machines.flatMap((one) => proveAll(file.path, one, claims)))
  }
  const report = { filesCount: files.size, findings, wildcards, faults: unreadable }
  return claims.length > 0 ? { ...report, proofs } : report
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
