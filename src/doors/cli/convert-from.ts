/**
 * `pawl convert --from`: converts files and folders of another product. Says of each file what was
 * kept, changed and lost, and writes over nothing unless told to.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { validateTree } from '../../core/dialects/validate-tree.ts'
import { type Finding, hasErrors } from '../../core/finding.ts'
import { policySchema } from '../../core/policy/schema.ts'
import { convertProduct } from '../../core/products/convert-product.ts'
import type { ConvertedPart, ProductName, ProductNote } from '../../core/products/product.ts'
import { guessFormat, readSource } from '../../core/source/read-source.ts'
import { isDefinitionName } from '../../runtime/definitions/list-files.ts'
import { formatOf, readText } from '../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { counted } from './ansi.ts'
import { commentsIn, type MovedFile, printMove } from './convert-from-report.ts'
import { findInputs, type InputFile } from './find-inputs.ts'
import type { Io } from './io.ts'
import { usage } from './options.ts'
import { isInsideFolder, writeInto } from './write-into.ts'

export type MoveRequest = {
  readonly from: ProductName
  readonly names: readonly string[]
  /** Null: nothing is written. */
  readonly out: string | null
  readonly isForced: boolean
  readonly isJson: boolean
}

/** Files that are converted at once. */
const filesMax = 2_000

/** Converts what is named, and gives the exit code. */
export function convertFrom(request: MoveRequest, io: Io): number {
  const { names, out } = request
  if (names.length === 0) throw usage('convert', 'name the files or folders to convert')
  const moved: MovedFile[] = []
  for (const name of names) {
    const base = resolve(io.cwd, name)
    const { inputs, faults } = findInputs([name], io.cwd, isDefinitionName)
    const [fault] = faults
    if (fault !== undefined) throw fault
    for (const input of inputs) {
      if (moved.length >= filesMax) {
        const hint = 'name a smaller folder'
        throw new PawlError('USAGE', `there are more than ${filesMax} files`, { hint })
      }
      moved.push(...moveFile(request, { input, base }))
    }
  }
  const isWritten = out === null ? null : writeAll(moved, request, io)
  return printMove({ ...request, files: isWritten ?? moved }, io)
}

type Place = { readonly input: InputFile; readonly base: string }

function moveFile({ from }: MoveRequest, { input, base }: Place): readonly MovedFile[] {
  const isListed = input.from === 'folder'
  const none = { from: input.shown, to: null, text: '', kept: '', notes: [], findings: [] }
  if (isListed && !isInsideFolder(realpathSync(base), realpathSync(input.path))) {
    return [{ ...none, state: 'skipped', why: 'a link that leads out of the folder' }]
  }
  let text: string
  try {
    text = readText(input.path, input.shown)
  } catch (fault) {
    if (!(fault instanceof PawlError) || !isListed) throw fault
    return [{ ...none, state: 'skipped', why: fault.message }]
  }
  const format = formatOf(input.path) ?? guessFormat(text)
  const { root, findings } = readSource(text, format)
  if (root === null) return [{ ...none, findings, state: 'failed', why: 'it cannot be read' }]
  const name = basename(input.path, extname(input.path))
  const { parts, notes } = convertProduct(from, { text, root, format, name })
  const near = isListed ? relative(base, input.path) : basename(input.path)
  const files = parts.map((part): MovedFile => {
    const to = parts.length > 1 ? join(dirname(near), fileName(part)) : sameName(near, part)
    return { ...none, ...partResult(from, part), to, notes: part.notes }
  })
  if (files.length > 0) return withNotes(files, notes)
  const why = `it has nothing of ${from}`
  return [{ ...none, notes, state: isListed ? 'skipped' : 'failed', why }]
}

/** What concerns the whole file is said with its first part. */
function withNotes(
  [first, ...others]: readonly MovedFile[],
  notes: readonly ProductNote[],
): readonly MovedFile[] {
  if (first === undefined) return others
  return [{ ...first, notes: [...first.notes, ...notes] }, ...others]
}

type PartResult = Pick<MovedFile, 'text' | 'kept' | 'findings' | 'state' | 'why'>

/** WHY checked: what is written down must be able to start. */
function partResult(from: ProductName, part: ConvertedPart): PartResult {
  const { text, format } = part
  const { root, findings: read } = readSource(text, format)
  const findings = root === null ? read : [...read, ...checkPart(from, root)]
  const isGood = root !== null && !hasErrors(findings)
  const kept = isGood ? keptWords(from, root, part) : ''
  const state = isGood ? 'converted' : 'failed'
  return { text, kept, findings, state, why: isGood ? '' : 'it has errors' }
}

type Root = NonNullable<ReturnType<typeof readSource>['root']>

function checkPart(from: ProductName, root: Root): readonly Finding[] {
  if (from === 'kruxos') return validateTree(policySchema, root)
  return compileDefinition(root).findings
}

function keptWords(from: ProductName, root: Root, { text, isUnchanged }: ConvertedPart): string {
  const comments = commentsIn(text)
  const beside = comments === 0 ? '' : `, with ${counted(comments, 'line')} of comments`
  if (from === 'kruxos') return `the policy${beside}`
  const { machines, dialect } = compileDefinition(root)
  const what = machines.map(
    ({ name, stages }) =>
      `\`${name}\` (${dialect}, ${counted(Object.keys(stages).length, 'stage')})`,
  )
  const whole = isUnchanged ? 'the whole file, to the letter: ' : ''
  return `${whole}${what.join(', ')}${beside}`
}

function sameName(near: string, part: ConvertedPart): string {
  const extension = extname(near)
  const isSame = formatOf(near) === part.format
  return isSame ? near : `${near.slice(0, near.length - extension.length)}.${part.format}`
}

const nameCharsMax = 100

/** A name that is safe as the name of a file. */
function fileName({ name, format }: ConvertedPart): string {
  const safe = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '')
  return `${safe.slice(0, nameCharsMax) || 'definition'}.${format}`
}

function writeAll(
  files: readonly MovedFile[],
  { out, isForced }: MoveRequest,
  io: Io,
): readonly MovedFile[] {
  const folder = resolve(io.cwd, out ?? '.')
  const taken = new Set<string>()
  return files.map((file): MovedFile => {
    if (file.state !== 'converted' || file.to === null) return file
    if (taken.has(file.to)) return { ...file, state: 'failed', why: 'another file has that name' }
    taken.add(file.to)
    const why = writeInto(folder, file.to, { text: file.text, isForced })
    return why === null ? { ...file, state: 'written' } : { ...file, state: 'failed', why }
  })
}
