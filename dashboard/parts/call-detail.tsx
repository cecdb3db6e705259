/** A tool call for an approval: the command, the edit as a diff, or the mail; always complete. */
import type { Json, JsonObject } from '../../src/core/json.ts'
import { commonToolOf } from '../../src/core/tools/tool-names.ts'
import { shortPath } from './approval-summary.tsx'
import { diffLines } from './diff-lines.ts'
import { ShellCommand } from './highlight.tsx'

type Shown = {
  readonly tool: string
  readonly input: JsonObject
  /** In short: without what a title beside it says already. */
  readonly size?: 'short'
  /** Paths in it are told from there on. */
  readonly folder?: string | null
}

/** The call. */
export function CallDetail({ tool, input, size, folder = null }: Shown) {
  const key = commandKeys.find((name) => textIn(input, name) !== null)
  if (key !== undefined) return <Command tool={tool} name={key} input={input} />
  const path = textIn(input, 'file_path') ?? textIn(input, 'path')
  const edits = editsIn(input)
  if (path !== null && edits.length > 0) {
    return <Edits path={size === 'short' ? null : shortPath(path, folder)} edits={edits} />
  }
  const patch = textIn(input, 'patch')
  if (patch !== null) return <Patch text={patch} />
  if (/mail/i.test(tool) && textIn(input, 'body') !== null) return <Mail input={input} />
  return <Values value={input} />
}

const commandKeys = ['command', 'cmd'] as const

type CommandProps = {
  readonly tool: string
  /** The field of the input that holds the command. */
  readonly name: (typeof commandKeys)[number]
  readonly input: JsonObject
}

function Command({ tool, name, input }: CommandProps) {
  const { [name]: _, ...rest } = input
  const text = textIn(input, name) ?? ''
  return (
    <div className="stack">
      <pre className="code asked-command">
        {bashTools.has(commonToolOf(tool) ?? '') ? <ShellCommand text={text} /> : text}
      </pre>
      {Object.keys(rest).length === 0 ? null : <Values value={rest} />}
    </div>
  )
}

/** Tools whose command bash reads; what another one means by it is drawn plainly. */
const bashTools: ReadonlySet<string> = new Set(['Bash', 'Monitor'])

type Edit = { readonly before: string; readonly after: string }

function editsIn(input: JsonObject): readonly Edit[] {
  const list = Array.isArray(input.edits) ? input.edits : [input]
  return list.flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return []
    const edit = one as JsonObject
    const after = textIn(edit, 'new_string') ?? textIn(edit, 'content')
    return after === null ? [] : [{ before: textIn(edit, 'old_string') ?? '', after }]
  })
}

function Edits({ path, edits }: { readonly path: string | null; readonly edits: readonly Edit[] }) {
  return (
    <figure className="card">
      {path === null ? null : (
        <header>
          <figcaption className="mono wrap">{path}</figcaption>
        </header>
      )}
      {edits.map((edit, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: edits have no other name
        <Diff key={index} before={edit.before} after={edit.after} />
      ))}
    </figure>
  )
}

/** A change of a text, line by line. */
export function Diff({ before, after }: Edit) {
  const lines = diffLines(before, after)
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
            <span>{line.text}</span>
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
        <Values value={head} />
        <pre className="code mail-body">{String(body)}</pre>
      </div>
    </div>
  )
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
