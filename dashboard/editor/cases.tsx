/**
 * Runs test cases against the text in the editor, in the browser, and shows which stages and
 * routes they cover.
 */
import { type ChangeEvent, useMemo, useState } from 'react'
import { pictureOf } from '../../src/core/draw/picture.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import { plainValue } from '../../src/core/source/source.ts'
import {
  type Case,
  type CaseResult,
  type Coverage,
  caseSource,
  checkCases,
  mergeCoverage,
  playCase,
} from '../../src/testing/index.ts'
import type { Trace } from '../data/run-trace.ts'
import { LimitBar } from '../parts/basics.tsx'
import { Graph } from '../parts/graph.tsx'
import type { CompiledText } from './compile-text.ts'
import { useDraft } from './drafts.ts'

type Played =
  | { readonly ok: true; readonly results: readonly CaseResult[] }
  | { readonly ok: false; readonly problem: string }

function exampleFor({ machine }: CompiledText): string {
  const stage = machine?.initial ?? 'start'
  return `\
- id: it-starts
  title: a run starts in ${stage}
  definition_file: this
  steps:
    - wait: 1s
      expect: { stage: ${stage} }
`
}

type PanelProps = {
  /** The definition whose cases they are. */
  readonly id: string
  readonly understood: CompiledText
}

/** The pane. */
export function CasesPanel({ id, understood }: PanelProps) {
  const [example] = useState(() => exampleFor(understood))
  const { text, setText } = useDraft(`cases of ${id}`, example)
  const [played, setPlayed] = useState<Played | null>(null)
  const load = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.target.files?.[0]
    if (file !== undefined) setText(await file.text())
  }
  return (
    <div className="play">
      <div className="stack">
        <p className="soft small">
          Cases describe what must happen. <code>definition_file</code> always means the text in
          this editor, whatever file it names.
        </p>
        <textarea
          className="input mono case-text"
          aria-label="Cases"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="row flow">
          <button
            type="button"
            className="button main-act"
            onClick={() => setPlayed(playAll(text, understood))}
          >
            Run the cases
          </button>
          <label className="button">
            Load a file
            <input className="hidden-text" type="file" accept=".json,.yaml,.yml" onChange={load} />
          </label>
        </div>
      </div>
      <div className="stack">
        {played === null ? (
          <p className="soft">The stages and routes they cover are shown here after a run.</p>
        ) : played.ok ? (
          <Results results={played.results} understood={understood} />
        ) : (
          <p className="problem">{played.problem}</p>
        )}
      </div>
    </div>
  )
}

function playAll(text: string, { root }: CompiledText): Played {
  const reading = readSource(text)
  if (reading.root === null)
    return failed(reading.findings[0]?.message ?? 'the text cannot be parsed')
  if (root === null) return failed('the definition cannot be parsed')
  const wrong = checkCases(reading.root).find((one) => one.severity === 'error')
  if (wrong !== undefined) return failed(wrong.message)
  const nodes = reading.root.kind === 'list' ? reading.root.items : [reading.root]
  // WHY the cast: the shape was checked right above.
  const results = nodes.map((node) =>
    playCase(caseSource(plainValue(node) as unknown as Case, node, root)),
  )
  return { ok: true, results }
}

function failed(problem: string): Played {
  return { ok: false, problem }
}

type ResultsProps = { readonly results: readonly CaseResult[]; readonly understood: CompiledText }

function Results({ results, understood }: ResultsProps) {
  const { machine } = understood
  const coverages = results.flatMap((one) => (one.coverage === null ? [] : [one.coverage]))
  const first = coverages[0]
  const coverage = first && coverages.slice(1).reduce<Coverage>(mergeCoverage, first)
  const picture = useMemo(() => (machine === null ? null : pictureOf(machine)), [machine])
  const trace = useMemo(() => traceOfCoverage(coverage), [coverage])
  return (
    <>
      <ul className="card list">
        {results.map((one) => (
          <li key={one.id} style={{ padding: '8px 14px' }}>
            <div className="row">
              <span className={`badge ${one.ok ? 'good' : 'bad'}`}>
                {one.ok ? 'holds' : 'fails'}
              </span>
              <span className="grow">{one.title}</span>
            </div>
            {one.failures.map((failure, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: failures have no other name
              <p key={index} className="small bad wrap">
                step {failure.step ?? 'start'}, {failure.path}: expected{' '}
                {JSON.stringify(failure.expected)}, saw {JSON.stringify(failure.actual)}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {coverage === undefined ? null : (
        <>
          <LimitBar
            name="Stages entered"
            used={coverage.stages.seen.length}
            max={coverage.stages.all.length}
          />
          <LimitBar
            name="Routes taken"
            used={coverage.routes.seen.length}
            max={coverage.routes.all.length}
          />
        </>
      )}
      {picture === null ? null : (
        <div className="card graph-card">
          <Graph picture={picture} trace={trace} here={new Set()} />
        </div>
      )}
    </>
  )
}

function traceOfCoverage(coverage: Coverage | undefined): Trace {
  const visits = new Map((coverage?.stages.seen ?? []).map((stage) => [stage, 1]))
  const none = new Map<string, number>()
  return { visits, steps: none, refusedSignals: none, denied: none, members: [] }
}
