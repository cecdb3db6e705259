/** The endpoint for unattended routines, over both wires: the safe tools and no others. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isOurNode, release } from './daemon.contract.ts'
import { checklist, openAgent, useHouse } from './mcp.contract.ts'

const nightly = {
  ...checklist.definition,
  name: 'nightly',
  allowed_tools: ['memory_get', 'memory_set', 'task_claim', 'Bash'],
}

const house = useHouse({ near: [nightly, checklist.definition, release] })

const wires = ['stdio', 'http'] as const
const isRoutine = true

describe.runIf(isOurNode)('routines', () => {
  test.each(wires)('the tools are those that the process lists (%s)', async (wire) => {
    const { tools, client } = await openAgent(house(), { wire, isRoutine })
    const names = async () => (await tools()).map((one) => one.name)
    expect(await names()).toEqual(['process_step'])
    await house().json('start', 'nightly')
    expect(await names()).toEqual(['process_step', 'memory_set', 'memory_get', 'task_claim'])
    for (const name of ['pawl_load_workflow', 'pawl_transition', 'pawl_force_state', 'Bash']) {
      await expect(client.callTool({ name }), name).rejects.toMatchObject({ code: -32602 })
    }
  })

  test.each(wires)(
    'notes and tasks outlive the run, and every call is marked (%s)',
    async (wire) => {
      const { runId } = await house().json('start', 'backup')
      const { call, tools } = await openAgent(house(), { wire, isRoutine })
      expect(await tools()).toHaveLength(11)
      expect((await call('process_step')).values.run).toMatchObject({ state: 'made' })
      await call('memory_set', { key: `disk/${wire}`, value: { free: 7 } })
      const { task } = (await call('task_create', { title: 'buy a disk' })).values
      expect((await call('task_claim', { id: task.id })).values.task).toMatchObject({ run: runId })
      await call('task_complete', { id: task.id, result: 'bought' })
      const answered = await call('process_step', { answer: 'yes', state: 'made' })
      expect(answered.values.run).toMatchObject({ state: 'tried' })
      const done = await call('process_step', { answer: 'yes' })
      expect(done.values.run).toMatchObject({ status: 'completed' })
      const late = await call('memory_set', { key: 'late', value: 1 })
      expect(late).toMatchObject({ isError: true })
      const { items } = await house().json('log', runId)
      const acts = items.filter((one) => /^(call|signal|stage)\./.test(typeOf(one)) && one.seq > 2)
      expect(new Set(acts.map(actorOf))).toEqual(new Set(['agent:process']))
      await house().json('start', 'backup')
      const next = await openAgent(house(), { wire, isRoutine })
      const kept = await next.call('memory_get', { key: `disk/${wire}` })
      expect(kept.values.memory).toMatchObject({ value: { free: 7 }, by: { source: 'process' } })
      const gone = await next.call('memory_get', { key: 'late' })
      expect(gone.values.memory).toBeNull()
    },
  )

  test('a tool that the process does not list is denied, even when it is called', async () => {
    await house().json('start', 'nightly')
    const { call } = await openAgent(house(), { wire: 'http', isRoutine })
    const denied = await call('memory_delete', { key: 'disk' })
    expect(denied).toMatchObject({
      isError: true,
      values: { error: { code: 'TOOL_NOT_ALLOWED' }, run: { state: 'made' } },
    })
  })

  test.each(wires)('what a policy denies is not shown, and denied (%s)', async (wire) => {
    const path = join(house().workspace, '.pawl', 'policy.json')
    writeFileSync(path, JSON.stringify({ deny: [{ capability: 'memory_set' }] }))
    onTestFinished(() => rmSync(path))
    await house().json('start', 'nightly')
    const { call, tools } = await openAgent(house(), { wire, isRoutine })
    const names = async () => (await tools()).map((one) => one.name)
    await expect.poll(names).toEqual(['process_step', 'memory_get', 'task_claim'])
    const denied = await call('memory_set', { key: 'a', value: 1 })
    expect(denied.values.error).toMatchObject({ code: 'POLICY_DENIED' })
  })

  test('a run of another dialect is not for routines', async () => {
    await house().json('start', 'release')
    const { call, tools } = await openAgent(house(), { wire: 'http', isRoutine })
    expect(await tools()).toHaveLength(1)
    for (const [name, input] of [
      ['process_step', { answer: 'READY' }],
      ['memory_get', { key: 'a' }],
    ] as const) {
      const refused = await call(name, input)
      expect(refused.values.error, name).toMatchObject({ code: 'NOT_PERMITTED' })
    }
  })
})

function typeOf(item: object): string {
  return 'type' in item ? String(item.type) : ''
}

function actorOf(item: object): string {
  return 'actor' in item ? String(item.actor) : ''
}
