/** The demo, as a person sees it: the agent is stopped, found out, asks, and finishes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, openClient } from '../client/index.ts'
import { type House, isOurNode, openHouse, until } from '../main/daemon.contract.ts'

const slow = { timeout: 180_000 }

function openPerson(house: House): Client {
  const data = join(house.folder, 'data')
  const token = readFileSync(join(data, 'person.token'), 'utf8').trim()
  return openClient({ socket: join(data, 'daemon.sock'), token })
}

/** The next pending approval. */
async function nextApproval(person: Client): Promise<{ id: string; runId: string }> {
  for (;;) {
    const [first] = (await person.approvals.list({ status: 'pending' })).items
    if (first !== undefined) return first
    await sleep(100)
  }
}

test.runIf(isOurNode)('the agent of the demo is held, and finishes', slow, async () => {
  const house = openHouse()
  onTestFinished(house.close)
  const demo = house.start(['demo'])
  await until(() => demo.said().includes('#/sign-in/'), 'the demo says where to look')
  const person = openPerson(house)
  onTestFinished(person.close)
  const first = await nextApproval(person)
  await person.approvals.decide({ id: first.id, granted: false, note: 'add a comment' })
  const second = await nextApproval(person)
  expect(second.runId).toBe(first.runId)
  await person.approvals.decide({ id: second.id, granted: true })
  await until(() => demo.said().includes('hash chain is intact'), 'the proof is shown')

  await until(() => / init\n/.test(demo.said()), 'it says what is next')
  const said = demo.said()
  expect(said).toContain(`  ${join(import.meta.dirname, '../../pawl')} init\n`)
  expect(said).toContain('`Edit` may not be used in `understanding`')
  expect(said).toContain('Pawl has not seen `node --test` run alone')
  expect(said).toMatch(/claims that all tests pass[^✗]*✗ .*the last `node --test` exited 1/)
  expect(said).toContain('saw the tests pass (exit code 0)')
  expect(said).toContain('4 denied')
  expect(said).toContain('2 claims rejected')
  const project = join(house.folder, 'project')
  expect(readFileSync(join(project, 'src/cart.js'), 'utf8')).toBe(
    '// The quantity counts: two coffees cost twice as much as one.\n' +
      'export function total(items) {\n' +
      '  return items.reduce((sum, item) => sum + item.price * item.quantity, 0)\n}\n',
  )
  expect(readFileSync(join(project, 'CHANGELOG.md'), 'utf8')).toContain('Fixed')
  expect(readdirSync(house.folder).sort()).toEqual(['data', 'project'])
  const { head } = await person.runs.read({ runId: first.runId })
  expect(head.status).toBe('completed')
  demo.child.kill('SIGTERM')
  expect(await demo.ended).toMatchObject({ code: 0 })
})

test.runIf(isOurNode)('a demo that was interrupted begins again', slow, async () => {
  const house = openHouse()
  onTestFinished(house.close)
  const before = house.start(['demo'])
  await until(() => before.said().includes('moved to `red`'), 'the agent is at work')
  before.child.kill('SIGTERM')
  await before.ended
  const demo = house.start(['demo'])
  await until(() => demo.said().includes('moved to `red`'), 'the agent is at work again')
  const person = openPerson(house)
  onTestFinished(person.close)
  const { items } = await person.runs.list({})
  expect(items.map(({ status }) => status).sort()).toEqual(['cancelled', 'running'])
  demo.child.kill('SIGTERM')
  expect(await demo.ended).toMatchObject({ code: 0 })
})
