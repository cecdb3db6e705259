/**
 * Parses the token usage that hosts write to their transcripts, one line at a time. A line that
 * cannot be parsed counts nothing.
 */
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject } from '../../../core/json.ts'
import type { ModelUsage } from '../../../core/prices.ts'
import { textField } from '../payload.ts'

/** One answer of a model, which is paid once. */
export type ModelUse = ModelUsage & {
  /** The host's own name of it. */
  readonly id: string
  /** Milliseconds since 1970; null: not told. */
  readonly at: number | null
  /** What the host itself counts; null: it does not say. */
  readonly costUsd: number | null
}

/** What earlier lines of a transcript said that later ones need. */
export type TranscriptState = { model: string }

/** How a host writes down the use of its models in a transcript. */
export type TranscriptReader = {
  /** A mark that each line of interest has: the others are not even parsed. */
  readonly mark: RegExp
  /** Null: the line tells of no use; odd: it should, and cannot be read. */
  readonly read: (line: JsonObject, state: TranscriptState) => ModelUse | 'odd' | null
}

/** The use that a line tells of; null: it tells of none; odd: it should, and cannot be read. */
export function readUse(
  reader: TranscriptReader,
  line: string,
  state: TranscriptState,
): ModelUse | 'odd' | null {
  if (!reader.mark.test(line)) return null
  try {
    const object = asObject(JSON.parse(line) as Json)
    return object === null ? null : reader.read(object, state)
  } catch {
    // Not JSON: half a line that was never ended, or somebody else's text.
    return 'odd'
  }
}

type TranscriptUsage = {
  readonly [field in 'input' | 'output' | 'cacheRead' | 'cacheWrite']: unknown
} & {
  readonly id: string | null
  readonly at: number | null
  readonly model: string
  readonly cacheWriteHour?: unknown
  readonly costUsd?: unknown
}

/** More tokens than any answer has: what is above is a lie or a fault. */
const tokensMax = 100_000_000
const costUsdMax = 10_000
const modelName = /^[\w.:@/[\]+-]{1,200}$/

/** A use as it was told, if it can be one. */
export function useOf(told: TranscriptUsage): ModelUse | 'odd' {
  const { id, at, model, costUsd = null } = told
  const counts = [
    told.input,
    told.output,
    told.cacheRead,
    told.cacheWrite,
    told.cacheWriteHour,
  ].map((one) => countOf(one ?? 0))
  const [input, output, cacheRead, cacheWrite, cacheWriteHour] = counts
  const cost = costUsd === null ? null : Number(costUsd)
  const isCost = cost === null || (cost >= 0 && cost <= costUsdMax)
  if (id === null || id.length > 500 || !isCost || counts.includes(null)) return 'odd'
  return {
    ...{ id, at, model: modelName.test(model) ? model : 'unknown', costUsd: cost },
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: cacheRead ?? 0,
    cacheWrite: cacheWrite ?? 0,
    cacheWriteHour: cacheWriteHour ?? 0,
  }
}

function countOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value)
  return isCount && value >= 0 && value <= tokensMax ? value : null
}

/** The difference of counts as they were told, never below zero. */
export function minus(whole: unknown, first: unknown, second: unknown): unknown {
  if (typeof whole !== 'number') return whole
  return Math.max(0, whole - Number(first) - Number(second))
}

/** The sum of counts as they were told. */
export function plus(left: unknown, right: unknown): unknown {
  return typeof left === 'number' ? left + Number(right ?? 0) : left
}

/** When a line was written, in milliseconds since 1970; null: it does not say. */
export function momentIn(line: JsonObject): number | null {
  const at = Date.parse(textField(line, 'timestamp') ?? '')
  return Number.isNaN(at) ? null : at
}
