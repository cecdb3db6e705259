/**
 * `pawl test`: runs test cases against definitions.
 */

import { resolve } from 'node:path'
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { isSourceName } from '../../../runtime/definitions/list-files.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { faultText } from '../fault-text.ts'
import { findInputs } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { junitText, type Suite } from '../junit.ts'
import { type CaseFile, type Loading, loadCases } from '../load-cases.ts'
import { locatedText } from '../locate-findings.ts'
import { readOptions, usage } from '../options.ts'
import { coverageOf, type PlayedCase, playCases } from '../play-cases.ts'
import { coverageJson, coverageText, failureText, jsonLine, summaryText } from '../test-report.ts'
import { writeFile } from '../write-file.ts'

const help: VerbHelp = {
  usage: ['test [OPTIONS] FILE…'],
  about: `\
A FILE is JSON or YAML with one case or a list of cases. A folder stands for
every file of cases in it, at any depth. A case names a definition, the steps of
a run, and what each step must lead to; \`schemas/cases.schema.json\` describes
the format. \`definition_file\` is relative to the file of the case; definitions
that it invokes are looked up in its folder.

A failing case of level \`should\` is reported separately and does not change the
exit code.`,
  options: [
    ['--coverage', 'show which stages and routes of each definition the cases reach'],
    ['--junit FILE', 'write JUnit XML to FILE'],
    ['--json', 'print one JSON object per case, one per line (see below)'],
    ['--filter TEXT', 'run only cases whose id or title contains TEXT'],
    ['--quiet', 'print the summary only'],
  ],
  notes: `\
JSON output per case: {"id", "ok", "failures": [{"step", "path", "expected",
"actual"}], "level", "file"}. \`step\` counts from 0; null means the definition
itself. With --coverage, one {"coverage": …} per definition follows.`,
  examples: ['test examples/', 'test examples/workflow --coverage'],
  exits: {
    0: 'all cases passed',
    1: 'a case failed',
    2: 'usage error, or a file cannot be read as cases',
  },
}

const kinds = {
  coverage: 'flag',
  junit: 'text',
  json: 'flag',
  filter: 'text',
  quiet: 'flag',
} as const

export const testVerb: Verb = {
  help,
  run: runTest,
}

async function runTest(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('test', args, kinds)
  if (files.length === 0) throw usage('test', 'name a file of cases')
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
  io.err(`pawl: \`${file.shown}\` cannot be read as cases\n`)
}

function tellCase(played: PlayedCase, mode: 'json' | 'quiet' | 'text', io: Io): void {
  if (mode === 'json') io.out(jsonLine(played))
  else if (mode === 'text' && !played.result.ok) io.out(failureText(played, io))
}

function nothingFound(names: readonly string[]): PawlError {
  const named = names.map((name) => `\`${name}\``).join(', ')
  return new PawlError('CASE_INVALID', `no cases found in ${named}`, {
    hint: 'a case has a `definition` or `definition_file`, and `steps` or `check`',
  })
}

function nothingMatches(filter: string): PawlError {
  const hint = '`--filter` matches a part of the id or the title'
  return new PawlError('USAGE', `no case matches \`${filter}\``, { hint })
}
