/** The guards of a workflow that want evidence: the command, how it ended, and how fresh it is. */
import type { ReactNode } from 'react'
import { dropGuard } from '../../src/core/dialects/edit-route-guard.ts'
import {
  type EvidenceGuard,
  evidenceGuardsOf,
  putEvidenceGuard,
} from '../../src/core/dialects/edit-rules.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import { showToast } from '../parts/toast.tsx'
import { AddForm, NamedRow } from './form-row.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** The list, and the form for one more. */
export function EvidenceForms({ written, onText }: Props) {
  if (written.machine.dialect !== 'workflow') return null
  const add = (name: string, evidence: string): void => {
    const usual = { exit: 0, tests_min: null, fresh: true }
    onText(putEvidenceGuard(written, name, { evidence, ...usual }))
  }
  return (
    <fieldset className="routes">
      <legend>Evidence: guards based on commands that Pawl saw</legend>
      {Object.entries(evidenceGuardsOf(written)).map(([name, guard]) => (
        <EvidenceRow key={name} {...{ written, name, guard, onText }} />
      ))}
      <AddForm
        what="evidence"
        subject={{ label: 'Command that proves it', placeholder: 'npm test' }}
        onAdd={add}
      />
    </fieldset>
  )
}

type RowProps = Props & { readonly name: string; readonly guard: EvidenceGuard }

function EvidenceRow({ written, name, guard, onText }: RowProps) {
  const put = (change: Partial<EvidenceGuard>): void =>
    onText(putEvidenceGuard(written, name, { ...guard, ...change }))
  const settleExit = (text: string): void => {
    if (text === '' || text === 'nonzero') put({ exit: text === '' ? null : text })
    else if (/^\d{1,3}$/.test(text)) put({ exit: Number(text) })
    else showToast('An exit code is a number, or `nonzero` for any failure.')
  }
  const settleTests = (text: string): void => {
    if (text === '') put({ tests_min: null })
    else if (/^[1-9]\d{0,8}$/.test(text)) put({ tests_min: Number(text) })
    else showToast('The number of tests is a whole number from 1.')
  }
  return (
    <NamedRow name={name} onRemove={() => onText(dropGuard(written, name))}>
      <TextField
        label={`Command of ${name}`}
        className="mono"
        value={guard.evidence}
        onSettle={(evidence) => put({ evidence })}
      />
      <Part name="exit code">
        <TextField
          label={`${name}: exit code`}
          placeholder="0"
          value={guard.exit === null ? '' : String(guard.exit)}
          onSettle={settleExit}
        />
      </Part>
      <Part name="tests at least">
        <TextField
          label={`${name}: tests at least`}
          placeholder="any"
          value={guard.tests_min === null ? '' : String(guard.tests_min)}
          onSettle={settleTests}
        />
      </Part>
      <label className="row small gate-box">
        <input
          type="checkbox"
          aria-label={`${name} must be fresh`}
          checked={guard.fresh === true}
          onChange={(event) => put({ fresh: event.target.checked ? true : null })}
        />
        fresh
      </label>
    </NamedRow>
  )
}

/** A field that says what it is; its own label says it too, and of what. */
function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is among the children
    <label className="row small part-box">
      <span className="soft">{name}</span>
      {children}
    </label>
  )
}
