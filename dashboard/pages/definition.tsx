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
  rangeOfPointer,
  rangeOfStage,
  stageAt,
} from '../editor/compile-text.ts'
import { definitionTemplates } from '../editor/definition-templates.ts'
import { type Draft, keptDraft, useDraft } from '../editor/drafts.ts'
import { FindingList } from '../editor/findings.tsx'
import { Inspector } from '../editor/inspector.tsx'
import { PlayPanel } from '../editor/play.tsx'
import { usePublish } from '../editor/use-publish.tsx'
import { workTemplates } from '../editor/work-templates.ts'
import { PageHead, ProblemBox, Skeleton, Time } from '../parts/basics.tsx'
import { countOf } from '../parts/format-values.ts'
import { Graph } from '../parts/graph.tsx'
import { showToast } from '../parts/toast.tsx'

/** The page. */
export function DefinitionPage({ route }: { readonly route: PageRoute }) {
  const [what, pointer = null] = route.rest
  return route.id === 'new' ? (
    <NewDefinition />
  ) : (
    <StoredDefinition id={route.id} pointer={what === 'at' ? pointer : null} />
  )
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
      <PageHead title="New definition" about="Choose a kind of definition, or a template." />
      <TemplateChoice templates={definitionTemplates} onChoose={setText} />
      <h2 className="choices-title">Templates for common work</h2>
      <TemplateChoice templates={workTemplates} onChoose={setText} />
    </>
  )
}

type Template = { readonly title: string; readonly about: string; readonly source: string }
type ChoiceProps = {
  readonly templates: readonly Template[]
  readonly onChoose: (source: string) => void
}

function TemplateChoice({ templates, onChoose }: ChoiceProps) {
  return (
    <div className="two">
      {templates.map(({ title, about, source }) => (
        <button
          key={title}
          type="button"
          className="card pad stack choice"
          onClick={() => onChoose(source)}
        >
          <h3>{title}</h3>
          <span className="soft">{about}</span>
        </button>
      ))}
    </div>
  )
}

type StoredProps = {
  readonly id: string
  /** The rule to show at first; null: the beginning. */
  readonly pointer: string | null
}

function StoredDefinition({ id, pointer }: StoredProps) {
  const { answer, problem } = useApiQuery('definitions.read', { id })
  if (problem !== null) return <ProblemBox problem={problem} />
  if (answer === null) return <Skeleton lines={10} />
  return (
    <Workbench
      id={answer.id}
      name={answer.name}
      source={answer.source}
      version={answer.version}
      pointer={pointer}
    />
  )
}

type BenchProps = {
  /** Null: it is not stored yet. */
  readonly id: string | null
  readonly name: string
  readonly source: string
  readonly version?: number
  readonly pointer?: string | null
  readonly onDiscard?: () => void
}

const panes = ['Edit', 'Play', 'Cases', 'Compare'] as const
type Pane = (typeof panes)[number]
const settleMs = 120

function Workbench({ id, name, source, version = 0, pointer = null, onDiscard }: BenchProps) {
  const [pane, setPane] = useState<Pane>('Edit')
  const draft = useDraft(id ?? 'new', source)
  const { text, setText } = draft
  const [discards, setDiscards] = useState(0)
  const [published, setPublished] = useState({ version, source })
  const [understood, understandNow] = useUnderstood(text)
  const { publish, dialog } = usePublish(id, (stored, source) => {
    setPublished({ version: stored.version, source })
    draft.settle(source)
    if (id === null) goTo('definitions', stored.id)
  })
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
          onPublish={() => publish(text)}
        />
      </PageHead>
      {dialog}
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
            pointer={pointer}
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
  /** The rule to show at first; null: the beginning. */
  readonly pointer: string | null
  readonly text: string
  readonly understood: CompiledText
  readonly onText: (text: string) => void
  /** The text was changed from the graph, and is shown there at once. */
  readonly onDrawn: (text: string) => void
}

/** Shows the place of a rule, once. */
function useShownRule(
  editor: React.RefObject<EditorHandle | null>,
  understood: CompiledText,
  pointer: string | null,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: however the text changes
  useEffect(() => {
    const range = pointer === null ? null : rangeOfPointer(understood, pointer)
    if (range !== null) editor.current?.show(range)
  }, [pointer])
}

function EditPane({ text, understood, pointer, onText, onDrawn }: EditProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const editor = useRef<EditorHandle>(null)
  useShownRule(editor, understood, pointer)
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
