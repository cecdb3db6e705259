/**
 * The records of the attack corpus that need a daemon, and the score over them. Knows the file and
 * its labels; must not know how an attempt is made.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Verdict = 'allow' | 'ask' | 'deny' | 'error'

export type AttackRecord = {
  readonly id: string
  readonly area: string
  readonly setting: Fields
  readonly attempt: Fields
  readonly expected: Verdict
  readonly level: 'must' | 'should'
  readonly effect?: string
  readonly why: string
}

type Fields = { readonly [name: string]: unknown }

/** What an attempt came to. */
export type AttackOutcome = {
  /** Every label that this outcome earns: for some outcomes the corpus takes either of two. */
  readonly verdicts: readonly Verdict[]
  /** What should be so besides and is not. */
  readonly wrong: readonly string[]
  /** Why it can't be tried on this machine; it is counted as not tried, never as right. */
  readonly untried?: string
}

export type Result = { readonly record: AttackRecord; readonly found: AttackOutcome }

const file = join(import.meta.dirname, '..', '..', 'attacks', 'public.jsonl')

/** The records of one area, in the order of the file. */
export function recordsOf(area: string): readonly AttackRecord[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => expand(JSON.parse(line)) as AttackRecord)
    .filter((record) => record.area === area)
}

/** `{"$repeat": [text, n]}` stands for the text n times. */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(expand)
  const { $repeat } = value as { $repeat?: readonly [string, number] }
  if ($repeat !== undefined) return $repeat[0].repeat($repeat[1])
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]))
}

/** What is wrong with a result, in one line; null: it came out as labelled. */
export function faultOf({ record, found }: Result): string | null {
  const { id, expected, why } = record
  if (found.untried !== undefined) return null
  const said = found.verdicts.includes(expected)
    ? []
    : [`expected ${expected}, came out as ${found.verdicts.join(' or ')}`]
  const all = [...said, ...found.wrong]
  return all.length === 0 ? null : `${id} (${why}): ${all.join('; ')}`
}

/** One line per area and level, and one for every record that came out wrong or was not tried. */
export function reportOf(results: readonly Result[]): readonly string[] {
  const groups = new Map<string, Result[]>()
  for (const result of results) {
    const key = `${result.record.area} ${result.record.level}`
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return [...groups].flatMap(([key, group]) => {
    const untried = group.filter(({ found }) => found.untried !== undefined)
    const faults = group.flatMap((result) => faultOf(result) ?? [])
    const right = group.length - untried.length - faults.length
    return [
      `${key}: ${right} of ${group.length}`,
      ...faults.map((fault) => `  wrong: ${fault}`),
      ...untried.map(({ record, found }) => `  not tried: ${record.id}: ${found.untried}`),
    ]
  })
}
