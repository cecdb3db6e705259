/** What clients read and are asked beside calling tools: resources, prompts, and decisions. */
import { describe, expect, test } from 'vitest'
import { isOurNode, release } from './daemon.contract.ts'
import { type Agent, type AgentOptions, form, openAgent, useHouse } from './mcp.contract.ts'

const house = useHouse({
  near: [form.definition],
  stored: [release],
  config: { approvals: { elicitation: true } },
})

const ways: readonly Required<Pick<AgentOptions, 'era' | 'wire'>>[] = [
  { era: '2025-11-25', wire: 'stdio' },
  { era: '2026-07-28', wire: 'stdio' },
  { era: '2025-11-25', wire: 'http' },
  { era: '2026-07-28', wire: 'http' },
]

async function textOf({ client }: Agent, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents
  return content !== undefined && 'text' in content ? content.text : ''
}

describe.runIf(isOurNode)('resources', () => {
  test.each(ways)('definitions, schemas and the run can be read ($wire, $era)', async (way) => {
    const agent = await openAgent(house(), way)
    const { client, call } = agent
    const { run } = (await call('pawl_load_workflow', { name: 'release' })).values.run
    const uris = (await client.listResources()).resources.map((one) => one.uri)
    expect(uris).toEqual(
      expect.arrayContaining([
        'pawl://definitions/trip',
        'pawl://definitions/release',
        'pawl://schemas/workflow',
        `pawl://runs/${run}/state`,
        `pawl://runs/${run}/log`,
      ]),
    )
    for (const uri of uris) expect(await textOf(agent, uri), uri).not.toBe('')
    expect(JSON.parse(await textOf(agent, 'pawl://definitions/trip'))).toEqual(form.definition)
    const state = JSON.parse(await textOf(agent, `pawl://runs/${run}/state`))
    expect(state).toMatchObject({ state: 'plan', events: ['READY'], context: {} })
    const log = JSON.parse(await textOf(agent, `pawl://runs/${run}/log`))
    expect(log[0]).toMatchObject({ seq: 1, type: 'run.started' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map((one) => one.uriTemplate)).toContain('pawl://runs/{run}/state')
  })

  test.each(ways)('what is not there is not found ($wire, $era)', async (way) => {
    const { client } = await openAgent(house(), way)
    for (const uri of [
      'pawl://runs/nobody/state',
      'pawl://runs/nobody',
      'pawl://schemas/..%2f..%2fpackage',
      'pawl://schemas/%E0%A4%A',
      'pawl://definitions/nothing',
      'file:///etc/passwd',
    ]) {
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({
        message: expect.stringContaining('not found'),
      })
    }
  })

  test.each(ways)('who subscribes hears that the run has moved ($wire, $era)', async (way) => {
    const heard: string[] = []
    const agent = await openAgent(house(), { ...way, onUpdate: (uri) => heard.push(uri) })
    const { client, call } = agent
    const { run } = (await call('pawl_load_workflow', { name: 'release' })).values.run
    const uri = `pawl://runs/${run}/state`
    if (way.era === '2025-11-25') await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    await house().json('signal', 'READY')
    await expect.poll(() => heard).toContain(uri)
    expect(heard).not.toContain(`pawl://runs/${run}/log`)
  })
})

describe.runIf(isOurNode)('prompts', () => {
  test.each(ways)('each definition has one, with its first fields ($wire, $era)', async (way) => {
    const { client } = await openAgent(house(), way)
    const { prompts } = await client.listPrompts()
    expect(prompts.map((one) => one.name).toSorted()).toEqual(['release', 'trip'])
    const trip = prompts.find((one) => one.name === 'trip')
    expect(trip?.arguments?.map((one) => one.name)).toEqual(['goal', 'city', 'mail'])
    const { messages } = await client.getPrompt({ name: 'trip', arguments: { city: 'Oslo' } })
    const content = messages[0]?.content
    const text = content?.type === 'text' ? content.text : ''
    expect(text).toContain('`pawl_load_workflow` and `{"name":"trip"}`')
    expect(text).toContain('- city: Oslo')
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
    const odd = client.getPrompt({ name: 'trip', arguments: { colour: 'red' } })
    await expect(odd).rejects.toMatchObject({ code: -32602 })
  })
})

describe.runIf(isOurNode)('asking through the client', () => {
  const parked = async ({ call }: Agent): Promise<string> => {
    const { run } = (await call('pawl_load_workflow', { name: 'release' })).values.run
    await call('pawl_transition', { event: 'READY' })
    await call('pawl_transition', { event: 'SHIP', data: { version: '1.0' } })
    return run
  }

  test.each(ways)('a person decides in their client, and it says so ($wire, $era)', async (way) => {
    const questions: string[] = []
    const agent = await openAgent(house(), {
      ...way,
      onQuestion: (message) => {
        questions.push(message)
        return { action: 'accept', content: { decision: 'approve', note: 'fine' } }
      },
    })
    const run = await parked(agent)
    const waited = await agent.call('pawl_wait')
    expect(waited.values.run).toMatchObject({ status: 'completed' })
    expect(questions).toHaveLength(1)
    expect(questions[0]).toContain('ship it?')
    expect(questions[0]).toContain('"version": "1.0"')
    const { items } = await house().json('approvals', run, '--all')
    expect(items[0]).toMatchObject({
      status: 'granted',
      decidedBy: 'elicited-by-test',
      note: 'fine',
    })
  })

  test('who refuses there has refused, and who declines has not decided', async () => {
    const answers = [
      { action: 'decline' },
      { action: 'accept', content: { decision: 'refuse' } },
    ] as const
    const left = [...answers]
    const onQuestion = () => left.shift() ?? { action: 'cancel' as const }
    const agent = await openAgent(house(), { wire: 'http', onQuestion })
    await parked(agent)
    const first = await agent.call('pawl_wait', { timeout_seconds: 0.1 })
    expect(first.values).toMatchObject({ timed_out: true, run: { status: 'waiting' } })
    const second = await agent.call('pawl_wait')
    expect(second.values.run).toMatchObject({ status: 'running', state: 'build' })
  })

  test('a client that cannot ask is not made to', async () => {
    const agent = await openAgent(house(), { wire: 'http' })
    await parked(agent)
    const waited = await agent.call('pawl_wait', { timeout_seconds: 0.1 })
    expect(waited.values).toMatchObject({ timed_out: true, run: { status: 'waiting' } })
  })
})
