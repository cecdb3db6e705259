/** Where a route leads that runs another definition, or several branches, before it goes on. */
import { useId } from 'react'
import {
  dropBranch,
  type ForkMove,
  finalStagesFrom,
  type InvokeMove,
  putBranch,
  putMoveField,
  renameBranch,
} from '../../src/core/dialects/edit-branching.ts'
import type { EditableDefinition } from '../../src/core/dialects/editable-definition.ts'
import type { ForkBranch, Route } from '../../src/core/machine/machine.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { AddForm, OptionSelect, RemoveButton } from './form-row.tsx'
import { TextField } from './text-field.tsx'

type Props = {
  readonly written: EditableDefinition
  readonly route: Route
  /** How the route is told from the others. */
  readonly called: string
  /** Null: the text does not take it. */
  readonly onText: (text: string | null) => void
}

/** The fields; nothing for a route that only leads to a stage. */
export function BranchingForm({ route, ...props }: Props) {
  const { move, origin } = route
  if (move.kind === 'invoke') return <InvokeFields {...props} move={move} route={origin} />
  return move.kind === 'fork' ? <ForkFields {...props} move={move} route={origin} /> : null
}

type Fields<M> = Omit<Props, 'route'> & { readonly move: M; readonly route: string }

function InvokeFields({ written, move, route, called, onText }: Fields<InvokeMove>) {
  const listId = useId()
  const { answer } = useApiQuery('definitions.list', {})
  const put = (key: string, value: string | null): void =>
    onText(putMoveField(written, route, { path: [key], value }))
  return (
    <div className="branching">
      <div className="route-row">
        <span className="soft small">runs</span>
        <TextField
          label={`Definition that ${called} runs`}
          className="mono"
          list={listId}
          value={move.machine}
          onSettle={(name) => put('invoke', name)}
        />
        <datalist id={listId}>
          {answer?.items.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
      </div>
      <AfterFields {...{ written, move, called }} onField={put} />
    </div>
  )
}

function ForkFields({ written, move, route, called, onText }: Fields<ForkMove>) {
  const put = (key: string, value: string | null): void =>
    onText(putMoveField(written, route, { path: ['fork', key], value }))
  return (
    <div className="branching">
      {move.branches.map((branch) => (
        <BranchRow
          key={branch.name}
          {...{ written, route, branch, onText }}
          isAlone={move.branches.length === 1}
        />
      ))}
      <NewBranch {...{ written, move, route, called, onText }} />
      <div className="route-row">
        <span className="soft small">go on when</span>
        <OptionSelect
          label={`When ${called} goes on`}
          options={['all', 'any'] as const}
          value={move.join}
          textOf={(join) => (join === 'all' ? 'all branches are done' : 'any branch is done')}
          onChoice={(join) => put('join', join)}
        />
      </div>
      <AfterFields {...{ written, move, called }} onField={put} />
    </div>
  )
}

type BranchProps = Pick<Fields<ForkMove>, 'written' | 'route' | 'onText'> & {
  readonly branch: ForkBranch
  /** WHY: a fork without a branch is an error. */
  readonly isAlone: boolean
}

function BranchRow({ written, route, branch, isAlone, onText }: BranchProps) {
  const { name, initial, terminal } = branch
  const put = (change: Partial<ForkBranch>): void =>
    onText(putBranch(written, route, { ...branch, ...change }))
  return (
    <div className="route-row">
      <TextField
        label={`Name of branch ${name}`}
        className="mono"
        value={name}
        onSettle={(to) => onText(renameBranch(written, route, { from: name, to }))}
      />
      <StageSelect
        label={`Where ${name} begins`}
        stages={branchStarts(written)}
        value={initial}
        onStage={(to) => put({ initial: to })}
      />
      <span className="soft small">to</span>
      <StageSelect
        label={`Where ${name} ends`}
        stages={finalStagesFrom(written.machine, initial)}
        value={terminal}
        onStage={(to) => put({ terminal: to })}
      />
      <RemoveButton
        what={`branch ${name}`}
        isDisabled={isAlone}
        onRemove={() => onText(dropBranch(written, route, name))}
      />
    </div>
  )
}

function NewBranch({ written, move, route, called, onText }: Fields<ForkMove>) {
  const add = (name: string): void => {
    const first = move.branches[0]
    const isTaken = move.branches.some((one) => one.name === name)
    if (first !== undefined) onText(isTaken ? null : putBranch(written, route, { ...first, name }))
  }
  return <AddForm what="branch" label={`New branch of ${called}`} onAdd={add} />
}

type AfterProps = {
  readonly written: EditableDefinition
  readonly move: InvokeMove | ForkMove
  readonly called: string
  readonly onField: (key: string, value: string | null) => void
}

/** Where the run goes afterwards. */
function AfterFields({ written, move, called, onField }: AfterProps) {
  const stages = Object.keys(written.machine.stages)
  return (
    <div className="route-row">
      <span className="soft small">then</span>
      <StageSelect
        label={`After ${called}`}
        stages={stages}
        value={move.onComplete}
        onStage={(to) => onField('on_complete', to)}
      />
      <span className="soft small">or, after a failure,</span>
      <StageSelect
        label={`After a failure of ${called}`}
        stages={['', ...stages]}
        value={move.onFail ?? ''}
        onStage={(to) => onField('on_fail', to === '' ? null : to)}
      />
    </div>
  )
}

type SelectProps = {
  readonly label: string
  /** An empty name: none. */
  readonly stages: readonly string[]
  readonly value: string
  readonly onStage: (stage: string) => void
}

function StageSelect({ label, stages, value, onStage }: SelectProps) {
  const textOf = (name: string): string => (name === '' ? '(the run fails)' : name)
  return <OptionSelect {...{ label, value, textOf }} options={stages} onChoice={onStage} />
}

/** WHY not all: a branch that begins elsewhere could never end. */
function branchStarts({ machine }: EditableDefinition): readonly string[] {
  return Object.keys(machine.stages).filter((name) => finalStagesFrom(machine, name).length > 0)
}
