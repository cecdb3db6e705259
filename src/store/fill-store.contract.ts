/** Fills a store with one of everything, for tests that edit it by hand. */

import { openMachineCache } from '../runtime/definitions/machine-cache.ts'
import { openRuntime } from '../runtime/open-runtime.ts'
import type { Store } from '../runtime/ports.ts'
import { takeAnchor } from '../runtime/record/anchor.ts'
import { checkRecord, type RecordReport, type StoreAnchor } from '../runtime/record/check-record.ts'
import { asAgent, asPerson, check, release, say, startMs } from '../runtime/runtime.contract.ts'
import type { CommandOutcome } from '../runtime/runtime.ts'
import { runIds } from './edited-rows.contract.ts'

/** More records than lie between two snapshots. */
const callsCount = 260

/** What is found wrong with a store. */
export function problemsIn(
  store: Store,
  anchors: readonly StoreAnchor[] = [],
): Promise<RecordReport> {
  return checkRecord(store, { shelf: openMachineCache(store), anchors, now: startMs })
}

/** Three runs, a definition with two versions, a claim, a document; and then an anchor. */
export async function fillStore(store: Store): Promise<StoreAnchor> {
  let now = startMs
  let id = ''
  let count = 0
  const runtime = openRuntime({
    store,
    clock: { now: () => now },
    newId: () => {
      count += 1
      return id === '' ? `id${count}` : id
    },
    policies: () => [],
    approvalMs: 3_600_000,
    retention: { days: null, megabytes: null },
    outboxFor: ({ recorded }) =>
      recorded.some(({ event }) => event.type === 'approval.requested')
        ? [{ kind: 'news', data: '{"title":"ship it?"}' }]
        : [],
    deliver: async () => undefined,
    log: (what, fault) => {
      throw new Error(`logged: ${what} ${String(fault)}`)
    },
  })
  await runtime.definitions.create({ source: release, format: 'json' })
  await runtime.definitions.update('release', { source: `${release}\n`, format: 'json' })
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  const start = async (runId: string): Promise<CommandOutcome> => {
    id = runId.slice(1)
    const started = await runtime.start({ ...request, workspace: `/work/${runId}` }, asPerson)
    id = ''
    now += 1_000
    return started
  }
  const { long, asking, ended } = runIds
  await start(long)
  for (let index = 0; index < callsCount; index += 1) {
    await runtime.send(long, check('Read', { file_path: `/work/${index}` }), asAgent)
  }
  await runtime.send(long, check('Bash', { command: 'ls' }), { ...asAgent, commandId: 'denied' })
  await keepSilentReply(store, long)
  await runtime.sessions.claim({ runId: long, branch: '', session: 'claude:one' })
  const note = { collection: 'notes', key: 'n1', expected: null, at: now }
  await store.writeDocuments([{ ...note, data: '{"x":0}' }])
  await store.writeDocuments([{ ...note, data: '{"x":1}' }])
  await start(asking)
  await runtime.send(asking, say('READY'), asAgent)
  await runtime.send(asking, say('SHIP'), asAgent)
  await start(ended)
  await runtime.send(ended, say('READY'), asAgent)
  await runtime.send(ended, say('SHIP'), asAgent)
  const [item] = (await store.readRunRows(ended)).outbox
  await store.settleOutboxItem(item?.id ?? '')
  const { items } = await store.listApprovals({ runId: ended, status: null, after: null, limit: 9 })
  const decision = { granted: true, note: 'fine', hash: null, edits: null }
  await runtime.resolve(items[0]?.id ?? '', decision, asPerson)
  return takeAnchor(store, now)
}

/** A reply to a command that recorded nothing. */
async function keepSilentReply(store: Store, runId: string): Promise<void> {
  const head = await store.readHead(runId)
  if (head === null) throw new Error('there is no run to reply for')
  const none = { events: [], approvals: [], outbox: [], snapshot: null }
  const reply = { commandId: 'silent', text: '{"kind":"accepted"}' }
  await store.commit({ runId, expectedSeq: head.seq, head, reply, ...none })
}
