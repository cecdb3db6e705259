/** Approvals of several people, as they are kept: over restarts, rebuilt, and in order. */
import { expect, test } from 'vitest'
import { openMachineCache } from './definitions/machine-cache.ts'
import { quorumIn } from './people/approval-question.ts'
import { rebuildAll } from './runs/log-maintenance.ts'
import { asAgent, openBench, release, say } from './runtime.contract.ts'
import type { By } from './runtime.ts'

const as = (name: string): By => ({ actor: { kind: 'person', name }, commandId: null })
const yes = { granted: true, note: '', hash: null, edits: null }
test('who has agreed is kept over a restart, and all who did are named at the end', async () => {
  const bench = openBench()
  const definition = JSON.parse(release)
  const from = ['ada', 'bob', 'eve']
  definition.states.build.on.SHIP.approvals = { needed: 2, from }
  const source = JSON.stringify(definition)
  await bench.runtime.definitions.create({ source, format: 'json' })
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: null }
  const { runId } = await bench.runtime.start(request, asAgent)
  await bench.runtime.send(runId, say('READY'), asAgent)
  await bench.runtime.send(runId, say('SHIP'), asAgent)
  const list = { status: 'pending', runId, after: null, limit: 9 } as const
  const [asked] = (await bench.runtime.listApprovals(list)).items
  const id = asked?.id ?? ''
  expect(asked?.message).toBe('ship it? (needs approval from 2 of ada, bob, eve)')
  if (asked !== undefined) expect(quorumIn(asked)).toEqual({ needed: 2, from })

  await bench.runtime.resolve(id, { ...yes, note: 'fine by me' }, as('ada'))
  const endorsed = {
    status: 'pending',
    decidedBy: null,
    note: 'approved by ada: fine by me (1 more needed)',
  }
  const restarted = bench.again()
  const agreed = JSON.parse((await restarted.readApproval(id)).pending).endorsements
  expect(agreed).toEqual([{ by: as('ada').actor, note: 'fine by me' }])
  expect(await restarted.readApproval(id)).toMatchObject(endorsed)
  expect(await restarted.readHead(runId)).toMatchObject({ status: 'waiting', stage: 'build' })
  const twice = await restarted.resolve(id, yes, as('ada'))
  expect(twice.reply).toMatchObject({ kind: 'refused', code: 'NOT_PERMITTED' })
  const rebuilt = await rebuildAll(bench.store, openMachineCache(bench.store))
  expect(rebuilt).toMatchObject({ broken: [] })
  expect(await restarted.readApproval(id)).toMatchObject(endorsed)

  await restarted.resolve(id, yes, as('eve'))
  const granted = { status: 'granted', decidedBy: 'ada, eve' }
  expect(await restarted.readApproval(id)).toMatchObject(granted)
  await rebuildAll(bench.store, openMachineCache(bench.store))
  expect(await restarted.readApproval(id)).toMatchObject(granted)
  expect(await restarted.verify(runId, null)).toMatchObject({ ok: true })
  const late = restarted.resolve(id, yes, as('bob'))
  await expect(late).rejects.toMatchObject({ code: 'APPROVAL_DECIDED' })
})
