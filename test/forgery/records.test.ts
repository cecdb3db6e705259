/**
 * Attempts on the record: a signed run is exported, bent, chained anew so that every hash fits
 * again, and brought into another store. A hash can be recomputed; a signature cannot.
 */
import { expect, test } from 'vitest'
import { errorCodeOf } from '../../src/runtime/error-code.ts'
import { passkeyLogId } from '../../src/runtime/passkeys/passkey-log.ts'
import type { EventRecord, RunCopy } from '../../src/runtime/ports.ts'
import { chained } from '../../src/runtime/runs/hash-chain.ts'
import { openBench } from '../../src/runtime/runtime.contract.ts'
import { openSoftAuthenticator } from './soft-authenticator.ts'
import { openWorld, type Pending, type World } from './world.ts'

type Data = Record<string, unknown>

/** The records with their hashes made anew; `bend` changes what is in one. */
function chainAnew(
  id: string,
  records: readonly EventRecord[],
  bend: (data: Data, type: string) => Data,
): readonly EventRecord[] {
  let before = ''
  return records.map(({ hash: _, ...record }) => {
    const data = JSON.stringify(bend(JSON.parse(record.data) as Data, record.type))
    const linked = chained(id, before, { ...record, data })
    before = linked.hash
    return linked
  })
}

/** A copy in which every record of a type was changed, and all hashes fit. */
function bentCopy(copy: RunCopy, type: string, change: (data: Data) => Data): RunCopy {
  const bend = (data: Data, of: string): Data => (of === type ? change(data) : data)
  const events = chainAnew(copy.head.id, copy.events, bend)
  return { ...copy, events, head: { ...copy.head, hash: events.at(-1)?.hash ?? '' } }
}

function bentKeys(copy: RunCopy, change: (data: Data) => Data): RunCopy {
  return { ...copy, passkeys: chainAnew(passkeyLogId, copy.passkeys ?? [], change) }
}

const granted = 'approval.granted'

type Forgery = {
  readonly name: string
  readonly bend: (copy: RunCopy, other: RunCopy) => RunCopy
}

const forgeries: readonly Forgery[] = [
  {
    name: 'the signature is taken away',
    bend: (copy) => bentCopy(copy, granted, ({ proof: _, ...data }) => data),
  },
  {
    name: 'the note is changed',
    bend: (copy) => bentCopy(copy, granted, (data) => ({ ...data, note: 'and deploy' })),
  },
  {
    name: 'the edits are changed',
    bend: (copy) => bentCopy(copy, granted, (data) => ({ ...data, edits: { version: '9' } })),
  },
  {
    name: 'somebody else is named',
    bend: (copy) =>
      bentCopy(copy, granted, (data) => ({ ...data, by: { kind: 'person', name: 'eve' } })),
  },
  {
    name: 'what was asked is changed',
    bend: (copy) =>
      bentCopy(copy, 'approval.requested', ({ approval }) => ({
        type: 'approval.requested',
        approval: { ...(approval as Data), hash: 'sha256:00' },
      })),
  },
  {
    name: 'the signature is that of another run',
    bend: (copy, other) => {
      const record = other.events.find((one) => one.type === granted)
      const { proof } = JSON.parse(record?.data ?? '{}') as Data
      return bentCopy(copy, granted, (data) => ({ ...data, proof }))
    },
  },
  {
    name: 'the log of passkeys is missing',
    bend: ({ passkeys: _, ...copy }) => copy,
  },
  {
    name: 'the registered key is replaced by one of the forger',
    bend: (copy) => {
      const forger = openSoftAuthenticator()
      return bentKeys(copy, (data) => ({ ...data, credentialId: forger.id }))
    },
  },
  {
    name: 'the registered key is given to another person',
    bend: (copy) => bentKeys(copy, (data) => ({ ...data, person: 'eve' })),
  },
]

async function decide(world: World, on: Pending): Promise<RunCopy> {
  const decision = { granted: true, note: 'yes', hash: on.hash, edits: { version: '2' } }
  const signature = await world.signed({ on, note: 'yes', edits: { version: '2' } })
  const actor = { kind: 'person', name: 'ada' } as const
  await world.runtime.resolve(on.id, { ...decision, signature }, { actor, commandId: null })
  return world.runtime.exportRun(on.runId)
}

test.each(forgeries)('a bent copy is not imported when $name', async ({ bend }) => {
  const world = await openWorld()
  const copy = await decide(world, world.asked)
  const other = await decide(world, await world.ask())
  const { runtime } = openBench()
  await expect(runtime.importRun(bend(copy, other)).catch(errorCodeOf)).resolves.toBe('LOG_BROKEN')
})

test('a copy that nobody has bent is imported, and verifies there', async () => {
  const world = await openWorld()
  const copy = await decide(world, world.asked)
  const { runtime } = openBench()
  await runtime.importRun(bentCopy(copy, granted, (data) => data))
  const verified = await runtime.verify(copy.head.id, null)
  expect(verified).toMatchObject({ ok: true, signatures: { signed: 1, unsigned: 0, refused: 0 } })
})
