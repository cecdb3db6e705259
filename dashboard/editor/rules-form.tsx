/** The tools, commands, files and limits of a stage of a workflow. */
import {
  putStageRule,
  type StageRuleField,
  stageRuleFields,
  stageRuleOf,
} from '../../src/core/dialects/edit-rules.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import type { Json } from '../../src/core/json.ts'
import { showToast } from '../parts/toast.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  readonly stage: string
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** The fields; nothing in a dialect whose stages have no rules. */
export function RuleForms({ written, stage, onText }: Props) {
  if (written.machine.dialect !== 'workflow') return null
  return (
    <fieldset className="routes">
      <legend>Tools, commands and limits</legend>
      <div className="rule-grid">
        {stageRuleFields.map((field) => {
          const value = stageRuleOf(written, stage, field.key)
          const put = (next: readonly string[] | number | null): void =>
            onText(putStageRule(written, stage, { key: field.key, value: next }))
          return field.kind === 'list' ? (
            <ListField key={field.key} {...{ field, value, put }} />
          ) : (
            <LimitField key={field.key} {...{ field, value, put }} />
          )
        })}
      </div>
    </fieldset>
  )
}

type FieldProps = {
  readonly field: StageRuleField
  /** Null: the text says nothing of it. */
  readonly value: Json
  readonly put: (value: readonly string[] | number | null) => void
}

/** A list has two kinds of emptiness: nothing is said, or nothing is allowed. */
function ListField({ field: { label, absent }, value, put }: FieldProps) {
  const isSaid = Array.isArray(value)
  return (
    <div className="field">
      <span aria-hidden="true">{label}</span>
      <div className="row">
        <select
          className="input"
          aria-label={`${label}: any, or only some`}
          value={isSaid ? 'some' : 'any'}
          onChange={(event) => put(event.target.value === 'any' ? null : [])}
        >
          <option value="any">{absent}</option>
          <option value="some">only these</option>
        </select>
        {isSaid ? (
          <TextField
            label={label}
            className="mono grow"
            placeholder="none"
            value={value.join(', ')}
            onSettle={(text) => put(itemsIn(text))}
          />
        ) : null}
      </div>
    </div>
  )
}

function itemsIn(text: string): readonly string[] {
  const items = text.split(',').map((one) => one.trim())
  return [...new Set(items.filter((one) => one !== ''))]
}

function LimitField({ field: { label, absent }, value, put }: FieldProps) {
  const settle = (text: string): void => {
    if (text === '') put(null)
    else if (/^[1-9]\d{0,14}$/.test(text)) put(Number(text))
    else showToast('A limit is a whole number from 1.')
  }
  return (
    <div className="field">
      <span aria-hidden="true">{label}</span>
      <TextField
        label={label}
        placeholder={absent}
        value={typeof value === 'number' ? String(value) : ''}
        onSettle={settle}
      />
    </div>
  )
}
