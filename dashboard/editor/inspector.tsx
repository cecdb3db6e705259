/**
 * The visual half of the editor: name, instructions, rules and routes of the selected stage, and
 * the guards. Every change is made in the text.
 */
import '../styles/editor.css'
import { useState } from 'react'
import { editStage, type StageEdit } from '../../src/core/dialects/edit-stage.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import { stageReferences } from '../../src/core/dialects/stage-references.ts'
import type { Stage } from '../../src/core/machine/machine.ts'
import { showToast } from '../parts/toast.tsx'
import { EvidenceForms } from './evidence-form.tsx'
import { AddForm } from './form-row.tsx'
import { GuardForms } from './guards-form.tsx'
import { RouteForms } from './route-form.tsx'
import { RuleForms } from './rules-form.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  /** Null: the text has errors. */
  readonly written: EditableDefinition | null
  readonly chosen: string | null
  readonly onChoose: (stage: string | null) => void
  readonly onText: (text: string) => void
}

/** The form below the graph. */
export function Inspector({ written, chosen, onChoose, onText }: Props) {
  if (written === null) {
    return <p className="soft small">Fix the errors in the text to edit the graph.</p>
  }
  const { machine } = written
  const stage = chosen === null ? undefined : machine.stages[chosen]
  const take = (next: string | null): boolean => {
    if (next === null) showToast('This change cannot be made here; edit the text instead.')
    else onText(next)
    return next !== null
  }
  const apply = (edit: StageEdit): void => {
    if (!take(editStage(written, edit))) return
    if (edit.kind === 'rename-stage') onChoose(edit.to)
    if (edit.kind === 'add-stage') onChoose(edit.stage)
    if (edit.kind === 'remove-stage') onChoose(null)
  }
  return (
    <section className="card pad stack inspector" aria-label="Edit the graph">
      <div className="route-row">
        <select
          className="input"
          aria-label="Stage"
          value={stage?.name ?? ''}
          onChange={(event) => onChoose(event.target.value || null)}
        >
          <option value="">Select a stage</option>
          {Object.keys(machine.stages).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <AddForm what="stage" onAdd={(name) => apply({ kind: 'add-stage', stage: name })} />
      </div>
      {stage === undefined ? null : (
        <StageForm written={written} stage={stage} onEdit={apply} onText={take} />
      )}
      <GuardForms written={written} onText={take} />
      <EvidenceForms written={written} onText={take} />
    </section>
  )
}

type StageFormProps = {
  readonly written: EditableDefinition
  readonly stage: Stage
  readonly onEdit: (edit: StageEdit) => void
}
type TextProps = { readonly onText: (text: string | null) => void }

function StageForm({ written, stage, onEdit, onText }: StageFormProps & TextProps) {
  const { name } = stage
  const isEnd = stage.final !== null && written.machine.dialect === 'workflow'
  return (
    <div className="stack">
      <div className="row flow">
        <div className="field grow">
          <span aria-hidden="true">Name</span>
          <TextField
            label="Name of the stage"
            className="mono"
            value={name}
            onSettle={(to) => onEdit({ kind: 'rename-stage', stage: name, to })}
          />
        </div>
        <RemoveStage key={name} written={written} stage={stage} onEdit={onEdit} />
      </div>
      <div className="field">
        <span aria-hidden="true">Instructions for the agent</span>
        <TextField
          label="Instructions for the agent"
          lines="many"
          value={stage.brief[0]?.text ?? ''}
          onSettle={(brief) => onEdit({ kind: 'tell', stage: name, brief })}
        />
      </div>
      {isEnd ? null : <RuleForms written={written} stage={name} onText={onText} />}
      {isEnd ? null : (
        <RouteForms written={written} stage={stage} onEdit={onEdit} onText={onText} />
      )}
    </div>
  )
}

/** What leads to a stage has to lead somewhere else first. */
function RemoveStage({ written, stage, onEdit }: StageFormProps) {
  const others = Object.keys(written.machine.stages).filter((name) => name !== stage.name)
  const [isAsking, setAsking] = useState(false)
  const [instead, setInstead] = useState(others[0] ?? '')
  const isReached = stageReferences(written.root, written.machine, stage.name).length > 0
  const remove = (to: string | null): void =>
    onEdit({ kind: 'remove-stage', stage: stage.name, instead: to })
  if (!isAsking) {
    return (
      <button
        type="button"
        className="button danger"
        disabled={others.length === 0}
        onClick={() => (isReached ? setAsking(true) : remove(null))}
      >
        Remove stage
      </button>
    )
  }
  return (
    <div className="row flow">
      <label className="row">
        <span className="soft small">Redirect its routes to</span>
        <select
          className="input"
          value={instead}
          onChange={(event) => setInstead(event.target.value)}
        >
          {others.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" className="button danger" onClick={() => remove(instead)}>
        Remove
      </button>
      <button type="button" className="button plain" onClick={() => setAsking(false)}>
        Cancel
      </button>
    </div>
  )
}
