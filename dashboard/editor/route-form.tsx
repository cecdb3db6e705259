/** The routes of a stage: signal, target, condition and gate of each. */
import { useState } from 'react'
import { assertNever } from '../../src/core/assert.ts'
import { guardText } from '../../src/core/dialects/edit-route-guard.ts'
import {
  type RouteTarget,
  routeTargetOf,
  type StageEdit,
} from '../../src/core/dialects/edit-stage.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import type { Route, Stage } from '../../src/core/machine/machine.ts'
import { BranchingForm } from './branching-form.tsx'
import { AddForm, OptionSelect, RemoveButton } from './form-row.tsx'
import { GateForm } from './gate-form.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  readonly stage: Stage
  readonly onEdit: (edit: StageEdit) => void
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** What names of guards are offered from. */
export const guardListId = 'guard-names'

/** The list, and the form for one more. */
export function RouteForms({ written, stage, onEdit, onText }: Props) {
  const isForm = written.machine.dialect === 'steps'
  const routes = Object.values(stage.signals).flatMap(({ name, routes: ways }) =>
    ways.map((route, index) => {
      const number = ways.length > 1 ? ` ${index + 1}` : ''
      return { signal: name, route, called: isForm ? `route ${index + 1}` : `${name}${number}` }
    }),
  )
  return (
    <fieldset className="routes">
      <legend>Routes</legend>
      {routes.length === 0 ? <p className="soft small">This stage has no routes.</p> : null}
      {routes.map((one) => (
        <RouteRow key={one.route.origin} {...{ written, stage, onEdit, onText }} {...one} />
      ))}
      <NewRoute written={written} stage={stage} onEdit={onEdit} />
    </fieldset>
  )
}

type RowProps = Props & {
  readonly signal: string
  readonly route: Route
  /** How it is told from the others. */
  readonly called: string
}

function RouteRow({ written, stage, signal, route, called, onEdit, onText }: RowProps) {
  const { machine } = written
  const of = { stage: stage.name, route: route.origin }
  const target = routeTargetOf(route.move)
  const guard = guardText(written, route.origin)
  const hasSignal = machine.dialect !== 'steps'
  return (
    <div className="route-row">
      {hasSignal ? (
        <TextField
          label={`Signal ${called}`}
          className="mono"
          value={signal}
          onSettle={(to) => onEdit({ kind: 'rename-signal', stage: stage.name, signal, to })}
        />
      ) : null}
      <TargetSelect
        label={`Target of ${called}`}
        written={written}
        value={target}
        onTarget={(to) => onEdit({ kind: 'lead-route', ...of, target: to })}
      />
      {guard === null ? null : (
        <TextField
          label={`Condition of ${called}`}
          className="mono"
          placeholder="always"
          value={guard}
          {...(machine.dialect === 'workflow' ? { list: guardListId } : {})}
          onSettle={(words) => onEdit({ kind: 'guard-route', ...of, guard: words })}
        />
      )}
      <RemoveButton what={called} onRemove={() => onEdit({ kind: 'remove-route', ...of })} />
      <BranchingForm {...{ written, route, called, onText }} />
      <GateForm written={written} route={route.origin} called={called} onText={onText} />
    </div>
  )
}

function NewRoute({ written, stage, onEdit }: Omit<Props, 'onText'>) {
  const [target, setTarget] = useState<RouteTarget>({
    kind: 'stage',
    stage: written.machine.initial,
  })
  const isThere = target.kind !== 'stage' || written.machine.stages[target.stage] !== undefined
  const chosen: RouteTarget = isThere ? target : { kind: 'stage', stage: written.machine.initial }
  const add = (signal: string): void =>
    onEdit({ kind: 'add-route', stage: stage.name, signal, target: chosen })
  return (
    <AddForm
      what="route"
      named="signal"
      isNameless={written.machine.dialect === 'steps'}
      onAdd={add}
    >
      <TargetSelect
        label="Target of the new route"
        written={written}
        value={chosen}
        onTarget={setTarget}
      />
    </AddForm>
  )
}

type SelectProps = {
  readonly label: string
  readonly written: EditableDefinition
  readonly value: RouteTarget
  readonly onTarget: (target: RouteTarget) => void
}

/** Every place that a route of this dialect can lead to. */
function TargetSelect({ label, written, value, onTarget }: SelectProps) {
  // WHY its own name: an invoke has to name a definition, and the form then asks which.
  const choose = (chosen: RouteTarget): void =>
    onTarget(chosen.kind === 'invoke' ? { ...chosen, machine: written.machine.name } : chosen)
  return (
    <OptionSelect
      {...{ label, value }}
      options={targetsOf(written)}
      textOf={targetText}
      onChoice={choose}
    />
  )
}

function targetsOf({ machine }: EditableDefinition): readonly RouteTarget[] {
  const stages = Object.keys(machine.stages).map((stage) => ({ kind: 'stage', stage }) as const)
  if (machine.dialect === 'process') {
    return [...stages, { kind: 'end', outcome: 'completed' }, { kind: 'end', outcome: 'blocked' }]
  }
  if (machine.dialect !== 'workflow') return stages
  return [...stages, { kind: 'return' }, { kind: 'fork' }, { kind: 'invoke' }]
}

function targetText(target: RouteTarget): string {
  switch (target.kind) {
    case 'stage':
      return target.stage
    case 'return':
      return '(return from the detour)'
    case 'end':
      return `(end: ${target.outcome})`
    case 'fork':
      return '(several branches)'
    case 'invoke':
      return '(another definition)'
    default:
      return assertNever(target)
  }
}
