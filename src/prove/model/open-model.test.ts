import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { type Model, openModel } from './open-model.ts'
import { fillLast, type Script } from './script.ts'

let model: Model | null = null
afterEach(async () => {
  await model?.close()
  model = null
})

const script: Script = {
  turns: [
    { text: 'hello', tools: [{ name: 'Bash', input: { command: 'true' } }] },
    { tools: [{ name: 'Again', input: { id: { $last: 'id (\\d+)', as: 'number' } } }] },
    { text: 'bye' },
  ],
  lanes: [{ name: 'sub', match: 'SUBTASK', turns: [{ text: 'sub speaks' }] }],
  aux: 'a title',
}

async function open(): Promise<Model> {
  model = await openModel({ script })
  return model
}

async function post(path: string, body: object): Promise<string> {
  const url = `${model?.url}${path}`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return response.text()
}

const apis = {
  anthropic: {
    path: '/v1/messages',
    first: { model: 'm', tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'go' }] },
    second: (id: string) => ({
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'id 41' }] },
      ],
    }),
  },
  responses: {
    path: '/v1/responses',
    first: { model: 'm', tools: [{ name: 'Bash' }], input: [{ role: 'user', content: 'go' }] },
    second: (id: string) => ({
      input: [
        { role: 'user', content: 'go' },
        { type: 'function_call', call_id: id },
        { type: 'function_call_output', call_id: id, output: 'id 41' },
      ],
    }),
  },
  chat: {
    path: '/v1/chat/completions',
    first: {
      model: 'm',
      tools: [{ function: { name: 'Bash' } }],
      messages: [{ role: 'user', content: 'go' }],
    },
    second: (id: string) => ({
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: null },
        { role: 'tool', tool_call_id: id, content: 'id 41' },
      ],
    }),
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    first: {
      tools: [{ functionDeclarations: [{ name: 'Bash' }] }],
      contents: [{ role: 'user', parts: [{ text: 'go' }] }],
    },
    second: (id: string) => ({
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: [] },
        { role: 'user', parts: [{ functionResponse: { id, name: 'B', response: 'id 41' } }] },
      ],
    }),
  },
}
const names = Object.keys(apis) as (keyof typeof apis)[]

test.each(names)('%s: the turns come one per request, with what was told back', async (name) => {
  const { path, first, second } = apis[name]
  const { exchanges, unused } = await open()
  const answer = await post(path, first)
  const call = exchanges[0]?.calls[0]
  expect(answer).toContain('hello')
  expect(answer).toContain('Bash')
  expect(answer).toContain(call?.id)
  expect(exchanges[0]).toMatchObject({ lane: 'main', index: 0, offered: ['Bash'] })
  expect(unused()).toEqual(['sub 0/1', 'main 1/3'])

  const next = await post(path, { ...first, ...second(call?.id ?? '') })
  expect(exchanges[1]?.told.find((one) => one.callId === call?.id)?.text).toContain('id 41')
  expect(exchanges[1]?.calls[0]).toMatchObject({ name: 'Again', input: { id: 41 } })
  expect(next).toContain('41')
})

test.each(names)('%s: a stream carries the same words as events', async (name) => {
  const { path, first } = apis[name]
  await open()
  const streamed = path.replace(':generateContent', ':streamGenerateContent?alt=sse')
  const answer = await post(streamed, { ...first, stream: true })
  const events = answer
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject)
  expect(events.length).toBeGreaterThan(0)
  expect(answer).toContain('hello')
  expect(answer).toContain('Bash')
})

test('a request that offers no tools uses no turn', async () => {
  const { exchanges } = await open()
  const { path, first } = apis.anthropic
  expect(await post(path, { ...first, tools: [] })).toContain('a title')
  expect(exchanges[0]).toMatchObject({ lane: 'aux', index: null })
  expect(await post(path, first)).toContain('hello')
})

test('a request for JSON of a schema is answered with JSON of that schema', async () => {
  await open()
  const responseJsonSchema = {
    type: 'object',
    properties: {
      reason: { type: 'string' },
      model: { type: 'string', enum: ['flash', 'pro'] },
      score: { type: 'integer', minimum: 3 },
      isHard: { type: 'BOOLEAN' },
      files: { type: 'array' },
    },
  }
  const body = { generationConfig: { responseJsonSchema }, contents: [] }
  const { candidates } = JSON.parse(await post(apis.gemini.path, body))
  expect(JSON.parse(candidates[0].content.parts[0].text)).toEqual({
    reason: 'ok',
    model: 'flash',
    score: 3,
    isHard: false,
    files: [],
  })
})

test('a sub-agent has a lane of its own', async () => {
  await open()
  const { path, first } = apis.anthropic
  const messages = [{ role: 'user', content: 'do SUBTASK one' }]
  expect(await post(path, { ...first, messages })).toContain('sub speaks')
  expect(await post(path, first)).toContain('hello')
  expect(await post(path, { ...first, messages })).toContain('SCRIPT-EXHAUSTED')
})

test('calls that only Codex knows keep their kind and their namespace', async () => {
  const tools = [
    { name: 'apply_patch', kind: 'custom' as const, input: '*** Begin Patch' },
    { name: 'write_file', namespace: 'mcp__fs', input: { path: 'a' } },
    { name: 'sh', kind: 'local_shell' as const, input: { command: ['true'] } },
  ]
  model = await openModel({ script: { turns: [{ tools }] } })
  const { output } = JSON.parse(await post('/v1/responses', apis.responses.first))
  expect(output).toMatchObject([
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', name: 'write_file', namespace: 'mcp__fs', arguments: '{"path":"a"}' },
    { type: 'local_shell_call', action: { type: 'exec', command: ['true'] } },
  ])
})

test('a scripted fault is a fault of HTTP', async () => {
  model = await openModel({ script: { turns: [{ error: { status: 429 } }] } })
  const body = JSON.stringify(apis.chat.first)
  const { status } = await fetch(`${model.url}${apis.chat.path}`, { method: 'POST', body })
  expect(status).toBe(429)
})

test('a test can act between the question and the answer', async () => {
  const seen: string[] = []
  model = await openModel({ script, onTurn: ({ calls }) => void seen.push(calls[0]?.name ?? '') })
  await post(apis.chat.path, apis.chat.first)
  expect(seen).toEqual(['Bash'])
})

test('a turn is taken again until what comes back matches', async () => {
  const turns = [{ tools: [{ name: 'Find', input: {} }], until: 'id \\d+' }, { text: 'found' }]
  model = await openModel({ script: { turns } })
  const told = (content: string) => ({
    ...apis.anthropic.first,
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content }] },
    ],
  })
  for (const body of [apis.anthropic.first, told('no such tool'), told('id 41')]) {
    await post(apis.anthropic.path, body)
  }
  const seen = model.exchanges.map(({ index, text }) => [index, text])
  expect(seen).toEqual([
    [0, null],
    [0, null],
    [1, 'found'],
  ])
  expect(model.unused()).toEqual([])
})

test.each(Object.values(apis))(
  '$path: a turn says how much of its context is used',
  async (api) => {
    model = await openModel({ script: { turns: [{ text: 'hello', promptTokens: 123_456 }] } })
    expect(await post(api.path, api.first)).toContain('123456')
  },
)

test('what was not told leaves an empty place', () => {
  const input = { a: [{ $last: 'x=(\\w+)' }], b: 1 }
  expect(fillLast(input, 'x=seven')).toEqual({ a: ['seven'], b: 1 })
  expect(fillLast(input, '')).toEqual({ a: [''], b: 1 })
})
