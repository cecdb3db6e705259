/** A tool call for an approval: the command, the edit as a diff, or the mail; always complete. */

import { useMemo } from 'react'
import { diffLines } from '../../src/core/diff/line-diff.ts'
import { shortPath } from '../../src/core/draw/short-path.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { type EditTexts, editTextsIn } from '../../src/core/tools/edit-texts.ts'
import { CodeLine } from './code-line.tsx'
import { useDiffPieces } from './code-spans.ts'
import { CommandText, type ShownRisk } from './command-text.tsx'
import { Fold } from './fold.tsx'

type Shown = {
  readonly tool: string
  readonly input: JsonObject
  /** `short`: without what a title beside it says already. `whole`: nothing is folded. */
  readonly size?: 'short' | 'whole'
  /** Paths in it are told from there on. */
  readonly folder?: string | null
  readonly risks?: readonly ShownRisk[]
}

const noRisks: readonly ShownRisk[] = []

/** The call. */
export function CallDetail({ tool, input, size, folder = null, risks = noRisks }: Shown) {
  return <Fold isOff={size !== undefined}>{callBody({ tool, input, size, folder, risks })}</Fold>
}

type Body = Required<Omit<Shown, 'size'>> & { readonly size: Shown['size'] | undefined }

function callBody({ tool, input, size, folder, risks }: Body) {
  const key = commandKeys.find((name) => textIn(input, name) !== null)
  if (key !== undefined) return <Command tool={tool} name={key} input={input} risks={risks} />
  const path = textIn(input, 'file_path') ?? textIn(input, 'path')
  const edits = editTextsIn(input)
  if (path !== null && edits.length > 0) {
    const shown = size === 'short' ? null : shortPath(path, folder)
    return <Edits name={path} path={shown} edits={edits} />
  }
  const patch = textIn(input, 'patch')
  if (patch !== null) return <Patch text={patch} />
  if (/mail/i.test(tool) && textIn(input, 'body') !== null) return <Mail input={input} />
  return <Values value={input} />
}

const commandKeys = ['command', 'cmd'] as const

type CommandProps = {
  readonly tool: string
  readonly risks: readonly ShownRisk[]
  /** The field of the input that holds the command. */
  readonly name: (typeof commandKeys)[number]
  readonly input: JsonObject
}

function Command({ tool, name, input, risks }: CommandProps) {
  const { [name]: _, ...rest } = input
  const text = textIn(input, name) ?? ''
  return (
    <div className="stack">
      <pre className="code asked-command">
        <CommandText tool={tool} text={text} risks={risks} />
      </pre>
      {Object.keys(rest).length === 0 ? null : <Values value={rest} />}
    </div>
  )
}

type EditsProps = {
  readonly name: string
  /** Null: what is beside it names the file. */
  readonly path: string | null
  readonly edits: readonly EditTexts[]
}

function Edits({ name, path, edits }: EditsProps) {
  return (
    <figure className="card">
      {path === null ? null : (
        <header>
          <figcaption className="mono wrap">{path}</figcaption>
        </header>
      )}
      {edits.map((edit, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: edits have no other name
        <Diff key={index} before={edit.before} after={edit.after} name={name} />
      ))}
    </figure>
  )
}

type DiffProps = EditTexts & {
  /** The file, whose language gives the colours. */
  readonly name: string
}

/** A change of a text, line by line. */
export function Diff({ before, after, name }: DiffProps) {
  const lines = useMemo(() => diffLines(before, after), [before, after])
  const pieces = useDiffPieces(lines, name)
  let number = 0
  return (
    <pre className="code flat diff">
      {lines.map((line, index) => {
        number += line.kind === 'del' ? 0 : 1
        const sign = line.kind === 'add' ? '+' : line.kind === 'del' ? '−' : ' '
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <span key={index} className={`l ${line.kind}`}>
            <span>{line.kind === 'del' ? '' : number}</span>
            <span>{sign}</span>
            <CodeLine text={line.text} pieces={pieces?.[index]} />
          </span>
        )
      })}
    </pre>
  )
}

function Patch({ text }: { readonly text: string }) {
  return (
    <pre className="code diff">
      {text.split('\n').map((line, index) => {
        const kind = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : 'same'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <span key={index} className={`l ${kind}`}>
            <span />
            <span>{line.slice(0, 1)}</span>
            <span>{line.slice(1)}</span>
          </span>
        )
      })}
    </pre>
  )
}

function Mail({ input }: { readonly input: JsonObject }) {
  const { body, ...head } = input
  return (
    <div className="card">
      <div className="body stack">
        <dl className="facts">
          {Object.entries(head).map(([name, one]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{mailNames[name.toLowerCase()] ?? name}</dt>
              <dd>
                <ValueText value={one} />
              </dd>
            </div>
          ))}
        </dl>
        <pre className="code mail-body">{String(body)}</pre>
      </div>
    </div>
  )
}

const mailNames: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  subject: 'Subject',
}

/** Any object as names and values. */
export function Values({ value }: { readonly value: JsonObject }) {
  const entries = Object.entries(value)
  if (entries.length === 0) return <p className="soft">nothing</p>
  return (
    <dl className="facts">
      {entries.map(([name, one]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt className="mono">{name}</dt>
          <dd>
            <ValueText value={one} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A value: a text as it is, anything else as JSON. */
export function ValueText({ value }: { readonly value: Json | undefined }) {
  if (typeof value === 'string') return <pre className="inline-pre">{value}</pre>
  return <pre className="inline-pre mono">{JSON.stringify(value, null, 2)}</pre>
}

function textIn(input: JsonObject, name: string): string | null {
  const value = input[name]
  return typeof value === 'string' ? value : null
}
