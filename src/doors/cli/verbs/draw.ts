/**
 * `pawl draw`: draws a definition as a picture.
 */

import { extname, resolve } from 'node:path'
import { assertNever } from '../../../core/assert.ts'
import { printAscii } from '../../../core/draw/ascii.ts'
import { printDot } from '../../../core/draw/dot.ts'
import { printMermaid } from '../../../core/draw/mermaid.ts'
import { type Picture, pictureOf } from '../../../core/draw/picture.ts'
import { counted } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { locatedText } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'
import { loadDefinition } from '../play/load.ts'
import { writeFile } from '../write-file.ts'

const help: VerbHelp = {
  usage: ['draw [OPTIONS] FILE'],
  options: [
    ['--format FORMAT', 'ascii (default), svg, mermaid, dot or json'],
    [
      '--out FILE',
      'write to FILE; its extension sets the format: .svg, .mmd or .mermaid, .dot or .gv, ' +
        '.txt, .json',
    ],
    ['--task ID', 'the task to draw, if the file has several; default: the first'],
    ['--json', 'the same as --format json: the stages and routes as data'],
  ],
  examples: [
    'draw examples/workflow/tdd-bug-fix.json',
    'draw examples/process/release-checklist.json --out release.svg',
  ],
  exits: {
    0: 'drawn',
    1: 'the definition has errors',
    2: 'usage error, or a file cannot be read or written',
  },
}

const formats = ['ascii', 'svg', 'mermaid', 'dot', 'json'] as const
type Format = (typeof formats)[number]

const endings: Readonly<Record<string, Format>> = {
  '.svg': 'svg',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.dot': 'dot',
  '.gv': 'dot',
  '.txt': 'ascii',
  '.json': 'json',
}

const kinds = { format: 'text', out: 'text', task: 'text', json: 'flag' } as const

export const drawVerb: Verb = {
  help,
  run: runDraw,
}

async function runDraw(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('draw', args, kinds)
  const [name] = files
  if (name === undefined) throw usage('draw', 'name a definition to draw')
  if (files.length > 1) throw usage('draw', 'name only one definition')
  const format = formatFor(values)
  const { findings, chosen } = loadDefinition(name, io.cwd, values.task)
  if (chosen === null) {
    const errors = findings.filter((one) => one.severity === 'error')
    for (const one of errors) io.err(`${locatedText(one, io)}\n`)
    io.err(`pawl: \`${name}\` was not drawn: it has ${counted(errors.length, 'error')}\n`)
    return 1
  }
  const text = await print(pictureOf(chosen.machine), format)
  if (values.out === null) io.out(text.endsWith('\n') ? text : `${text}\n`)
  else writeFile(resolve(io.cwd, values.out), values.out, text)
  return 0
}

function formatFor(values: {
  readonly format: string | null
  readonly out: string | null
  readonly json: boolean
}): Format {
  if (values.json) return 'json'
  const format = oneOf('draw', { name: 'format', value: values.format }, formats)
  if (format !== null) return format
  if (values.out === null) return 'ascii'
  const ending = extname(values.out).toLowerCase()
  const told = Object.hasOwn(endings, ending) ? endings[ending] : undefined
  if (told !== undefined) return told
  throw usage(
    'draw',
    `the extension of \`${values.out}\` is unknown; set the format with \`--format\``,
  )
}

async function print(picture: Picture, format: Format): Promise<string> {
  switch (format) {
    case 'ascii':
      return printAscii(picture)
    case 'mermaid':
      return printMermaid(picture)
    case 'dot':
      return printDot(picture)
    case 'json':
      return JSON.stringify(picture, null, 2)
    case 'svg': {
      // WHY only now: what lays a picture out is by far the largest part of Pawl.
      const { printSvg } = await import('../../../draw/draw-svg.ts')
      return printSvg(picture)
    }
    default:
      return assertNever(format)
  }
}
