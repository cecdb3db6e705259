/**
 * Changes of texts as coloured lines: the files that a run changed, and the edit of a call.
 * Knows what the API tells of changes. Must not know approvals.
 */
import { type DiffLine, diffLines } from '../../../core/diff/line-diff.ts'
import { shortPath } from '../../../core/draw/short-path.ts'
import { asObject, type JsonObject } from '../../../core/json.ts'
import { editTextsIn } from '../../../core/tools/edit-texts.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { counted } from '../ansi.ts'
import { type StyledLine, styledLine, styledSpan, type Tone } from '../play/styled-text.ts'

export type RunChangesAnswer = OperationAnswer<'runs.changes'>
type FileDiff = RunChangesAnswer['files'][number]

const looks: Readonly<Record<DiffLine['kind'], readonly [sign: string, tone: Tone]>> = {
  add: ['+', 'good'],
  del: ['-', 'bad'],
  same: [' ', 'dim'],
}

function diffLine({ kind, text }: DiffLine): StyledLine {
  const [sign, tone] = looks[kind]
  return [styledSpan(`  ${sign}${text}`, tone)]
}

/** What the edit of a call changes, and the fields of its input that it does not tell. */
export function editLines(input: JsonObject): {
  readonly lines: StyledLine[]
  readonly rest: JsonObject
} {
  const edits = editTextsIn(input)
  if (edits.length === 0) return { lines: [], rest: input }
  const { old_string: _old, new_string: _new, content: _content, edits: list, ...rest } = input
  const parts = Array.isArray(list) ? list.map((one) => diffOfEdit(asObject(one))) : []
  const lines = parts.length > 0 ? parts.flat() : edits.flatMap(diffOfTexts)
  return { lines, rest }
}

/** An edit among several; what else it says stands above it. */
function diffOfEdit(edit: JsonObject | null): StyledLine[] {
  if (edit === null) return []
  const { old_string: _old, new_string: _new, content: _content, ...more } = edit
  const head = Object.keys(more).length === 0 ? 'edit' : `edit ${JSON.stringify(more)}`
  return [styledLine(`  ${head}`, 'accent'), ...editTextsIn(edit).flatMap(diffOfTexts)]
}

function diffOfTexts({ before, after }: { readonly before: string; readonly after: string }) {
  return diffLines(before, after).map(diffLine)
}

/** Lines of diffs that are shown at once. */
const linesMax = 200

/** The files that a run changed: their names, and a diff each, cut or however long it is. */
export function changesLines(
  changes: RunChangesAnswer,
  length: 'names' | 'short' | 'whole',
): StyledLine[] {
  const { filesCut, folder } = changes
  const named = changes.files.map((file) => ({ ...file, path: shortPath(file.path, folder) }))
  const files = named.filter((file) => !file.isEarlier)
  const earlier = named.filter((file) => file.isEarlier)
  const sum = (key: 'added' | 'removed'): number => files.reduce((all, one) => all + one[key], 0)
  const count = counted(files.length + filesCut, 'file')
  const head: StyledLine = [
    styledSpan('changed in this run: ', 'strong'),
    ...(files.length === 0
      ? [styledSpan(nothingText(changes))]
      : [styledSpan(`${count} `), ...sizes(sum('added'), sum('removed'))]),
    styledSpan(originText(changes), 'dim'),
  ]
  const names = files.map(fileLine)
  const before =
    earlier.length === 0
      ? []
      : [styledLine(`  changed before the run began: ${counted(earlier.length, 'file')}`, 'dim')]
  const more = filesCut === 0 ? [] : [styledLine(`  … ${counted(filesCut, 'more file')}`, 'warn')]
  const diff = [...files, ...earlier].flatMap(diffOfFile)
  const shown = length === 'whole' ? diff : diff.slice(0, length === 'names' ? 0 : linesMax)
  const cut = diff.length - shown.length
  const left = shown.length === 0 ? 'the diff is not shown' : `… ${counted(cut, 'more line')}`
  const hint = `  ${left}: add \`--diff\` to see it`
  return [
    head,
    ...names,
    ...more,
    ...before,
    ...earlier.map(fileLine),
    ...shown,
    ...(cut === 0 ? [] : [styledLine(hint, 'warn')]),
  ]
}

function nothingText({ source }: RunChangesAnswer): string {
  if (source === 'git') return 'nothing'
  return 'no edits were seen; without git, changes by commands are not shown'
}

function originText({ source, commit }: RunChangesAnswer): string {
  if (source === 'git') return `  compared with ${commit?.slice(0, 8)}, where the run began`
  return source === 'log' ? '  edits as the agent sent them' : ''
}

const kindTones = { added: 'good', changed: 'accent', deleted: 'bad' } as const

function fileLine({ path, kind, added, removed }: FileDiff): StyledLine {
  const name = styledSpan(`${path}  `)
  return [styledSpan(`  ${kind.padEnd(8)} `, kindTones[kind]), name, ...sizes(added, removed)]
}

function sizes(added: number, removed: number): StyledLine {
  return [styledSpan(`+${added}`, 'good'), styledSpan(' '), styledSpan(`-${removed}`, 'bad')]
}

const noteTexts = {
  binary: 'this is not a text file',
  large: 'this file is too large to compare',
  mode: 'only the permissions of this file changed',
  link: 'a folder of this path is a link now; what is behind it is not shown',
  unreadable: 'this file cannot be read',
  repository: 'a nested repository; its files are not compared',
} as const

function diffOfFile({ path, hunks, note, linesCut }: FileDiff): StyledLine[] {
  return [
    styledLine(''),
    styledLine(`  ${path}`, 'strong'),
    ...(note === null ? [] : [styledLine(`  (${noteTexts[note]})`, 'warn')]),
    ...hunks.flatMap(({ oldStart, newStart, lines }, index) => [
      styledLine(
        newStart === 0 ? `  @@ edit ${index + 1} @@` : `  @@ -${oldStart} +${newStart} @@`,
        'accent',
      ),
      ...lines.map(diffLine),
    ]),
    ...(linesCut === 0 ? [] : [styledLine(`  … ${counted(linesCut, 'more line')}`, 'warn')]),
  ]
}
