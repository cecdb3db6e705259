/**
 * `pawl convert`: rewrites a definition in another dialect, or lists what would be lost.
 */

import { extname, resolve } from 'node:path'
import { closestName } from '../../../core/closest-name.ts'
import { compileDefinition } from '../../../core/dialects/compile-definition.ts'
import { convertMachine } from '../../../core/dialects/convert.ts'
import { hasErrors } from '../../../core/finding.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Machine } from '../../../core/machine/machine.ts'
import { productNames } from '../../../core/products/product.ts'
import { printYaml } from '../../../core/source/print-yaml.ts'
import { readSource } from '../../../core/source/read-source.ts'
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { readDefinition } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { counted } from '../ansi.ts'
import { checkFile } from '../check-file.ts'
import { type LocatedLoss, locateLosses, lossText } from '../convert-report.ts'
import { shownPath } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { type LocatedFinding, locatedText, locateFindings } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'
import { writeFile } from '../write-file.ts'

const help: VerbHelp = {
  usage: [
    'convert FILE --to DIALECT [OPTIONS]',
    'convert --from PRODUCT FILE|FOLDER... [--out FOLDER] [--force] [--json]',
  ],
  about: `\
With --to, the result is equivalent to FILE: an agent may do the same things, and no
others. Whatever the other dialect cannot express is a loss: each loss is listed with
its place and its effect, and nothing is written. Converting to the same dialect writes
a clean copy. Comments, unused guards and fields that nothing reads are dropped.

With --from, files of another product are converted: statewright (workflows),
cloudclawer (processes), syllable (step workflows) or kruxos (policies). Text and
comments stay as they are where possible. The report says what was kept, changed and
lost in each file. Without --out, nothing is written. Existing files are not
overwritten, and links out of a folder are not followed.`,
  options: [
    ['--to DIALECT', 'process, workflow or steps'],
    ['--from PRODUCT', 'statewright, cloudclawer, syllable or kruxos'],
    ['--format FORMAT', 'json or yaml; default: by the extension of --out, else json'],
    ['--out FILE', 'write to FILE; with --from: into this folder'],
    ['--force', 'with --from: overwrite existing files'],
    ['--lossy', 'convert despite losses; they are listed on standard error'],
    ['--task ID', 'the task to convert, if the file has several'],
    ['--json', 'print the result as JSON (see below)'],
  ],
  notes: `\
JSON output is one object:
  { "ok": true, "to": "workflow", "out": null,
    "losses": [ { "file", "line", "column", "pointer", "what", "effect" } ],
    "findings": [ { "file", "code", "severity", "message", "hint", "pointer",
                    "line", "column", "endLine", "endColumn" } ],
    "definition": { … } }
\`definition\` is null if there are errors, or losses without --lossy. With --from:
  { "ok": true, "from": "syllable", "out": "new",
    "files": [ { "from", "to", "state", "why", "kept", "findings",
                 "changed": [ { "pointer", "what", "effect" } ], "lost": [ … ] } ] }
where \`state\` is written, converted (without --out), failed or skipped.`,
  examples: [
    'convert examples/workflow/tdd-bug-fix.json --to workflow --format yaml',
    'convert --from statewright flows/ --out .pawl/definitions',
    'convert --from kruxos policy.yaml --out .pawl',
  ],
  exits: {
    0: 'converted',
    1: 'not converted: errors, losses without --lossy, or a file that exists',
    2: 'usage error, or a file cannot be read or written',
  },
}

const kinds = {
  to: 'text',
  from: 'text',
  force: 'flag',
  format: 'text',
  out: 'text',
  lossy: 'flag',
  task: 'text',
  json: 'flag',
} as const
const dialects = ['process', 'workflow', 'steps'] as const
const formats = ['json', 'yaml'] as const
type Format = (typeof formats)[number]

export const convertVerb: Verb = {
  help,
  run: runConvert,
}

async function runConvert(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('convert', args, kinds)
  if (values.from !== null) return runFrom(files, values, io)
  if (values.force) throw usage('convert', '`--force` needs `--from`')
  const [name] = files
  if (name === undefined) throw usage('convert', 'name a definition to convert')
  if (files.length > 1) throw usage('convert', 'name only one definition')
  const to = oneOf('convert', { name: 'to', value: values.to }, dialects)
  if (to === null) throw usage('convert', 'name a dialect with `--to`')
  const format = formatFor(values)
  const path = resolve(io.cwd, name)
  refuseSameFile(path, io.cwd, values.out)
  const asked: ConvertRequest = { name, format, out: values.out, isJson: values.json, to }
  const file = readDefinition(path, shownPath(path, io.cwd))
  const { findings, machines } = checkFile(file, openLibraries(new Map([[path, file]]))(path))
  if (hasErrors(findings)) return tellFindings(asked, locateFindings(file, findings), io)
  const { definition, losses } = convertMachine(chooseMachine(machines, values.task, file.path), to)
  const text = printChecked(definition, format)
  const located = locateLosses(file, losses)
  if (losses.length > 0 && !values.lossy) return tellLosses(asked, located, io)
  return writeResult(asked, { definition, text, losses: located }, io)
}

