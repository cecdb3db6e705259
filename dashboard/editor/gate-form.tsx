/** The gate of a route: whether a person has to approve it, what they are asked, and how many. */
import { putRouteGate, type RouteGate, routeGateOf } from '../../src/core/dialects/edit-rules.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import { showToast } from '../parts/toast.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  readonly route: string
  /** How the route is told from the others. */
  readonly called: string
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** The fields; nothing in a dialect whose routes have no gates. */
export function GateForm({ written, route, called, onText }: Props) {
  if (written.machine.dialect !== 'workflow') return null
  const gate = routeGateOf(written, route)
  const put = (next: RouteGate | null): void => onText(putRouteGate(written, route, next))
  return (
    <div className="gate-line">
      <label className="row small gate-box">
        <input
          type="checkbox"
          aria-label={`${called} needs an approval`}
          checked={gate !== null}
          onChange={(event) => put(event.target.checked ? { message: '', needed: 1 } : null)}
        />
        needs an approval
      </label>
      {gate === null ? null : <GateFields gate={gate} called={called} onGate={put} />}
    </div>
  )
}

type FieldsProps = {
  readonly gate: RouteGate
  readonly called: string
  readonly onGate: (gate: RouteGate) => void
}

function GateFields({ gate, called, onGate }: FieldsProps) {
  const settle = (text: string): void => {
    if (/^[1-9]\d?$/.test(text)) onGate({ ...gate, needed: Number(text) })
    else showToast('From 1 to 99 people can be asked to approve.')
  }
  return (
    <>
      <TextField
        label={`Question of ${called}`}
        placeholder="What is the person asked?"
        value={gate.message}
        onSettle={(message) => onGate({ ...gate, message })}
      />
      <span className="row small people-box">
        by
        <TextField
          label={`People who must approve ${called}`}
          value={String(gate.needed)}
          onSettle={settle}
        />
        {gate.needed === 1 ? 'person' : 'people'}
      </span>
    </>
  )
}
