/**
 * The text editor of a definition: highlighting, completion from the schema, and findings in
 * place. It lives in a shadow root, where its inline styles are allowed by the page's content
 * security policy.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { type ChangeSpec, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { Range } from '../../src/core/source/source.ts'
import type { PlacedFinding } from './compile-text.ts'
import { completeFrom, type KnownNames } from './complete.ts'

export type EditorHandle = {
  readonly show: (range: Range) => void
  readonly replace: (text: string) => void
}

type Props = {
  readonly initial: string
  readonly format: 'json' | 'yaml'
  readonly findings: readonly PlacedFinding[]
  readonly known: KnownNames
  readonly mode: 'write' | 'read'
  readonly onChange: (text: string) => void
  readonly onCursor: (offset: number) => void
  readonly handle: Ref<EditorHandle>
}

/** The editor; fills the box that it is in. */
export function CodeEditor(props: Props) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  const { format, mode } = props
  useEffect(() => {
    if (place.current === null) return
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' })
    const opened = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.initial,
        extensions: [...extensionsFor(format), ears(() => latest.current), access(mode)],
      }),
    })
    editor.current = opened
    return () => {
      opened.destroy()
      editor.current = null
    }
  }, [format, mode])
  useEffect(() => {
    const opened = editor.current
    if (opened !== null)
      opened.dispatch(setDiagnostics(opened.state, marksOf(props.findings, opened)))
  }, [props.findings])
  useImperativeHandle(props.handle, () => ({
    show: ({ start }) => {
      const opened = editor.current
      if (opened === null) return
      const anchor = Math.min(start, opened.state.doc.length)
      const effects = EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 40 })
      opened.dispatch({ selection: { anchor }, effects })
      opened.focus()
    },
    replace: (text) => {
      const opened = editor.current
      opened?.dispatch({ changes: changeTo(opened.state.doc.toString(), text) })
    },
  }))
  return <div ref={place} className="code-editor" />
}

/** Only what differs, so that the place of the reader and the way back stay. */
function changeTo(was: string, now: string): ChangeSpec {
  const room = Math.min(was.length, now.length)
  let from = 0
  while (from < room && was[from] === now[from]) from += 1
  let tail = 0
  while (tail < room - from && was.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  return { from, to: was.length - tail, insert: now.slice(from, now.length - tail) }
}

function extensionsFor(format: 'json' | 'yaml'): readonly Extension[] {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    format === 'json' ? json() : yaml(),
    syntaxHighlighting(colours),
    look,
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ]
}

function access(mode: Props['mode']): Extension {
  const label = EditorView.contentAttributes.of({
    'aria-label': 'Text of the definition',
    tabindex: '0',
  })
  return [label, EditorState.readOnly.of(mode === 'read')]
}

/** What happens in it is told to whoever shows it now. */
function ears(latest: () => Props): Extension {
  return [
    autocompletion({ override: [completeFrom(() => latest().known)] }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest().onChange(update.state.doc.toString())
      // WHY not every change: what the graph has changed leaves the chosen stage chosen.
      const isTyped = update.transactions.some(
        (one) => one.isUserEvent('input') || one.isUserEvent('delete'),
      )
      if (update.selectionSet || isTyped) {
        latest().onCursor(update.state.selection.main.head)
      }
    }),
  ]
}

function marksOf(findings: readonly PlacedFinding[], opened: EditorView): Diagnostic[] {
  const { length } = opened.state.doc
  return findings.map(({ range, severity, code, message, hint }) => {
    const from = Math.min(range.start, length)
    const to = Math.min(Math.max(range.end, from), length)
    const words = hint === '' ? message : `${message}\n${hint}`
    return { from, to, severity, source: code, message: words }
  })
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation], color: 'var(--soft)' },
])

const look = EditorView.theme({
  '&': { height: '100%', background: 'var(--raised)', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 22%, transparent) !important',
  },
  '.cm-tooltip': {
    background: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '280px' },
  // WHY not its own pictures: they bring styles of their own, which the policy forbids.
  '.cm-lintRange': { backgroundImage: 'none !important', paddingBottom: '1px' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad) 1.5px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn) 1.5px' },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'pre-wrap' },
})
