/**
 * What hosts write down about the use of their models, one line at a time. What a line says is
 * never trusted to be of the right kind: a line that cannot be read counts nothing.
 */
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import type { Usage } from '../../../core/prices.ts'
import type { Host } from '../../../core/tools/hosts.ts'
import { objectIn, textIn } from '../payload.ts'

/** One answer of a model, which is paid once. */
export type ModelUse = Usage & {
  /** The host's own name of it. */
  readonly id: string
  /** Milliseconds since 1970; null: not told. */
  readonly at: number | null
  /** What the host itself counts; null: it does not say. */
  readonly costUsd: number | null
}

/** What earlier lines said that later ones need. */
export type Carried = { model: string }

type Reader = (line: JsonObject, carried: Carried) => ModelUse | 'odd' | null

/** A mark that each line of interest has: the others are not even parsed. */
const readers: Readonly<Partial<Record<Host, { readonly mark: RegExp; readonly read: Reader }>>> = {
  claude: { mark: /"usage"/, read: readClaude },
  codex: { mark: /"(?:token_count|turn_context)"/, read: readCodex },
  gemini: { mark: /"tokens"/, read: readGemini },
}

/** Whether transcripts of a host can be read. */
export function hasTranscripts(host: Host): boolean {
  return readers[host] !== undefined
}

/** The use that a line tells of; null: it tells of none; odd: it should, and cannot be read. */
export function readUse(host: Host, line: string, carried: Carried): ModelUse | 'odd' | null {
  const reader = readers[host]
  if (reader === undefined || !reader.mark.test(line)) return null
  try {
    const object = asObject(JSON.parse(line) as Json)
    return object === null ? null : reader.read(object, carried)
  } catch {
    // Not JSON: half a line that was never ended, or somebody else's text.
    return 'odd'
  }
}

function readClaude(line: JsonObject): ModelUse | 'odd' | null {
  const message = objectIn(line, 'message')
  const usage = message === null ? null : objectIn(message, 'usage')
  if (line.type !== 'assistant' || message === null || usage === null) return null
  const model = textIn(message, 'model') ?? ''
  // The host's own words in the place of an answer; no model was asked.
  if (model === '<synthetic>') return null
  const written = objectIn(usage, 'cache_creation')
  return useOf({
    ...{ id: textIn(message, 'id'), at: momentIn(line), model },
    input: own(usage, 'input_tokens'),
    output: own(usage, 'output_tokens'),
    cacheRead: own(usage, 'cache_read_input_tokens'),
    cacheWrite: own(usage, 'cache_creation_input_tokens'),
    cacheWriteHour: written === null ? 0 : own(written, 'ephemeral_1h_input_tokens'),
  })
}

/** WHY the total as a name: the same count is told again with every limit that changes. */
function readCodex(line: JsonObject, carried: Carried): ModelUse | 'odd' | null {
  const payload = objectIn(line, 'payload') ?? {}
  if (line.type === 'turn_context') {
    carried.model = textIn(payload, 'model') ?? carried.model
    return null
  }
  const info = payload.type === 'token_count' ? objectIn(payload, 'info') : null
  const last = info === null ? null : objectIn(info, 'last_token_usage')
  const total = info === null ? null : objectIn(info, 'total_token_usage')
  if (last === null || total === null) return null
  const [cacheRead, cacheWrite] = [
    own(last, 'cached_input_tokens') ?? 0,
    own(last, 'cache_write_input_tokens') ?? 0,
  ]
  return useOf({
    ...{ id: `total ${own(total, 'total_tokens')}`, at: momentIn(line), model: carried.model },
    // What came from a cache or went into one is part of the input here.
    input: minus(own(last, 'input_tokens'), cacheRead, cacheWrite),
    output: own(last, 'output_tokens'),
    ...{ cacheRead, cacheWrite },
  })
}

function readGemini(line: JsonObject): ModelUse | 'odd' | null {
  const tokens = objectIn(line, 'tokens')
  if (line.type !== 'gemini' || tokens === null) return null
  const cached = own(tokens, 'cached') ?? 0
  return useOf({
    ...{ id: textIn(line, 'id'), at: momentIn(line), model: textIn(line, 'model') ?? '' },
    input: minus(plus(own(tokens, 'input'), own(tokens, 'tool')), cached, 0),
    output: plus(own(tokens, 'output'), own(tokens, 'thoughts')),
    ...{ cacheRead: cached, cacheWrite: 0 },
  })
}

type Told = { readonly [field in 'input' | 'output' | 'cacheRead' | 'cacheWrite']: unknown } & {
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
export function useOf(told: Told): ModelUse | 'odd' {
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

function minus(whole: unknown, first: unknown, second: unknown): unknown {
  if (typeof whole !== 'number') return whole
  return Math.max(0, whole - Number(first) - Number(second))
}

function plus(left: unknown, right: unknown): unknown {
  return typeof left === 'number' ? left + Number(right ?? 0) : left
}

function momentIn(line: JsonObject): number | null {
  const at = Date.parse(textIn(line, 'timestamp') ?? '')
  return Number.isNaN(at) ? null : at
}
