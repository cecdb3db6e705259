/** What `pawl convert --from` says: of each file what was kept, changed and lost. */
import type { Finding } from '../../core/finding.ts'
import type { ProductName, ProductNote } from '../../core/products/product.ts'
import { ansiFor, counted, plain } from './ansi.ts'
import type { Io } from './io.ts'

/** What became of a file, or of one of its parts. */
export type MovedFile = {
  readonly from: string
  /** Its name in the folder that is written to; null: it has none. */
  readonly to: string | null
  readonly text: string
  readonly state: 'converted' | 'written' | 'failed' | 'skipped'
  /** Why it was not written. */
  readonly why: string
  readonly kept: string
  readonly notes: readonly ProductNote[]
  readonly findings: readonly Finding[]
}

export type ProductMove = {
  readonly from: ProductName
  readonly out: string | null
  readonly isJson: boolean
  readonly files: readonly MovedFile[]
}

/** Prints the report and gives the exit code. */
export function printMove(move: ProductMove, io: Io): number {
  const failed = move.files.filter((one) => one.state === 'failed').length
  const done = move.files.filter((one) => one.state === 'written' || one.state === 'converted')
  io.out(move.isJson ? jsonText(move) : move.files.map((one) => fileText(one, move, io)).join(''))
  if (!move.isJson) io.err(summary(move, done.length, failed))
  return failed > 0 || done.length === 0 ? 1 : 0
}

function summary({ out, files }: ProductMove, done: number, failed: number): string {
  const skipped = files.length - done - failed
  const rest = [
    failed === 0 ? '' : `${failed} not converted`,
    skipped === 0 ? '' : `${skipped} left out`,
  ].filter((part) => part !== '')
  const what = out === null ? 'can be converted' : 'converted'
  const line = [`${counted(done, 'file')} ${what}`, ...rest].join(', ')
  const hint = out === null && done > 0 ? '\n  → `--out FOLDER` writes them' : ''
  return `pawl: ${line}${hint}\n`
}

function jsonText({ from, out, files }: ProductMove): string {
  const told = files.map(({ text: _, notes, ...file }) => ({
    ...file,
    changed: notes.filter((one) => one.kind === 'changed').map(bare),
    lost: notes.filter((one) => one.kind === 'lost').map(bare),
  }))
  const ok = files.every((one) => one.state !== 'failed')
  return `${JSON.stringify({ ok, from, out, files: told }, null, 2)}\n`
}

function bare({ pointer, what, effect }: ProductNote): Omit<ProductNote, 'kind'> {
  return { pointer, what, effect }
}

/** Findings of one file that are shown. */
const findingsMax = 20

function fileText(file: MovedFile, { out }: ProductMove, io: Io): string {
  const target = file.to === null || out === null ? '' : ` → ${out}/${file.to}`
  const lines = [ansiFor(io, 'bold', plain(`${file.from}${target}`))]
  if (file.why !== '')
    lines.push(row(io, file.state === 'skipped' ? 'left out' : 'failed', file.why))
  if (file.kept !== '') lines.push(row(io, 'kept', file.kept))
  for (const { kind, pointer, what, effect } of file.notes) {
    const place = pointer === '' ? '' : `${pointer}: `
    lines.push(row(io, kind, `${place}${what}`), `            → ${plain(effect)}`)
  }
  for (const one of file.findings.slice(0, findingsMax)) {
    lines.push(row(io, one.severity, `${one.pointer}: ${one.message}`))
  }
  return `${lines.join('\n')}\n`
}

const colours = { lost: 'yellow', failed: 'red', error: 'red' } as const

function row(io: Io, word: string, text: string): string {
  const colour = Object.hasOwn(colours, word) ? colours[word as keyof typeof colours] : null
  const label = word.padEnd(8)
  const shown = colour === null ? label : ansiFor(io, colour, label)
  return `  ${shown}  ${plain(text).replaceAll('\n', ' ')}`
}

/** Lines of a text that are comments. */
export function commentsIn(text: string): number {
  return text.split('\n').filter((line) => /^\s*(?:#|\/\/)/.test(line)).length
}
