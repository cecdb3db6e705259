/** The sample works: there is something to decide at once, and the agent hears what was decided. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, openClient } from '../client/index.ts'
import { isOurNode, openHouse, until } from '../main/daemon.contract.ts'

async function firstQuestion(person: Client, definition: string, afterId: string | null = null) {
  for (;;) {
    const { items } = await person.approvals.list({ status: 'pending' })
    for (const one of items) {
      const { head } = await person.runs.read({ runId: one.runId })
      if (head.definition === definition && one.id !== afterId) return one
    }
    await sleep(100)
  }
}

test.runIf(isOurNode)('the scripted agent works through its release', async () => {
  const house = openHouse()
  onTestFinished(house.close)
  const daemon = house.start(['serve', '--sample'])
  await until(() => daemon.said().includes('#/sign-in/'), 'the sample says where to look')
  const token = readFileSync(join(house.folder, 'person.token'), 'utf8').trim()
  const person = openClient({ socket: join(house.folder, 'daemon.sock'), token })
  onTestFinished(person.close)
  const hotfix = await firstQuestion(person, 'hotfix')
  const { items: ended } = await person.runs.list({ definition: 'bug-fix' })
  expect(ended.map((head) => head.status).toSorted()).toEqual(['completed', 'failed'])
  await person.approvals.decide({ id: hotfix.id, granted: true })
  const gate = await firstQuestion(person, 'release')
  await person.approvals.decide({ id: gate.id, granted: false, note: 'raise the version first' })
  const again = await firstQuestion(person, 'release', gate.id)
  const { items: events } = await person.runs.events({ runId: gate.runId, limit: 1_000 })
  const told = JSON.stringify(events)
  expect(told).toContain('REWORK')
  const jobs = await person.jobs.list({ run_id: gate.runId })
  expect(jobs).toMatchObject({ processes: [{ command: 'sh run-tests.sh', exit_code: 0 }, {}] })
  expect(told.match(/raise the version first/g)?.length).toBeGreaterThan(1)
  expect(again.runId).toBe(gate.runId)
  const { head } = await person.runs.read({ runId: hotfix.runId })
  expect(head.status).toBe('completed')
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})
