/**
 * Sends spans in batches to an OTLP collector over HTTP with JSON. The queue is limited: if the
 * collector is slow or down, spans are dropped and nothing else is affected.
 */
import { randomBytes } from 'node:crypto'
import type { ApiSpan } from './api.ts'

type OtlpOptions = {
  /** Where the collector is; `/v1/traces` is added unless it is there. */
  readonly endpoint: string
  readonly serviceName: string
  readonly headers?: Readonly<Record<string, string>>
  readonly limits?: Partial<OtlpLimits>
  /** Hears once of each row of failures. */
  readonly onTrouble?: (what: string) => void
}

type OtlpLimits = {
  readonly spansMax: number
  readonly batchMax: number
  readonly intervalMs: number
  readonly timeoutMs: number
}

type OtlpExporter = {
  readonly onSpan: (span: ApiSpan) => void
  readonly droppedCount: () => number
  /** Sends what is left, for a while. */
  readonly close: () => Promise<void>
}

const limitsDefault: OtlpLimits = {
  spansMax: 4_096,
  batchMax: 512,
  intervalMs: 2_000,
  timeoutMs: 5_000,
}

/** Opens an exporter; nothing is sent before there is a span. */
export function openOtlpExporter(options: OtlpOptions): OtlpExporter {
  const limits = { ...limitsDefault, ...options.limits }
  const waiting: object[] = []
  let droppedCount = 0
  let isFailing = false
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  const sendOne = async (): Promise<void> => {
    const batch = waiting.splice(0, limits.batchMax)
    const trouble = await post(options, limits, batch)
    if (trouble !== null) droppedCount += batch.length
    if (trouble !== null && !isFailing) options.onTrouble?.(trouble)
    isFailing = trouble !== null
  }
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) await sendOne()
  }
  // INVARIANT: one request at a time, so that a slow collector is not asked to be slower.
  const flush = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }
  return {
    onSpan: (span) => {
      if (waiting.length >= limits.spansMax) {
        droppedCount += 1
        return
      }
      waiting.push(spanOf(span))
      timer ??= setTimeout(() => {
        timer = null
        void flush()
      }, limits.intervalMs).unref()
    },
    droppedCount: () => droppedCount,
    close: async () => {
      if (timer !== null) clearTimeout(timer)
      await flush()
    },
  }
}

/** What went wrong; null: the collector has taken them. */
async function post(
  { endpoint, serviceName, headers }: OtlpOptions,
  { timeoutMs }: OtlpLimits,
  spans: readonly object[],
): Promise<string | null> {
  const base = endpoint.replace(/\/+$/, '')
  const resource = { attributes: attributesOf({ 'service.name': serviceName }) }
  const body = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'pawl' }, spans }] }] }
  try {
    const response = await fetch(base.endsWith('/v1/traces') ? base : `${base}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    await response.arrayBuffer()
    return response.ok ? null : `the collector answered ${response.status}`
  } catch (error) {
    return `the collector cannot be reached: ${String(error)}`
  }
}

const serverKind = 2
const errorStatus = 2
const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const nothing = /^0+$/

function spanOf({ name, startedAt, endedAt, attributes, traceparent }: ApiSpan): object {
  const [, traceId = '', parentId = ''] = traceparentPattern.exec(traceparent ?? '') ?? []
  const isPart = traceId !== '' && !nothing.test(traceId) && !nothing.test(parentId)
  const hasFailed = attributes['pawl.outcome'] !== 'ok'
  return {
    traceId: isPart ? traceId : randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(isPart ? { parentSpanId: parentId } : {}),
    name,
    kind: serverKind,
    startTimeUnixNano: nanosOf(startedAt),
    endTimeUnixNano: nanosOf(endedAt),
    attributes: attributesOf(attributes),
    status: hasFailed ? { code: errorStatus } : {},
  }
}

function attributesOf(attributes: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}

/** As text: there are more nanoseconds since 1970 than a number can hold. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}
