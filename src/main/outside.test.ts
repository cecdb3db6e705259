/** What a daemon tells the outside, where its configuration says so. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type House, isOurNode, openHouse, release, until } from './daemon.contract.ts'

type ReceivedRequest = { readonly path: string; readonly id: string; readonly body: string }

let server: Server
let house: House
const heard: ReceivedRequest[] = []
/** How often the server fails before it answers well. */
let failures = 0

beforeEach(async () => {
  heard.length = 0
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const path = request.url ?? ''
      const id = String(request.headers['idempotency-key'] ?? '')
      heard.push({ path, id, body: Buffer.concat(parts).toString() })
      const isFailure = path === '/hook' && failures > 0
      if (isFailure) failures -= 1
      response.writeHead(isFailure ? 503 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  house = openHouse()
  mkdirSync(house.folder, { mode: 0o700 })
  const config = { webhook: { url: `${url}/hook` }, otlp: `${url}/v1/traces`, approvalHours: 1 }
  writeFileSync(join(house.folder, 'config.json'), JSON.stringify(config))
})
afterEach(async () => {
  await house.close()
  server.close()
})

describe.runIf(isOurNode)('the outside', () => {
  test('hears of a question until it has taken it, and of every operation', async () => {
    failures = 1
    writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
    const { runId } = await house.json('start', 'release.json')
    await house.json('signal', 'READY', '--run', runId)
    await house.json('signal', 'SHIP', '--run', runId, '--data', '{"secret": "of the agent"}')
    const hooks = () => heard.filter((one) => one.path === '/hook')
    await until(() => hooks().length === 2, 'a second try')
    const [first, second] = hooks()
    expect(first).toEqual(second)
    const told = JSON.parse(first?.body ?? '')
    expect(told).toMatchObject({
      type: 'approval.requested',
      approval: { runId, kind: 'move', message: 'ship it?' },
    })
    expect(told.approval.expiresAt - told.approval.requestedAt).toBe(3_600_000)
    expect(first?.body).not.toContain('of the agent')
    await house.cli('stop')
    const spans = heard.filter((one) => one.path === '/v1/traces').map((one) => one.body)
    expect(spans.join('')).toContain('runs.signal')
  })
})
