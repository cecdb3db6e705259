/** Small sound definitions of every dialect, and the findings about them in short, for tests. */
import type { z } from 'zod'
import type { Finding } from '../finding.ts'
import type { Json } from '../json.ts'
import { sourceOf } from '../source/source.ts'
import { validateTree } from './validate-tree.ts'

export type Brief = `${string} ${string}`

export function brief(findings: readonly Finding[]): Brief[] {
  return findings.map((one): Brief => `${one.code} ${one.pointer}`)
}

export function check(schema: z.ZodType, value: Json): Brief[] {
  return brief(validateTree(schema, sourceOf(value)))
}

/** A sound workflow whose first state has these fields besides. */
export function workflow(state: { [key: string]: Json }, rest: { [key: string]: Json } = {}): Json {
  return {
    id: 'w',
    initial: 'a',
    states: { a: { on: { GO: 'z' }, ...state }, z: { type: 'final' } },
    ...rest,
  }
}

export function process(rest: { [key: string]: Json } = {}): Json {
  const x = { question: '?', answers: { y: { next: null, action: 'complete' } } }
  return { name: 'a', initial: 'x', states: { x }, ...rest }
}

export function form(step: { [key: string]: Json }, rest: { [key: string]: Json } = {}): Json {
  return {
    type: 'steps',
    version: 'v1alpha',
    id: 'k',
    steps: [{ id: 'A', goal: 'g', ...step }],
    ...rest,
  }
}