async function runFrom(names: readonly string[], values: FromValues, io: Io): Promise<number> {
  const odd = (['to', 'format', 'task'] as const).find((one) => values[one] !== null)
  if (odd !== undefined) throw usage('convert', `\`--from\` and \`--${odd}\` exclude each other`)
  if (values.lossy)
    throw usage('convert', '`--lossy` needs `--to`: `--from` always says what is lost')
  const from = oneOf('convert', { name: 'from', value: values.from }, productNames)
  if (from === null) throw usage('convert', 'name a product with `--from`')
  // WHY loaded here: few who convert come from another product.
  const { convertFrom } = await import('../convert-from.ts')
  const { out, force, json } = values
  return convertFrom({ from, names, out, isForced: force, isJson: json }, io)
}

type FromValues = ReturnType<typeof readOptions<typeof kinds>>['values']

type ConvertRequest = {
  readonly name: string
  readonly format: Format
  readonly out: string | null
  readonly isJson: boolean
  readonly to: (typeof dialects)[number]
}

function formatFor(values: {
  readonly format: string | null
  readonly out: string | null
}): Format {
  const format = oneOf('convert', { name: 'format', value: values.format }, formats)
  if (format !== null) return format
  return /^\.ya?ml$/i.test(extname(values.out ?? '')) ? 'yaml' : 'json'
}

/** WHY: what is not carried over, comments say, would be gone for good. */
function refuseSameFile(path: string, cwd: string, out: string | null): void {
  if (out === null || resolve(cwd, out) !== path) return
  throw usage('convert', `\`${out}\` is the definition itself; write to another file`)
}

function chooseMachine(machines: readonly Machine[], task: string | null, path: string): Machine {
  const [first] = machines
  if (first === undefined) {
    const hint = 'name a file with a process, a workflow or a form'
    throw new PawlError('DEFINITION_INVALID', `\`${path}\` has no definition`, { hint })
  }
  const names = machines.map((machine) => machine.name)
  const all = `the tasks are ${names.map((one) => `\`${one}\``).join(', ')}`
  if (task === null) {
    if (machines.length === 1) return first
    const message = `\`${path}\` has ${machines.length} tasks; choose one with \`--task\``
    throw new PawlError('USAGE', message, { hint: all })
  }
  const found = machines.find((machine) => machine.name === task)
  if (found !== undefined) return found
  const near = closestName(task, names)
  const hint = near === null ? all : `did you mean \`${near}\`?`
  throw new PawlError('USAGE', `\`${path}\` has no task \`${task}\``, { hint })
}

/** The text of the result, which is read and compiled once more before anybody relies on it. */
function printChecked(definition: JsonObject, format: Format): string {
  const text =
    format === 'yaml' ? printYaml(definition) : `${JSON.stringify(definition, null, 2)}\n`
  const { root, findings } = readSource(text, format)
  const all = [...findings, ...(root === null ? [] : compileDefinition(root).findings)]
  const error = all.find((one) => one.severity === 'error')
  if (error === undefined) return text
  const message = `the converted definition would have an error: ${error.message}`
  throw new PawlError('DEFINITION_INVALID', message, { hint: error.hint })
}

function tellFindings(asked: ConvertRequest, findings: readonly LocatedFinding[], io: Io): number {
  const errors = findings.filter((one) => one.severity === 'error')
  if (asked.isJson) {
    io.out(jsonText(asked, { losses: [], findings, definition: null }))
    return 1
  }
  for (const one of errors) io.err(`${locatedText(one, io)}\n`)
  io.err(`pawl: \`${asked.name}\` was not converted: it has ${counted(errors.length, 'error')}\n`)
  return 1
}

function tellLosses(asked: ConvertRequest, losses: readonly LocatedLoss[], io: Io): number {
  if (asked.isJson) {
    io.out(jsonText(asked, { losses, findings: [], definition: null }))
    return 1
  }
  for (const one of losses) io.err(lossText(one, io))
  const count = losses.length === 1 ? '1 thing' : `${losses.length} things`
  io.err(`\npawl: \`${asked.name}\` was not converted: ${count} would be lost\n`)
  io.err('  → `--lossy` converts it anyway\n')
  return 1
}

type Result = {
  readonly definition: JsonObject
  readonly text: string
  readonly losses: readonly LocatedLoss[]
}

function writeResult(asked: ConvertRequest, { definition, text, losses }: Result, io: Io): number {
  if (asked.out !== null) writeFile(resolve(io.cwd, asked.out), asked.out, text)
  if (asked.isJson) {
    io.out(jsonText(asked, { losses, findings: [], definition }))
    return 0
  }
  for (const one of losses) io.err(lossText(one, io))
  if (asked.out === null) io.out(text)
  return 0
}

type ConvertResult = {
  readonly losses: readonly LocatedLoss[]
  readonly findings: readonly LocatedFinding[]
  readonly definition: JsonObject | null
}

function jsonText(
  { to, out }: ConvertRequest,
  { losses, findings, definition }: ConvertResult,
): string {
  const bare = findings.map(({ excerpt: _, ...finding }) => finding)
  const ok = definition !== null
  const told = { ok, to, out: ok ? out : null, losses, findings: bare, definition }
  return `${JSON.stringify(told, null, 2)}\n`
}
