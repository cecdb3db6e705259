/**
 * Completions at a position in a definition: the fields in its schema with their descriptions, and
 * stage names where a stage is expected.
 */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import processSchema from '../../schemas/process.schema.json'
import stepsSchema from '../../schemas/steps.schema.json'
import workflowSchema from '../../schemas/workflow.schema.json'
import type { DialectName } from '../../src/core/machine/machine.ts'

type Schema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

const schemas: Readonly<Record<DialectName, Schema>> = {
  process: processSchema as unknown as Schema,
  steps: stepsSchema as unknown as Schema,
  workflow: workflowSchema as unknown as Schema,
}

/** Fields whose value is the name of a stage. */
const stageFields: ReadonlySet<string> = new Set([
  ...['initial', 'target', 'next', 'on_complete', 'on_fail', 'terminal', 'safe_next'],
])

export type KnownNames = { readonly dialect: DialectName; readonly stages: readonly string[] }

/** The source of completions; what is known of the text is asked for when it is needed. */
export function completeFrom(known: () => KnownNames) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w$-]*/)
    if (word === null || (word.from === word.to && !context.explicit)) return null
    const before = context.state.sliceDoc(0, word.from)
    const { dialect, stages } = known()
    const { path, isKey, field } = placeIn(before)
    const schema = schemas[dialect]
    const options: Completion[] = isKey
      ? keysOf(schema, alternatives(schema, path))
      : [
          ...(stageFields.has(field) ? stages.map((label) => ({ label, type: 'variable' })) : []),
          ...valuesOf(alternatives(schema, [...path, field])),
        ]
    return options.length === 0 ? null : { from: word.from, options, validFor: /^[\w$-]*$/ }
  }
}

type CursorPosition = {
  readonly path: readonly string[]
  readonly isKey: boolean
  /** The field whose value is written. */
  readonly field: string
}

/** Where the end of a text is, however broken the text: by brackets, else by indentation. */
function placeIn(before: string): CursorPosition {
  return before.trimStart().startsWith('{') ? placeInJson(before) : placeInYaml(before)
}

function placeInJson(before: string): CursorPosition {
  const path: string[] = []
  let [last, key, isKey] = ['', '', true]
  for (const [token] of before.matchAll(/"(?:\\.|[^"\\])*"|[{}[\]:,]/g)) {
    if (token.startsWith('"')) last = token.slice(1, -1)
    else if (token === ':') [key, isKey] = [last, false]
    else if (token === '{' || token === '[') {
      path.push(key)
      ;[key, isKey] = ['', token === '{']
    } else if (token === '}' || token === ']') path.pop()
    else isKey = true
  }
  return { path: path.slice(1), isKey, field: key }
}

function placeInYaml(before: string): CursorPosition {
  const lines = before.split('\n')
  const current = lines.pop() ?? ''
  const value = /^\s*(?:- )?(?:"?([\w$-]+)"?:\s+)\S*$/.exec(current)
  let indent = indentOf(current)
  const path: string[] = []
  for (const line of lines.toReversed()) {
    const own = indentOf(line)
    const key = /^\s*(?:- )*"?([\w$-]+)"?:/.exec(line)?.[1]
    if (line.trim() === '' || line.trimStart().startsWith('#') || key === undefined) continue
    if (own >= indent) continue
    path.unshift(key)
    indent = own
  }
  return { path, isKey: value === null, field: value?.[1] ?? '' }
}

/** A dash counts as the blank that it stands for. */
function indentOf(line: string): number {
  return /^[\s-]*/.exec(line)?.[0].length ?? 0
}

const depthMax = 12

/** Every schema that can hold at a path. */
function alternatives(root: Schema, path: readonly string[]): readonly Schema[] {
  let at = opened(root, [root], 0)
  for (const step of path) {
    const inner = at.flatMap((one) => {
      const more = one.additionalProperties
      const found = step === '' ? undefined : one.properties?.[step]
      if (found !== undefined) return [found]
      return typeof more === 'object' ? [more] : []
    })
    at = opened(root, inner, 0)
  }
  return at
}

function opened(root: Schema, schemas: readonly Schema[], depth: number): readonly Schema[] {
  if (depth > depthMax) return []
  return schemas.flatMap((one) => {
    const name = one.$ref?.split('/').at(-1)
    const inner = [
      ...(name === undefined ? [] : [root.$defs?.[name] ?? {}]),
      ...(one.anyOf ?? []),
      ...(one.oneOf ?? []),
      ...(one.allOf ?? []),
      ...(one.items === undefined ? [] : [one.items]),
    ]
    return [one, ...(inner.length === 0 ? [] : opened(root, inner, depth + 1))]
  })
}

function keysOf(root: Schema, schemas: readonly Schema[]): Completion[] {
  const all = new Map<string, Completion>()
  for (const schema of schemas) {
    for (const [label, value] of Object.entries(schema.properties ?? {})) {
      const info = value.description ?? opened(root, [value], 0).find((one) => one.description)
      const words = typeof info === 'string' ? info : info?.description
      all.set(label, { label, type: 'property', ...(words === undefined ? {} : { info: words }) })
    }
  }
  return [...all.values()]
}

function valuesOf(schemas: readonly Schema[]): Completion[] {
  return schemas.flatMap((one) => [
    ...(one.enum ?? (one.const === undefined ? [] : [one.const])).map((value) => ({
      label: String(value),
      type: 'enum',
    })),
    ...(one.type === 'boolean' ? ['true', 'false'].map((label) => ({ label, type: 'enum' })) : []),
  ])
}
