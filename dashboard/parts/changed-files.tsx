/** What changed in the workspace since the run began: the files, and a diff of each. */
import { useState } from 'react'
import { shortPath } from '../../src/core/draw/short-path.ts'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { callApi, wordsOf } from '../data/api-client.ts'
import { type ApiQuery, useApiQuery } from '../data/use-api-query.ts'
import { Skeleton } from './basics.tsx'
import { CodeLine } from './code-line.tsx'
import { useDiffPieces } from './code-spans.ts'
import { countOf } from './format-values.ts'
import { showToast } from './toast.tsx'

type Changes = OperationAnswer<'runs.changes'>
type FileDiff = Changes['files'][number]

export type ChangesQuery = ApiQuery<Changes>

type Props = {
  readonly runId: string
  readonly changes: ChangesQuery
  /** The files are named, and their diffs are a tap away. */
  readonly isFolded?: boolean
}

/** What a run changed. WHY once for a page: each look compares a workspace with its commit. */
export function useChanges(runId: string, version: unknown): ChangesQuery {
  return useApiQuery('runs.changes', { runId }, version)
}

/** Where the section is on the page. */
const changesId = 'changed-in-this-run'

/** How much changed, in the head of a page; a tap leads to the section. */
export function ChangesLink({ changes: { answer, again } }: Pick<Props, 'changes'>) {
  const files = answer?.files.filter((file) => !file.isEarlier) ?? []
  if (answer === null || files.length === 0) return null
  const { filesCut } = answer
  return (
    <>
      {' · '}
      <button
        type="button"
        className="link"
        onClick={() => {
          again()
          document.getElementById(changesId)?.scrollIntoView({ block: 'start' })
        }}
      >
        {countOf(files.length + filesCut, 'file')} changed <Sizes {...sizesOf(files)} />
      </button>
    </>
  )
}

function sizesOf(files: readonly FileDiff[]): Pick<FileDiff, 'added' | 'removed'> {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  return { added, removed: files.reduce((sum, file) => sum + file.removed, 0) }
}

/** Files beyond which each is closed at first. */
const openMax = 8

/** On a phone, files are named first: their diffs are a long way to scroll. */
const isNarrow = (): boolean => matchMedia('(max-width: 760px)').matches

/** The section. */
export function ChangedFiles({ runId, changes, isFolded = false }: Props) {
  const { answer, problem } = changes
  if (problem !== null) return null
  if (answer === null) return <Skeleton lines={4} />
  const { filesCut, folder } = answer
  const files = answer.files.filter((file) => !file.isEarlier)
  const earlier = answer.files.filter((file) => file.isEarlier)
  const isOpen = !isFolded && files.length <= openMax && !isNarrow()
  const card = (file: FileDiff, opens: boolean) => (
    <ChangedFile
      key={file.path}
      runId={runId}
      file={file}
      name={shortPath(file.path, folder)}
      isOpen={opens}
    />
  )
  return (
    <section className="stack" aria-label="Changed in this run" id={changesId}>
      <div className="row flow">
        <h2>Changed in this run</h2>
        {files.length === 0 ? null : (
          <span className="small soft">
            {countOf(files.length + filesCut, 'file')} <Sizes {...sizesOf(files)} />
          </span>
        )}
        <span className="grow" />
        <span className="small soft">{originText(answer)}</span>
      </div>
      {files.length === 0 ? <p className="note-box">{emptyText(answer)}</p> : null}
      {files.map((file) => card(file, isOpen))}
      {filesCut === 0 ? null : (
        <p className="note-box">{countOf(filesCut, 'more file')} changed and not shown here.</p>
      )}
      {earlier.length === 0 ? null : (
        <details className="stack">
          <summary>{countOf(earlier.length, 'file')} changed before this run began</summary>
          {earlier.map((file) => card(file, false))}
        </details>
      )}
    </section>
  )
}

function originText({ source, commit }: Changes): string {
  if (source === 'git') return `compared with ${commit?.slice(0, 8)}, where the run began`
  return source === 'log' ? 'edits as the agent sent them' : ''
}

function emptyText({ source }: Changes): string {
  if (source === 'git') return 'This run changed no files.'
  return 'Pawl has seen no edits in this run. Without git, changes by commands are not shown.'
}

function Sizes({ added, removed }: Pick<FileDiff, 'added' | 'removed'>) {
  return (
    <span className="mono">
      <span className="good">+{added}</span> <span className="bad">−{removed}</span>
    </span>
  )
}

type FileProps = {
  readonly runId: string
  readonly file: FileDiff
  readonly name: string
  readonly isOpen: boolean
}

function ChangedFile({ runId, file, name, isOpen }: FileProps) {
  const [whole, setWhole] = useState<FileDiff | null>(null)
  const shown = whole ?? file
  const load = async (): Promise<void> => {
    try {
      const { files } = await callApi('runs.changes', { runId, path: file.path })
      setWhole(files[0] ?? null)
    } catch (thrown) {
      showToast(wordsOf(thrown).detail)
    }
  }
  return (
    <details className="card changed-file" open={isOpen}>
      <summary className="row">
        <span className={`badge ${kindTones[file.kind]}`}>{file.kind}</span>
        <span className="mono grow wrap">{name}</span>
        <Sizes added={file.added} removed={file.removed} />
      </summary>
      {shown.note === null || (shown.note === 'link' && shown.hunks.length > 0) ? null : (
        <p className="body soft">{noteTexts[shown.note]}</p>
      )}
      {shown.hunks.length === 0 ? null : <Hunks file={shown} name={name} />}
      {shown.linesCut === 0 ? null : (
        <button type="button" className="button show-rest" onClick={load}>
          {countOf(shown.linesCut, 'more line')}: show the whole diff
        </button>
      )}
    </details>
  )
}

const kindTones = { added: 'good', changed: 'accent', deleted: 'bad' } as const

const noteTexts = {
  binary: 'This is not a text file.',
  large: 'This file is too large to compare.',
  mode: 'Only the permissions of this file changed.',
  link: 'A folder of this path is a link now. What is behind it is not shown.',
  unreadable: 'This file cannot be read.',
  repository: 'A nested repository; its files are not compared.',
} as const

function Hunks({ file, name }: { readonly file: FileDiff; readonly name: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
    <section className="code flat diff" aria-label={`Diff of ${name}`} tabIndex={0}>
      {file.hunks.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other name
        <HunkLines key={index} hunk={hunk} number={index + 1} name={name} />
      ))}
    </section>
  )
}

type HunkProps = {
  readonly hunk: FileDiff['hunks'][number]
  readonly number: number
  readonly name: string
}

function HunkLines({ hunk, number: edit, name }: HunkProps) {
  const pieces = useDiffPieces(hunk.lines, name)
  let [before, after] = [hunk.oldStart, hunk.newStart]
  const isKnown = hunk.newStart > 0
  return (
    <div className="hunk">
      <div className="hunk-head">{isKnown ? `line ${hunk.newStart}` : `edit ${edit}`}</div>
      {hunk.lines.map((line, place) => {
        const number = line.kind === 'del' ? before : after
        if (line.kind !== 'add') before += 1
        if (line.kind !== 'del') after += 1
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <span key={place} className={`l ${line.kind}`}>
            <span>{isKnown ? number : ''}</span>
            <span>{signs[line.kind]}</span>
            <CodeLine text={line.text} pieces={pieces?.[place]} />
          </span>
        )
      })}
    </div>
  )
}

const signs = { add: '+', del: '−', same: ' ' } as const
