import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import { agentToken, jsonBearer, openDaemon } from './daemon.contract.ts'
import { openOtlpExporter } from './otlp.ts'

type ExportedSpans = { path: string; spans: Record<string, unknown>[]; service: string }

async function openCollector(status = 200): Promise<{ url: string; sent: ExportedSpans[] }> {
  const sent: ExportedSpans[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const [resourceSpans] = JSON.parse(text).resourceSpans
      sent.push({
        path: request.url ?? '',
        spans: resourceSpans.scopeSpans[0].spans,
        service: resourceSpans.resource.attributes[0].value.stringValue,
      })
      response.writeHead(status).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, sent }
}

const span = {
  name: 'pawl status',
  startedAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_001.5,
  attributes: { 'pawl.outcome': 'ok' },
  traceparent: null,
}

test('an operation becomes a span of the trace that its caller began', async () => {
  const { url, sent } = await openCollector()
  const exporter = openOtlpExporter({ endpoint: url, serviceName: 'pawl' })
  const { runtime, ask } = await openDaemon({ api: { onSpan: exporter.onSpan } })
  const runId = await startRelease(runtime)
  const [trace, parent] = ['a'.repeat(32), 'b'.repeat(16)]
  await ask(`POST /v1/runs/${runId}/calls`, {
    headers: { ...jsonBearer(agentToken), traceparent: `00-${trace}-${parent}-01` },
    body: '{"tool":"Edit","input":{}}',
  })
  await ask('GET /v1/runs/nobody', { headers: jsonBearer(agentToken) })
  await exporter.close()
  const [{ path, service, spans }] = sent as [ExportedSpans]
  expect([path, service, spans.length]).toEqual(['/v1/traces', 'pawl', 3])
  const ofCaller = { traceId: trace, parentSpanId: parent }
  expect(spans[0]).toMatchObject({ name: 'pawl call api', ...ofCaller })
  expect(spans[0]?.attributes).toContainEqual({
    key: 'pawl.decision',
    value: { stringValue: 'denied' },
  })
  expect(spans[1]).toMatchObject({ name: 'pawl runs.check', ...ofCaller })
  expect(spans[2]).toMatchObject({ name: 'pawl runs.read', status: { code: 2 } })
  expect(spans[2]).not.toHaveProperty('parentSpanId')
  expect(BigInt(String(spans[0]?.endTimeUnixNano))).toBeGreaterThanOrEqual(
    BigInt(String(spans[0]?.startTimeUnixNano)),
  )
})

test('a traceparent that is none begins a new trace', async () => {
  const { url, sent } = await openCollector()
  const exporter = openOtlpExporter({ endpoint: `${url}/v1/traces/`, serviceName: 'pawl' })
  const zero = `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`
  for (const traceparent of [null, 'x', zero]) exporter.onSpan({ ...span, traceparent })
  await exporter.close()
  expect(sent[0]?.path).toBe('/v1/traces')
  const ids = sent[0]?.spans.map((one) => String(one.traceId)) ?? []
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
  expect(sent[0]?.spans[0]).toMatchObject({
    startTimeUnixNano: '1700000000000250000',
    endTimeUnixNano: '1700000000001500000',
  })
})

test('spans are sent in batches by themselves, and no more are kept than the limit', async () => {
  const { url, sent } = await openCollector()
  const limits = { spansMax: 5, batchMax: 2, intervalMs: 10 }
  const exporter = openOtlpExporter({ endpoint: url, serviceName: 'pawl', limits })
  for (let count = 0; count < 8; count += 1) exporter.onSpan(span)
  expect(exporter.droppedCount()).toBe(3)
  await expect.poll(() => sent.map((one) => one.spans.length)).toEqual([2, 2, 1])
})

test('a collector that fails or is gone costs spans, says so once, and never throws', async () => {
  const { url } = await openCollector(500)
  for (const endpoint of [url, 'http://127.0.0.1:1']) {
    const troubles: string[] = []
    const onTrouble = (what: string) => troubles.push(what)
    const exporter = openOtlpExporter({
      endpoint,
      serviceName: 'pawl',
      limits: { batchMax: 1 },
      onTrouble,
    })
    exporter.onSpan(span)
    exporter.onSpan(span)
    await exporter.close()
    expect(troubles).toHaveLength(1)
    expect(exporter.droppedCount()).toBe(2)
  }
})
