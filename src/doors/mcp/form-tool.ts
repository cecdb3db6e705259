/** The submit tool of a form: its name, and its schema built from the fields of the step. */
import type { Json, JsonObject } from '../../core/json.ts'
import { isReservedToolName } from '../../core/tools/pawl-tool-names.ts'
import { PawlProblem, problem } from '../api/problem.ts'
import type { RunReadings } from './resolve-run.ts'

type View = RunReadings['view']
type Field = View['fields'][number]

/** What every client and model takes as the name of a tool. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/

/** The tool that the author names to submit the step; null: none that can be offered now. */
export function formToolOf({ dialect, signals }: View): string | null {
  const [name] = signals
  if (dialect !== 'steps' || name === undefined) return null
  // WHY: a name that means another tool, or that no client takes, would make the form a dead end.
  return namePattern.test(name) && !isReservedToolName(name) ? name : null
}

/** The tool by which the step is submitted; null: nothing can be submitted now. */
export function submitToolOf(view: View, prefix: string): string | null {
  if (view.dialect !== 'steps' || view.signals.length === 0) return null
  return formToolOf(view) ?? `${prefix}submit`
}

const goToStep = 'go_to_step'
/** Steps that the schema names. */
const stepsShownMax = 50

/** The goal of the step, as its author wrote it. */
export function formDescription({ goal, stage, name }: View): string {
  return goal.trim() === '' ? `Step ${stage} of ${name}` : goal
}

/**
 * WHY nothing is `required`: a step collects what comes, over several submissions, and may fill
 * fields in by itself. What is needed is said in words, and a submission that lacks it is held.
 */
export function formSchema(view: View): JsonObject {
  const properties: Record<string, Json> = {}
  if (view.goTo.length > 0) {
    const names = view.goTo.slice(0, stepsShownMax).join(', ')
    const more = view.goTo.length > stepsShownMax ? ', …' : ''
    properties[goToStep] = {
      type: 'string',
      description: `go to this step instead of the next one: ${names}${more}`,
    }
  }
  for (const field of view.fields) properties[field.name] = fieldSchema(field)
  const { missing } = view
  const needed = missing.length === 0 ? {} : { description: `still needed: ${missing.join(', ')}` }
  return { type: 'object', ...needed, properties, additionalProperties: true }
}

/** The fields, and the step that is to come next; a field of that name is a field. */
export function splitForm(
  view: View,
  input: JsonObject,
): { readonly data: JsonObject; readonly goTo: string | null } {
  const isField = view.fields.some((field) => field.name === goToStep)
  const named = input[goToStep]
  if (isField || named === undefined) return { data: input, goTo: null }
  const { [goToStep]: _, ...data } = input
  if (named === null || named === '') return { data, goTo: null }
  if (typeof named === 'string') return { data, goTo: named }
  const detail = `\`${goToStep}\` must be the id of a step`
  throw new PawlProblem(problem('REQUEST_INVALID', { detail, hint: 'send it as a string' }))
}

/** Formats that JSON Schema has words for; another one would make a client drop the tool. */
const formats = new Set(
  'date date-time time duration email hostname ipv4 ipv6 uri uuid'.split(' ') as readonly string[],
)

function fieldSchema(field: Field): JsonObject {
  const { type, title, enum: values, pattern, format, examples } = field
  const isPattern = pattern !== null && isSharedPattern(pattern)
  const isFormat = format !== null && formats.has(format)
  const words = [
    field.description,
    pattern !== null && !isPattern ? `matches ${pattern}` : '',
    format !== null && !isFormat ? `format ${format}` : '',
  ].filter((part) => part !== '')
  return {
    type,
    ...(title === '' ? {} : { title }),
    ...(words.length === 0 ? {} : { description: words.join('; ') }),
    ...(values === null ? {} : { enum: [...values] }),
    ...(pattern !== null && isPattern ? { pattern } : {}),
    ...(format !== null && isFormat ? { format } : {}),
    ...(examples.length === 0 ? {} : { examples: [...examples] }),
  }
}

/** WHY: a definition's patterns are RE2, those of a schema are ECMAScript. */
function isSharedPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
