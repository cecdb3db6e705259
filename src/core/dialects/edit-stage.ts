/**
 * The few changes of a definition that a picture of it offers: a stage more or less, its words, a
 * route more or less. What comes out is a text; whether it is any good the compiler says.
 */
import type { Json } from '../json.ts'
import type { DialectName } from '../machine/machine.ts'
import type { Path } from '../source/edit-json.ts'
import { dropValue, pushValue, putValue } from '../source/edit-source.ts'
import { readSource } from '../source/read-source.ts'
import { member, plainValue } from '../source/source.ts'

export type StageEdit =
  | { readonly kind: 'add-stage'; readonly stage: string }
  | { readonly kind: 'remove-stage'; readonly stage: string }
  | { readonly kind: 'tell'; readonly stage: string; readonly brief: string }
  | {
      readonly kind: 'add-route'
      readonly stage: string
      readonly signal: string
      readonly target: string
    }
  | { readonly kind: 'remove-route'; readonly stage: string; readonly signal: string }

/** The text after the change; null: this text does not take it, and has to be edited by hand. */
export function editStage(text: string, dialect: DialectName, edit: StageEdit): string | null {
  return dialect === 'steps' ? editSteps(text, edit) : editStates(text, words[dialect], edit)
}

type Words = { readonly brief: string; readonly signals: string; readonly goTo: GoTo }
type GoTo = (target: string) => Json

const words: Readonly<Record<'process' | 'workflow', Words>> = {
  process: { brief: 'question', signals: 'answers', goTo: (next) => ({ next }) },
  workflow: { brief: 'instructions', signals: 'on', goTo: (target) => target },
}

function editStates(text: string, { brief, signals, goTo }: Words, edit: StageEdit): string | null {
  const at = ['states', edit.stage]
  switch (edit.kind) {
    case 'add-stage':
      return putNew(text, at, { [brief]: 'What is to be done here?' })
    case 'remove-stage':
      return dropValue(text, at)
    case 'tell':
      return putValue(text, [...at, brief], edit.brief)
    case 'add-route':
      return putNew(text, [...at, signals, edit.signal], goTo(edit.target))
    case 'remove-route':
      return dropValue(text, [...at, signals, edit.signal])
  }
}

function editSteps(text: string, edit: StageEdit): string | null {
  const index = stepIndex(text, edit.stage)
  if (edit.kind === 'add-stage') {
    const step = { id: edit.stage, goal: 'What is to be learned here?', instructions: [] }
    return index === null ? pushValue(text, ['steps'], step) : null
  }
  if (index === null) return null
  const at: Path = ['steps', index]
  switch (edit.kind) {
    case 'remove-stage':
      return dropValue(text, at)
    case 'tell':
      return putValue(text, [...at, 'goal'], edit.brief)
    case 'add-route':
      return putValue(text, [...at, 'next'], [...nextOf(text, index), { id: edit.target }])
    case 'remove-route':
      return dropValue(text, [...at, 'next'])
  }
}

function putNew(text: string, path: readonly string[], value: Json): string | null {
  return valueAt(text, path) === undefined ? putValue(text, path, value) : null
}

function stepIndex(text: string, id: string): number | null {
  const steps = valueAt(text, ['steps'])
  if (!Array.isArray(steps)) return null
  const index = steps.findIndex((one) => (one as { readonly id?: Json } | null)?.id === id)
  return index < 0 ? null : index
}

function nextOf(text: string, index: number): readonly Json[] {
  const steps = valueAt(text, ['steps']) as readonly { readonly next?: Json }[]
  const next = steps[index]?.next
  return Array.isArray(next) ? next : []
}

function valueAt(text: string, path: readonly string[]): Json | undefined {
  const { root } = readSource(text)
  let node = root ?? undefined
  for (const step of path) node = node === undefined ? undefined : member(node, step)
  return node === undefined ? undefined : plainValue(node)
}
