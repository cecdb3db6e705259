/** The pin of a tool: a hash of everything about it that a model sees. A person accepts it. */
import type { Json, JsonObject } from '../json.ts'
import { hashJson } from '../machine/hash.ts'

export type ThingPin = {
  readonly hash: string
  /** What a person is shown at a glance. */
  readonly about: string
  /** Why it is not believed at first sight. */
  readonly doubts: readonly string[]
  /** All that is agreed to, without secrets: what a change is shown by. */
  readonly told: JsonObject
}

/** Letters that a person does not see and a model reads: tags, marks of direction, empty ones. */
const invisible = /[\u{E0000}-\u{E0FFF}\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/u
const invisibles = new RegExp(invisible, 'gu')
const aboutCharsMax = 300

export function pinTool(definition: JsonObject): ThingPin {
  // What is not told to a model may change at will.
  const { _meta: _, ...told } = definition
  const isOdd = invisible.test(JSON.stringify(told))
  const doubts = isOdd ? ['it contains invisible characters'] : []
  const words = typeof definition.description === 'string' ? definition.description : ''
  const about = words.replace(/\s+/g, ' ').slice(0, aboutCharsMax)
  return { hash: hashJson(told), about, doubts, told }
}

/** What is not the same in two of them, a line for each value, with where it stands. */
export function changeLines(before: JsonObject | null, now: JsonObject): readonly string[] {
  const [old, fresh] = [before === null ? [] : valueLines(before, ''), valueLines(now, '')]
  const [oldSet, freshSet] = [new Set(old), new Set(fresh)]
  return [
    ...old.filter((line) => !freshSet.has(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !oldSet.has(line)).map((line) => `+ ${line}`),
  ]
}

function valueLines(value: Json, at: string): readonly string[] {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (parts.length > 0) return parts.flatMap(([key, part]) => valueLines(part, `${at}/${key}`))
  return [`${at}: ${JSON.stringify(value)}`.replace(invisibles, escaped)]
}

function escaped(letter: string): string {
  return `\\u{${letter.codePointAt(0)?.toString(16)}}`
}
