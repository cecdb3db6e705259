/**
 * One definition: its text and graph side by side, findings while typing, playing it, its cases
 * and versions, and publishing.
 */
import { useEffect, useMemo, useRef, useState } from 'react'
import { pictureOf } from '../../src/core/draw/picture.ts'
import { callApi, wordsOf } from '../data/api-client.ts'
import { live } from '../data/live-state.ts'
import { goTo, type PageRoute } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { CasesPanel } from '../editor/cases.tsx'
import { CodeEditor, type EditorHandle } from '../editor/code-editor.tsx'
import { ComparePanel } from '../editor/compare.tsx'
import {
  type CompiledText,
  compileText,
  editableDefinitionOf,
  rangeOfStage,
  stageAt,
} from '../editor/compile-text.ts'
import { definitionTemplates } from '../editor/definition-templates.ts'
import { type Draft, keptDraft, useDraft } from '../editor/drafts.ts'
import { FindingList } from '../editor/findings.tsx'
import { Inspector } from '../editor/inspector.tsx'
import { PlayPanel } from '../editor/play.tsx'
import { PageHead, ProblemBox, Skeleton, Time } from '../parts/basics.tsx'
import { countOf } from '../parts/format-values.ts'
import { Graph } from '../parts/graph.tsx'
import { showToast } from '../parts/toast.tsx'

/** The page. */
export function DefinitionPage({ route }: { readonly route: PageRoute }) {
  return route.id === 'new' ? <NewDefinition /> : <StoredDefinition id={route.id} />
}

function NewDefinition() {
  const [text, setText] = useState<string | null>(() => keptDraft('new', null)?.base ?? null)
  if (text !== null) {
    return (
      <Workbench id={null} name="New definition" source={text} onDiscard={() => setText(null)} />
    )
  }
  return (
    <>
      <PageHead title="New definition" about="Choose a kind of definition." />
      <div className="two">
        {definitionTemplates.map((one) => (
          <button
            key={one.dialect}
            type="button"
            className="card pad stack choice"
            onClick={() => setText(one.source)}
          >
            <h2>{one.title}</h2>
            <span className="soft">{one.about}</span>
          </button>
        ))}
      </div>
    </>
  )
}

function StoredDefinition({ id }: { readonly id: string }) {
  const { answer, problem } = useApiQuery('definitions.read', { id })
  if (problem !== null) return <ProblemBox problem={problem} />
  if (answer === null) return <Skeleton lines={10} />
  return (
    <Workbench id={answer.id} name={answer.name} source={answer.source} version={answer.version} />
  )
}

type BenchProps = {
  /** Null: it is not stored yet. */
  readonly id: string | null
  readonly name: string
  readonly source: string
  readonly version?: number
  readonly onDiscard?: () => void
}

const panes = ['Edit', 'Play', 'Cases', 'Compare'] as const
type Pane = (typeof panes)[number]
const settleMs = 120

function Workbench({ id, name, source, version = 0, onDiscard }: BenchProps) {
  const [pane, setPane] = useState<Pane>('Edit')
  const draft = useDraft(id ?? 'new', source)
  const { text, setText } = draft
  const [discards, setDiscards] = useState(0)
  const [published, setPublished] = useState({ version, source })
  const [understood, understandNow] = useUnderstood(text)
  const publish = async (): Promise<void> => {
    const stored = await publishSource(id, text)
    if (stored === null) return
    setPublished({ version: stored.version, source: text })
    draft.settle(text)
    if (id === null) goTo('definitions', stored.id)
  }
  return (
    <>
      <PageHead
        title={name}
        about={
          published.version === 0
            ? 'not published yet'
            : `version ${published.version}${text === published.source ? '' : ', with changes'}`
        }
      >
        <Actions
          understood={understood}
          isChanged={text !== published.source || id === null}
          name={id === null ? null : name}
          onPublish={publish}
        />
      </PageHead>
      <DraftNotice
        draft={draft}
        onDiscard={() => {
          draft.discard()
          setDiscards((count) => count + 1)
          onDiscard?.()
        }}
      />
      <Tabs pane={pane} isStored={id !== null} onPane={setPane} />
      <div className="bench">
        {pane === 'Edit' ? (
          <EditPane
            key={discards}
            text={text}
            understood={understood}
            onText={setText}
            onDrawn={understandNow}
          />
        ) : pane === 'Compare' && id !== null ? (
          <ComparePanel key={published.version} id={id} text={text} />
        ) : understood.machine === null ? (
          <FindingList findings={understood.findings} onShow={() => setPane('Edit')} />
        ) : pane === 'Play' ? (
          <PlayPanel
            key={understood.machine.hash}
            machine={understood.machine}
            machines={understood.machines}
          />
        ) : (
          <CasesPanel id={id ?? 'new'} understood={understood} />
        )}
      </div>
    </>
  )
}

type Stored = { readonly id: string; readonly version: number }

/** Publishes a text, and says so; null: it was refused, which was said as well. */
async function publishSource(id: string | null, source: string): Promise<Stored | null> {
  try {
    const { definition } = await (id === null
      ? callApi('definitions.create', { source })
      : callApi('definitions.update', { id, source }))
    showToast(`Version ${definition.version} of ${definition.name} is published. New runs use it.`)
    return definition
  } catch (thrown) {
    const { detail, hint } = wordsOf(thrown)
    showToast(hint === '' ? detail : `${detail}: ${hint}`)
    return null
  }
}

