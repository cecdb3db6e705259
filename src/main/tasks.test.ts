/** A file with several tasks: each is listed and can be started, at every door. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOurNode } from './daemon.contract.ts'
import { openAgent, useHouse } from './mcp.contract.ts'

const taskOf = (id: string) => ({
  type: 'steps',
  version: 'v1alpha',
  id,
  tool: { name: `submit_${id}` },
  steps: [{ id: `ASK_${id.toUpperCase()}`, goal: `Ask about ${id}`, inputs: [{ name: id }] }],
})
const support = { type: 'context', context: { task: [taskOf('refund'), taskOf('parcel')] } }
const shop = {
  type: 'context',
  name: 'shop',
  context: { task: [taskOf('order'), taskOf('gift')] },
}
const house = useHouse({ near: [support], stored: [shop] })

describe.runIf(isOurNode)('a file with several tasks', () => {
  test.each(['stdio', 'http'] as const)(
    'every task is listed and can be loaded, over %s',
    async (wire) => {
      const { call, client } = await openAgent(house(), { wire })
      const { values } = await call('pawl_list_workflows')
      const names = values.workflows.map((one) => (one as { name: string }).name)
      expect(names.toSorted()).toEqual(['gift', 'order', 'parcel', 'refund'])
      const { prompts } = await client.listPrompts()
      const gift = prompts.find((one) => one.name === 'gift')
      expect(gift?.arguments?.map((one) => one.name)).toEqual(['goal', 'gift'])
      for (const name of ['parcel', 'gift']) {
        const other = await openAgent(house(), { wire })
        const loaded = await other.call('pawl_load_workflow', { name })
        const step = `ASK_${name.toUpperCase()}`
        expect(loaded.values.run).toMatchObject({
          workflow: name,
          step,
          submit_tool: `submit_${name}`,
        })
      }
    },
  )

  test('the name of the file starts the first task, and `task` another one', async () => {
    const first = await openAgent(house(), { wire: 'http' })
    const loaded = await first.call('pawl_load_workflow', { name: 'shop' })
    expect(loaded.values.run).toMatchObject({ workflow: 'order' })
    const second = await openAgent(house(), { wire: 'http' })
    const other = await second.call('pawl_load_workflow', { name: 'shop', task: 'gift' })
    expect(other.values.run).toMatchObject({ workflow: 'gift' })
  })

  test('a task that is not in the definition is refused, with a suggestion', async () => {
    const { call } = await openAgent(house(), { wire: 'http' })
    const refused = await call('pawl_load_workflow', { name: 'shop', task: 'gifts' })
    expect(refused.values.error).toMatchObject({
      code: 'REQUEST_INVALID',
      hint: 'did you mean `gift`?',
    })
  })

  test('the command line lists tasks, and starts them by name, by file and task', async () => {
    const { out } = await house().cli('definitions')
    expect(out).toMatch(/shop.*order.*gift/s)
    const { items } = await house().json('definitions')
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'shop', tasks: ['order', 'gift'] }),
    )
    expect((await house().json('start', 'gift')).view.name).toBe('gift')
    expect((await house().json('start', 'parcel')).view.name).toBe('parcel')
    writeFileSync(join(house().workspace, 'support.json'), JSON.stringify(support))
    expect((await house().json('start', 'support.json', '--task', 'parcel')).view.name).toBe(
      'parcel',
    )
  })

  test('a definition is not changed or removed by the name of one of its tasks', async () => {
    const { code, err } = await house().cli('definitions', 'remove', 'gift')
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('gift') })
  })

  test('a task that several definitions have is not guessed', async () => {
    const another = {
      ...shop,
      name: 'another',
      context: { task: [taskOf('order'), taskOf('else')] },
    }
    writeFileSync(join(house().workspace, 'another.json'), JSON.stringify(another))
    await house().json('definitions', 'add', 'another.json')
    const { code, err } = await house().cli('start', 'order')
    expect(code).toBe(2)
    expect(err).toContain('several definitions have a task `order`')
    await house().json('definitions', 'remove', 'another')
  })
})
