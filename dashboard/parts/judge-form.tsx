/** A form to test how a call would be judged now. Nothing is stored. */
import { type FormEvent, useState } from 'react'
import type { JsonObject } from '../../src/core/json.ts'
import type { OperationAnswer, OperationInput } from '../../src/doors/api/contract.ts'
import { type ApiProblem, callApi, wordsOf } from '../data/api-client.ts'
import { live } from '../data/live-state.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { ProblemBox, StatusBadge } from './basics.tsx'
import { MessageText } from './message-text.tsx'

type Judgement = OperationAnswer<'judge'>

/** The box. */
export function JudgeForm() {
  const { heads } = useValueStore(live)
  const { answer: definitions } = useApiQuery('definitions.list', { limit: 500 })
  const [judgement, setJudgement] = useState<Judgement | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const open = heads.filter((head) => head.endedAt === null)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    setProblem(null)
    try {
      setJudgement(await callApi('judge', wishOf(new FormData(event.currentTarget))))
    } catch (thrown) {
      setJudgement(null)
      setProblem(wordsOf(thrown))
    }
  }
  return (
    <section className="card" aria-label="Judge a call">
      <header>
        <h2 className="grow">What would happen if…</h2>
        <span className="soft small">nothing is stored</span>
      </header>
      <form className="body judge" onSubmit={submit}>
        <label className="field">
          <span>In</span>
          <select className="input" name="place">
            {open.map((head) => (
              <option key={head.id} value={`run:${head.id}`}>
                {head.title ?? head.definition}, in {head.stage}
              </option>
            ))}
            {definitions?.items.map((one) => (
              <option key={one.id} value={`definition:${one.id}`}>
                a new run of {one.name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>an agent calls</span>
          <input className="input" name="tool" defaultValue="Bash" required />
        </label>
        <label className="field grow">
          <span>with a command, or an input as JSON</span>
          <input className="input mono" name="input" defaultValue="git push --force" />
        </label>
        <button type="submit" className="button main-act">
          Judge
        </button>
      </form>
      {problem === null ? null : (
        <div className="body">
          <ProblemBox problem={problem} />
        </div>
      )}
      {judgement === null ? null : <Verdict judgement={judgement} />}
    </section>
  )
}

function wishOf(form: FormData): OperationInput<'judge'> {
  const [kind, id = ''] = String(form.get('place') ?? '').split(/:(.*)/)
  const text = String(form.get('input') ?? '')
  const place = kind === 'run' ? { runId: id } : { definition: id }
  return { ...place, tool: String(form.get('tool') ?? ''), input: inputIn(text) }
}

function inputIn(text: string): JsonObject {
  if (!text.trimStart().startsWith('{')) return text === '' ? {} : { command: text }
  return JSON.parse(text) as JsonObject
}

function Verdict({ judgement }: { readonly judgement: Judgement }) {
  const { verdict, reason, hint, chain, stage } = judgement
  return (
    <div className="body stack" aria-live="polite">
      <div className="row flow">
        <StatusBadge status={verdict} />
        <span className="wrap">
          <MessageText text={reason === '' ? `allowed in \`${stage}\`` : reason} />
        </span>
      </div>
      {hint === '' ? null : (
        <p className="small soft wrap">
          <MessageText text={hint} />
        </p>
      )}
      <ol className="list">
        {chain.map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name
          <li key={index} className="row small" style={{ padding: '4px 0' }}>
            <span className={`badge ${tones[word.says]}`}>
              {word.says === 'nothing' ? 'n/a' : word.says}
            </span>
            <strong>{word.by}</strong>
            <span className="soft wrap grow">
              <MessageText text={word.about} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const tones = { allow: 'good', ask: 'warn', deny: 'bad', nothing: '' } as const
