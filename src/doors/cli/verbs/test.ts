/**
 * `pawl test`: plays cases against definitions.
 */
import { resolve } from 'node:path'
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { isSourceName } from '../../../runtime/definitions/list-files.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { faultText } from '../fault-text.ts'
import { findInputs } from '../inputs.ts'
import type { Io, Verb } from '../io.ts'
import { junitText, type Suite } from '../junit.ts'
import { type CaseFile, type Loading, loadCases } from '../load-cases.ts'
import { locatedText } from '../locate-findings.ts'
import { readOptions, usage } from '../options.ts'
import { coverageOf, type PlayedCase, playCases } from '../play-cases.ts'
import { coverageJson, coverageText, failureText, jsonLine, summaryText } from '../test-report.ts'
import { writeFile } from '../write-file.ts'

const help = `\
pawl test: play cases against definitions

Usage: pawl test [OPTIONS] FILE…

A FILE is JSON or YAML with one case or a list of cases. A folder stands for every file of cases
in it, at any depth. A case is a definition, what happens to a run of it, and what must be seen;
its form is in \`schemas/cases.schema.json\`. \`definition_file\` is relative to the file of the
case, and definitions that it invokes are looked up in its folder.

Options:
  --coverage       which stages and routes of each definition the cases have walked
  --junit OUTPUT   write JUnit XML to the file OUTPUT
  --json           one JSON object per case and line: {"id", "ok", "failures":
                   [{"step", "path", "expected", "actual"}], "level", "file"}
                   \`step\` counts from 0, null: about the definition; with --coverage there is
                   one {"coverage": …} per definition after them
  --filter TEXT    only cases whose id or title contains TEXT
  --quiet          the summary only

A failing case of level \`should\` is printed and counted apart, and does not change the exit code.

Exit codes: 0 all passed, 1 a case failed, 2 a file can not be read as cases
`

const kinds = {
  coverage: 'flag',
  junit: 'text',
  json: 'flag',
  filter: 'text',
  quiet: 'flag',
} as const

export const testVerb: Verb = {
  name: 'test',
  summary: 'play cases against definitions',
  help,
  run: runTest,
}

async function runTest(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('test', args, kinds)
  if (files.length === 0) throw usage('test', 'no file of cases was named')
  const { inputs, faults } = findInputs(files, io.cwd, isSourceName)
  for (const fault of faults) io.err(faultText(fault))
  const loading: Loading = {
    cwd: io.cwd,
    libraryOf: openLibraries(),
    definitions: new Map(),
    invoked: new Map(),
  }
  const isWanted = filterOf(values.filter)
  const mode = values.json ? 'json' : values.quiet ? 'quiet' : 'text'
  const suites: Suite[] = []
  for (const input of inputs) {
    const file = loadCases(input, loading)
    if (file.kind === 'other') continue
    tellBroken(file, io)
    const wanted = file.kind === 'cases' ? file.cases.filter((one) => isWanted(one.case)) : []
    const played = wanted.map((one) => {
      const result = playCases(one)
      tellCase(result, mode, io)
      return result
    })
    suites.push({ file, played })
  }
  const all = suites.flatMap((suite) => suite.played)
  if (values.junit !== null) {
    writeFile(resolve(io.cwd, values.junit), values.junit, junitText(suites))
  }
  const isBroken = faults.length > 0 || suites.some(({ file }) => file.kind !== 'cases')
  if (suites.length === 0 && !isBroken) throw nothingFound(files)
  if (values.filter !== null && all.length === 0 && !isBroken) throw nothingMatches(values.filter)
  if (values.coverage) {
    const print = values.json ? coverageJson : coverageText
    io.out(print(coverageOf(all), io.cwd))
  }
  if (!values.json) io.out(summaryText(all))
  const hasFailed = all.some(({ result }) => !result.ok && result.level === 'must')
  return isBroken ? 2 : hasFailed ? 1 : 0
}

function filterOf(text: string | null): (one: { id: string; title: string }) => boolean {
  if (text === null) return () => true
  const wanted = text.toLowerCase()
  return ({ id, title }) => `${id}\n${title}`.toLowerCase().includes(wanted)
}

function tellBroken(file: CaseFile, io: Io): void {
  if (file.kind === 'unreadable') io.err(faultText(file.fault))
  if (file.kind !== 'malformed') return
  for (const one of file.findings) io.err(locatedText(one, io))
  io.err(`pawl: \`${file.shown}\` can not be read as cases\n`)
}

function tellCase(played: PlayedCase, mode: 'json' | 'quiet' | 'text', io: Io): void {
  if (mode === 'json') io.out(jsonLine(played))
  else if (mode === 'text' && !played.result.ok) io.out(failureText(played, io))
}

function nothingFound(names: readonly string[]): PawlError {
  const named = names.map((name) => `\`${name}\``).join(', ')
  return new PawlError('CASE_INVALID', `there are no cases in ${named}`, {
    hint: 'a case has a `definition` or `definition_file`, and `steps` or `check`',
  })
}

function nothingMatches(filter: string): PawlError {
  const hint = '`--filter` looks for a part of the id or the title'
  return new PawlError('USAGE', `no case matches \`${filter}\``, { hint })
}
