/**
 * Durable decisions per second beside the floor of the same database: one transaction that inserts
 * an event row of the same size and updates a row, under the same pragmas, in the same run.
 * Then: what a long log and many waiting runs cost.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { startPostgres } from '../postgres/start.ts'
import { median, print, type Row } from './measure.ts'
import { type Floor, postgresFloor, sqliteFloor } from './record-floor.ts'
import { benchLongLog, benchWaiting } from './record-size.ts'

const clientsCounts = [1, 8, 64] as const
const roundsCount = 5
const roundMs = 700

export async function benchRecord(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  try {
    const sqlite = openSqliteStore({ path: join(folder, 'pawl.db') })
    await compare('SQLite', sqlite, sqliteFloor(join(folder, 'floor.db')))
    await benchLongLog(folder)
    await benchWaiting(folder)
    const server = await startPostgres()
    try {
      const postgres = await openPostgresStore({ url: server.url })
      await compare('PostgreSQL', postgres, await postgresFloor(server.url))
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A runtime as the daemon has it, on a store. */
export function runtimeOn(store: Store): ReturnType<typeof openRuntime> {
  return openRuntime({
    store,
    clock: { now: () => Date.now() },
    newId: () => randomUUID(),
    policies: () => [],
    approvalMs: 86_400_000,
    retention: { days: null, megabytes: null },
    deliver: async () => undefined,
    log: (what, fault) => console.error(what, fault),
  })
}

const definition = JSON.stringify({
  id: 'bench',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['Bash', 'Read', 'Edit'],
      allowed_commands: ['git status', 'npm test'],
      on: { SHIP: { target: 'done', requires_approval: true } },
    },
    done: { type: 'final' },
  },
})

const agent = { kind: 'agent', name: 'agent' } as const

/** Starts runs of the bench's definition. */
export async function startRuns(
  runtime: ReturnType<typeof openRuntime>,
  count: number,
): Promise<readonly string[]> {
  await runtime.definitions.create({ source: definition, format: 'json' }).catch(() => null)
  const request = { definition: 'bench', task: null, stage: null, vars: {}, workspace: '/work' }
  const started = Array.from({ length: count }, () =>
    runtime.start(request, { actor: agent, commandId: null }),
  )
  return (await Promise.all(started)).map(({ runId }) => runId)
}

const calls = [
  { tool: 'Read', input: { file_path: '/work/src/index.ts' } },
  { tool: 'Bash', input: { command: 'git status --short' } },
  { tool: 'Edit', input: { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' } },
] as const

/** Judges one call and waits until that is kept; every call has an id, as hooks give it. */
export async function decideOne(
  runtime: ReturnType<typeof openRuntime>,
  runId: string,
  index: number,
): Promise<void> {
  const call = calls[index % calls.length] as (typeof calls)[number]
  const where = { host: 'claude', server: null, workspace: null, branch: null } as const
  const by = { actor: agent, commandId: `toolu_${runId}_${index}` }
  const { reply } = await runtime.send(runId, { kind: 'check', ...call, ...where }, by)
  if (reply.kind !== 'verdict' || reply.verdict !== 'allow') {
    throw new Error(`the bench's call was not allowed: ${JSON.stringify(reply)}`)
  }
}

async function compare(name: string, store: Store, floor: Floor): Promise<void> {
  const runtime = runtimeOn(store)
  const runs = await startRuns(runtime, Math.max(...clientsCounts))
  let index = 0
  const decide = (client: number): Promise<void> => {
    index += 1
    return decideOne(runtime, runs[client] as string, index)
  }
  const rows: Row[] = []
  for (const clientsCount of clientsCounts) {
    const [floors, decisions]: [number[], number[]] = [[], []]
    for (let round = -1; round < roundsCount; round += 1) {
      const atFloor = await perSecond(clientsCount, floor.write)
      const decided = await perSecond(clientsCount, decide)
      if (round < 0) continue
      floors.push(atFloor)
      decisions.push(decided)
    }
    const [low, own] = [median(floors), median(decisions)]
    const clients = `${clientsCount} client${clientsCount === 1 ? '' : 's'}`
    rows.push([`floor, ${clients}`, low, 'transactions/s'])
    rows.push([`Pawl, ${clients}`, own, `decisions/s, ${(own / low).toFixed(2)} of the floor`])
  }
  print(`${name}: durable decisions`, rows)
  await runtime.close()
  await floor.close()
}

/** How often clients that each wait for their own answer get one. */
async function perSecond(
  clientsCount: number,
  act: (client: number) => Promise<void>,
): Promise<number> {
  const begun = performance.now()
  let count = 0
  const clients = Array.from({ length: clientsCount }, async (_, client) => {
    while (performance.now() - begun < roundMs) {
      await act(client)
      count += 1
    }
  })
  await Promise.all(clients)
  return (count / (performance.now() - begun)) * 1000
}
