/**
 * The visual half of the editor: the stage that is chosen in the graph, its words and its routes;
 * every change is made in the text.
 */
import { type FormEvent, useEffect, useState } from 'react'
import { editStage, type StageEdit } from '../../src/core/dialects/edit-stage.ts'
import type { Stage } from '../../src/core/machine/machine.ts'
import { say } from '../parts/toast.tsx'
import type { Understood } from './compiled.ts'

type Props = {
  readonly understood: Understood
  readonly chosen: string | null
  readonly onText: (text: string) => void
}

/** The form below the graph. */
export function Inspector({ understood, chosen, onText }: Props) {
  const { machine, dialect, text } = understood
  const stage = chosen === null ? undefined : machine?.stages[chosen]
  const apply = (edit: StageEdit): void => {
    const next = dialect === null ? null : editStage(text, dialect, edit)
    if (next === null) say('The text does not take this change; edit it by hand.')
    else onText(next)
  }
  if (machine === null) {
    return <p className="soft small">The graph can be edited again when the text has no errors.</p>
  }
  return (
    <div className="stack">
      {stage === undefined ? (
        <p className="soft small">Choose a stage in the graph to change it here.</p>
      ) : (
        <StageForm
          key={stage.name}
          stage={stage}
          stages={Object.keys(machine.stages)}
          onEdit={apply}
        />
      )}
      <NamedForm
        label="New stage"
        button="Add stage"
        onName={(name) => apply({ kind: 'add-stage', stage: name })}
      />
    </div>
  )
}

type StageFormProps = {
  readonly stage: Stage
  readonly stages: readonly string[]
  readonly onEdit: (edit: StageEdit) => void
}

function StageForm({ stage, stages, onEdit }: StageFormProps) {
  const brief = stage.brief.map((part) => part.text).join('\n')
  const [words, setWords] = useState(brief)
  const [target, setTarget] = useState(stages[0] ?? '')
  useEffect(() => setWords(brief), [brief])
  const { name } = stage
  return (
    <div className="stack">
      <div className="row">
        <h3 className="grow mono">{name}</h3>
        <button
          type="button"
          className="button danger"
          onClick={() => onEdit({ kind: 'remove-stage', stage: name })}
        >
          Remove
        </button>
      </div>
      <label className="field">
        <span>What the agent is told</span>
        <textarea
          className="input"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onBlur={() => {
            if (words !== brief) onEdit({ kind: 'tell', stage: name, brief: words })
          }}
        />
      </label>
      <ul className="chips" aria-label="Signals">
        {Object.keys(stage.signals).map((signal) => (
          <li key={signal}>
            <button
              type="button"
              className="chip"
              title={`Remove ${signal}`}
              onClick={() => onEdit({ kind: 'remove-route', stage: name, signal })}
            >
              {signal || 'submit'} ×
            </button>
          </li>
        ))}
      </ul>
      <div className="row flow">
        <NamedForm
          label="New signal"
          button="Add route"
          onName={(signal) => onEdit({ kind: 'add-route', stage: name, signal, target })}
        >
          <select
            className="input"
            aria-label="Where it leads"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          >
            {stages.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </NamedForm>
      </div>
    </div>
  )
}

function NamedForm(props: {
  readonly label: string
  readonly button: string
  readonly onName: (name: string) => void
  readonly children?: React.ReactNode
}) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim()
    if (name !== '') props.onName(name)
    event.currentTarget.reset()
  }
  return (
    <form className="row grow" onSubmit={submit}>
      <input
        className="input"
        name="name"
        placeholder={props.label}
        aria-label={props.label}
        autoComplete="off"
      />
      {props.children}
      <button type="submit" className="button">
        {props.button}
      </button>
    </form>
  )
}
