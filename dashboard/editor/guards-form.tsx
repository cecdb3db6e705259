/** The guards of a workflow: edit what each compares, and add one. */
import {
  type Comparison,
  dropGuard,
  guardsOf,
  putGuard,
} from '../../src/core/dialects/edit-route-guard.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import type { Json } from '../../src/core/json.ts'
import { type CompareOp, compareOps } from '../../src/core/machine/machine.ts'
import { AddForm, NamedRow } from './form-row.tsx'
import { guardListId } from './route-form.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** The card; nothing in a dialect without named guards. */
export function GuardForms({ written, onText }: Props) {
  if (written.machine.dialect !== 'workflow') return null
  const guards = Object.entries(guardsOf(written))
  const add = (name: string, field: string): void =>
    onText(putGuard(written, name, { field, op: 'exists', value: null }))
  return (
    <fieldset className="routes">
      <legend>Guards</legend>
      <datalist id={guardListId}>
        {guards.map(([name]) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {guards.map(([name, guard]) => (
        <GuardRow key={name} {...{ written, name, guard, onText }} />
      ))}
      <AddForm
        what="guard"
        subject={{ label: 'Value to test', placeholder: 'value to test' }}
        onAdd={add}
      />
    </fieldset>
  )
}

type RowProps = Props & { readonly name: string; readonly guard: Comparison }

function GuardRow({ written, name, guard, onText }: RowProps) {
  const put = (change: Partial<Comparison>): void => {
    const { field, op, value = null } = { ...guard, ...change }
    onText(putGuard(written, name, { field, op, value: op === 'in' ? listOf(value) : value }))
  }
  const hasValue = guard.op !== 'exists' && guard.op !== 'not_exists'
  return (
    <NamedRow name={name} onRemove={() => onText(dropGuard(written, name))}>
      <TextField
        label={`Value that ${name} tests`}
        className="mono"
        value={guard.field}
        onSettle={(field) => put({ field })}
      />
      <select
        className="input"
        aria-label={`How ${name} compares`}
        value={guard.op}
        onChange={(event) => put({ op: event.target.value as CompareOp })}
      >
        {compareOps.map((op) => (
          <option key={op}>{op}</option>
        ))}
      </select>
      {hasValue ? (
        <TextField
          label={`What ${name} compares with`}
          className="mono"
          value={valueText(guard.value)}
          onSettle={(text) => put({ value: valueIn(text) })}
        />
      ) : null}
    </NamedRow>
  )
}

function listOf(value: Json): Json {
  return Array.isArray(value) ? value : [value]
}

/** A text is shown without quotes, if it would not be taken for something else. */
function valueText(value: Json = null): string {
  return typeof value === 'string' && valueIn(value) === value ? value : JSON.stringify(value)
}

function valueIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
