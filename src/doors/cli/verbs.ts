/**
 * The table of verbs. Each is loaded when it is called, so that help is there at once.
 */
import type { Verb } from './io.ts'

export type VerbEntry = {
  readonly name: string
  /** The same line as the verb's own summary; here so that the list needs no verb. */
  readonly summary: string
  readonly load: () => Promise<Verb>
}

export const verbs: readonly VerbEntry[] = [
  {
    name: 'check',
    summary: 'say what is wrong with definitions, and where',
    load: async () => (await import('./verbs/check.ts')).checkVerb,
  },
  {
    name: 'test',
    summary: 'play cases against definitions',
    load: async () => (await import('./verbs/test.ts')).testVerb,
  },
  {
    name: 'draw',
    summary: 'draw a definition as a picture',
    load: async () => (await import('./verbs/draw.ts')).drawVerb,
  },
  {
    name: 'play',
    summary: 'walk through a definition as the agent',
    load: async () => (await import('./verbs/play.ts')).playVerb,
  },
  {
    name: 'judge',
    summary: 'say what would happen to a tool call, by which rule, and what instead',
    load: async () => (await import('./verbs/judge.ts')).judgeVerb,
  },
  {
    name: 'convert',
    summary: 'write a definition in another dialect',
    load: async () => (await import('./verbs/convert.ts')).convertVerb,
  },
]