type NoticeProps = { readonly draft: Draft; readonly onDiscard: () => void }

/** Says that the text is a draft from before, or that it cannot be kept. */
function DraftNotice({ draft, onDiscard }: NoticeProps) {
  const { restoredAt, isStale, isUnkept } = draft
  if (isUnkept) {
    return (
      <p className="note-box small" role="alert">
        This browser cannot keep the draft. Publish it, or copy it, before you leave the page.
      </p>
    )
  }
  if (restoredAt === null) return null
  return (
    <div className="note-box small row flow" role="status">
      <span className="grow">
        Your unpublished changes from <Time at={restoredAt} /> were restored.
        {isStale ? ' Another version was published since then: see Compare.' : ''}
      </span>
      <button type="button" className="button" onClick={onDiscard}>
        Discard the draft
      </button>
    </div>
  )
}

type TabsProps = {
  readonly pane: Pane
  readonly isStored: boolean
  readonly onPane: (pane: Pane) => void
}

function Tabs({ pane, isStored, onPane }: TabsProps) {
  return (
    <div className="tabs" role="tablist" aria-label="Views">
      {panes
        .filter((one) => isStored || one !== 'Compare')
        .map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={pane === one}
            onClick={() => onPane(one)}
          >
            {one}
          </button>
        ))}
    </div>
  )
}

type ActionsProps = {
  readonly understood: CompiledText
  readonly isChanged: boolean
  readonly name: string | null
  readonly onPublish: () => void
}

function Actions({ understood, isChanged, name, onPublish }: ActionsProps) {
  const { me } = useValueStore(live)
  const errors = understood.findings.filter((one) => one.severity === 'error').length
  if (me === null || (me.access !== 'author' && me.access !== 'admin')) return null
  const start = async (definition: string, task: string): Promise<void> => {
    try {
      const { runId } = await callApi('runs.start', { definition, task })
      goTo('runs', runId)
    } catch (thrown) {
      showToast(wordsOf(thrown).detail)
    }
  }
  return (
    <span className="row">
      {name === null
        ? null
        : understood.machines.map((one) => (
            <button
              key={one.name}
              type="button"
              className="button"
              disabled={isChanged}
              onClick={() => start(name, one.name)}
            >
              {understood.machines.length === 1 ? 'Start a run' : `Start ${one.name}`}
            </button>
          ))}
      <button
        type="button"
        className="button main-act"
        disabled={!understood.isGood || !isChanged}
        title={errors > 0 ? `Fix ${countOf(errors, 'error')} first` : undefined}
        onClick={onPublish}
      >
        Publish
      </button>
    </span>
  )
}

type EditProps = {
  readonly text: string
  readonly understood: CompiledText
  readonly onText: (text: string) => void
  /** The text was changed from the graph, and is shown there at once. */
  readonly onDrawn: (text: string) => void
}

function EditPane({ text, understood, onText, onDrawn }: EditProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const editor = useRef<EditorHandle>(null)
  const { me } = useValueStore(live)
  const mode = me?.access === 'viewer' || me?.access === 'approver' ? 'read' : 'write'
  // What was last free of errors stays in sight while somebody types.
  const good = useRef(understood.machine)
  if (understood.machine !== null) good.current = understood.machine
  const machine = good.current
  const picture = useMemo(() => (machine === null ? null : pictureOf(machine)), [machine])
  const known = {
    dialect: understood.dialect ?? machine?.dialect ?? 'workflow',
    stages: Object.keys(machine?.stages ?? {}),
  } as const
  const choose = (stage: string): void => {
    setChosen(stage)
    const range = rangeOfStage(understood, stage)
    if (range !== null) editor.current?.show(range)
  }
  return (
    <div className="edit">
      <div className="card edit-text">
        <CodeEditor
          initial={text}
          format={text.trimStart().startsWith('{') ? 'json' : 'yaml'}
          findings={understood.findings}
          known={known}
          mode={mode}
          onChange={onText}
          onCursor={(offset) => setChosen(stageAt(understood, offset))}
          handle={editor}
        />
      </div>
      <div className="stack">
        <FindingList
          findings={understood.findings}
          onShow={(range) => editor.current?.show(range)}
        />
        <div className="card graph-card">
          {picture === null ? (
            <p className="soft" style={{ padding: 16 }}>
              Fix the errors in the text to see the graph.
            </p>
          ) : (
            <Graph
              picture={picture}
              trace={null}
              here={new Set()}
              chosen={chosen}
              onStage={choose}
            />
          )}
        </div>
        {mode === 'read' ? null : (
          <Inspector
            written={editableDefinitionOf(understood)}
            chosen={chosen}
            onChoose={setChosen}
            onText={(next) => {
              editor.current?.replace(next)
              onDrawn(next)
            }}
          />
        )}
      </div>
    </div>
  )
}

/** CompiledText anew when the typing rests for a moment, or at once on demand. */
function useUnderstood(text: string): readonly [CompiledText, (text: string) => void] {
  const [understood, setUnderstood] = useState(() => compileText(text))
  const isDone = understood.text === text
  useEffect(() => {
    if (isDone) return
    const timer = setTimeout(() => setUnderstood(compileText(text)), settleMs)
    return () => clearTimeout(timer)
  }, [text, isDone])
  return [understood, (next) => setUnderstood(compileText(next))]
}
