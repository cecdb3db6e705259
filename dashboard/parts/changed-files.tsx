/** What changed in the workspace since the run began: the files, and a diff of each. */
import { useState } from 'react'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { callApi, wordsOf } from '../data/api-client.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { Skeleton } from './basics.tsx'
import { countOf } from './format-values.ts'
import { shortPath } from './short-path.ts'
import { showToast } from './toast.tsx'

type Changes = OperationAnswer<'runs.changes'>
type FileDiff = Changes['files'][number]

type Props = {
  readonly runId: string
  /** Looked at again when it changes. */
  readonly version: unknown
  /** The files are named, and their diffs are a tap away. */
  readonly isFolded?: boolean
}

/** Files beyond which each is closed at first. */
const openMax = 8

/** The section. */
export function ChangedFiles({ runId, version, isFolded = false }: Props) {
  const { answer, problem } = useApiQuery('runs.changes', { runId }, version)
  if (problem !== null) return null
  if (answer === null) return <Skeleton lines={4} />
  const { files, filesCut, folder } = answer
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <section className="stack" aria-label="Changed in this run">
      <div className="row flow">
        <h2>Changed in this run</h2>
        {files.length === 0 ? null : (
          <span className="small soft">
            {countOf(files.length + filesCut, 'file')} <Sizes added={added} removed={removed} />
          </span>
        )}
        <span className="grow" />
        <span className="small soft">{originText(answer)}</span>
      </div>
      {files.length === 0 ? <p className="note-box">{emptyText(answer)}</p> : null}
      {files.map((file) => (
        <ChangedFile
          key={file.path}
          runId={runId}
          file={file}
          name={shortPath(file.path, folder)}
          isOpen={!isFolded && files.length <= openMax}
        />
      ))}
      {filesCut === 0 ? null : (
        <p className="note-box">{countOf(filesCut, 'more file')} changed and not shown here.</p>
      )}
    </section>
  )
}

function originText({ source, commit }: Changes): string {
  if (source === 'git') return `compared with ${commit?.slice(0, 8)}, where the run began`
  return source === 'log' ? 'edits as the agent sent them' : ''
}

function emptyText({ source }: Changes): string {
  if (source === 'git') return 'No file is different from where the run began.'
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
      {file.hunks.map((hunk, index) => {
        let [before, after] = [hunk.oldStart, hunk.newStart]
        const isKnown = hunk.newStart > 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other name
          <div key={index} className="hunk">
            {isKnown ? (
              <div className="hunk-head">line {hunk.newStart}</div>
            ) : (
              <div className="hunk-head">edit {index + 1}</div>
            )}
            {hunk.lines.map((line, place) => {
              const number = line.kind === 'del' ? before : after
              if (line.kind !== 'add') before += 1
              if (line.kind !== 'del') after += 1
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                <span key={place} className={`l ${line.kind}`}>
                  <span>{isKnown ? number : ''}</span>
                  <span>{signs[line.kind]}</span>
                  <span>{line.text}</span>
                </span>
              )
            })}
          </div>
        )
      })}
    </section>
  )
}

const signs = { add: '+', del: '−', same: ' ' } as const
