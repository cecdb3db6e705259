/**
 * Three nodes on one PostgreSQL under load while one of them is killed and started again: every
 * log stays gapless, nothing answered is lost, and a decision on one node wakes a waiter on
 * another.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../../src/client/index.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { median } from '../bench/measure.ts'
import { newBook, prepare, settle, work } from './load-clients.ts'
import { agentToken, personToken } from './settings.ts'
import { type NodeProcess, startNode } from './start-node.ts'
import { type Losses, verify } from './verify.ts'

export type NodesResult = Losses & {
  readonly answered: number
  readonly settled: number
  /** How long waiters on another node slept after a decision, in ms. */
  readonly wakeMs: { readonly median: number; readonly max: number }
}

const nodesCount = 3
const clientsCount = 32
const runsCount = 12
const wakesCount = 10

const gated = JSON.stringify({
  id: 'gated',
  initial: 'ask',
  states: {
    ask: { on: { GO: { target: 'done', requires_approval: true } } },
    done: { type: 'final' },
  },
})

export async function manyNodes(url: string, loadMs: number): Promise<NodesResult> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-nodes-'))
  const sockets = Array.from({ length: nodesCount }, (_, i) => join(folder, `node-${i}.sock`))
  const database = { kind: 'postgres', url } as const
  const open = (socket: string) => startNode({ database, socket, failAt: null })
  const nodes: NodeProcess[] = []
  try {
    for (const socket of sockets) nodes.push(await open(socket))
    const book = newBook()
    const [first = '', second = '', third = ''] = sockets
    await prepare(first, book, runsCount)
    const stop = new AbortController()
    const working = Array.from({ length: clientsCount }, (_, index) =>
      keepWorking(sockets, { index, signal: stop.signal }, book),
    )
    await sleep(loadMs / 3)
    await nodes[2]?.kill9()
    await sleep(loadMs / 3)
    nodes[2] = await open(third)
    await sleep(loadMs / 3)
    stop.abort()
    await Promise.all(working)
    const settled = await settle(first, book)
    const wakes = await measureWakes(first, second)
    const store = await openPostgresStore({ url })
    const losses = await verify(store, book)
    await store.close()
    const answered = book.sent.filter((one) => one.answer !== null).length
    const wakeMs = { median: median(wakes), max: Math.max(...wakes) }
    return { ...losses, answered, settled, wakeMs }
  } finally {
    await Promise.all(nodes.map((node) => node.kill9()))
    rmSync(folder, { recursive: true, force: true })
  }
}

type Worker = { readonly index: number; readonly signal: AbortSignal }

/** One client; when its node is gone it goes to the next. */
async function keepWorking(
  sockets: readonly string[],
  { index, signal }: Worker,
  book: ReturnType<typeof newBook>,
): Promise<void> {
  for (let node = index; !signal.aborted; node += 1) {
    const socket = sockets[node % sockets.length] as string
    await work(socket, book, { clientsCount: 1, signal })
    await sleep(10)
  }
}

/** Waits on one node, decides on the other. */
async function measureWakes(waitingAt: string, decidingAt: string): Promise<readonly number[]> {
  const agent = openClient({ socket: waitingAt, token: agentToken })
  const person = openClient({ socket: decidingAt, token: personToken })
  await person.definitions.create({ source: gated }).catch(() => null)
  const times: number[] = []
  for (let round = 0; round < wakesCount; round += 1) {
    const { runId } = await agent.runs.start({ definition: 'gated', vars: {} })
    const { seq } = await agent.runs.signal({ runId, name: 'GO' })
    const waiting = agent.runs.wait({ runId, after: seq, timeoutMs: 20_000 })
    await sleep(50)
    const { items } = await person.approvals.list({ runId, status: 'pending' })
    await person.approvals.decide({ id: items[0]?.id ?? '', granted: true })
    const begun = performance.now()
    const woken = await waiting
    if (woken.seq <= seq) throw new Error('a waiter was not woken')
    times.push(performance.now() - begun)
  }
  agent.close()
  person.close()
  return times
}
