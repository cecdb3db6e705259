/** Fields of processes: what each accepts and rejects, the budget, and the tools of routines. */
import { expect, onTestFinished } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { freshName, processClient, smallest, startRun } from './processes.ts'

const claim = claimsOf('process definitions')
const doors = useDoors()
const processes = processClient(doors)

type BadRow = readonly [
  section: string,
  quote: string,
  change: Readonly<Record<string, Json>>,
  at: string,
]
const fields = 'Process fields'
const states = 'State fields'
const answers = 'Answer fields'

/** A process with one answer. */
function withAnswer(answer: Json): Readonly<Record<string, Json>> {
  return { states: { ask: { question: 'Ready?', answers: { yes: answer } } } }
}

const bad: readonly BadRow[] = [
  [fields, 'name | string', { name: 5 }, '/name'],
  [fields, 'name | string', { name: null }, '/name'],
  [fields, 'initial | string', { initial: 5 }, '/initial'],
  [fields, 'initial: Key of the state', { initial: 'nowhere' }, '/initial'],
  [fields, 'initial_prompt | string?', { initial_prompt: 5 }, '/initial_prompt'],
  [fields, 'states | Record<string, State>', { states: [] }, '/states'],
  [fields, 'states | Record<string, State>', { states: 'ask' }, '/states'],
  [fields, 'states | Record<string, State>', { states: {} }, ''],
  [fields, 'session_budget_usd | number?', { session_budget_usd: '5' }, '/session_budget_usd'],
  [fields, 'session_budget_usd | number?', { session_budget_usd: -1 }, '/session_budget_usd'],
  [fields, 'email_config | EmailConfig?', { email_config: 'all' }, '/email_config'],
  [
    fields,
    'email_config: max_emails_per_session',
    { email_config: { max_emails_per_session: -1 } },
    '/email_config/max_emails_per_session',
  ],
  [
    fields,
    'email_config: max_emails_per_session',
    { email_config: { max_emails_per_session: 1.5 } },
    '/email_config/max_emails_per_session',
  ],
  [fields, 'email_config: allowed_to', { email_config: { allowed_to: 5 } }, '/email_config'],
  [fields, 'allowed_tools | string[]?', { allowed_tools: [5] }, '/allowed_tools'],
  [states, 'question | string', { states: { ask: {} } }, '/states/ask'],
  [states, 'question | string', { states: { ask: { question: 5 } } }, '/states/ask/question'],
  [
    states,
    'answers | Record<string, Answer>',
    { states: { ask: { question: 'Q', answers: ['yes'] } } },
    '/states/ask/answers',
  ],
  [answers, 'next | string | null', withAnswer({}), '/states/ask/answers/yes'],
  [answers, 'next | string | null', withAnswer({ next: 5 }), '/states/ask/answers/yes/next'],
  [
    answers,
    'next: Key of the next state.',
    withAnswer({ next: 'x' }),
    '/states/ask/answers/yes/next',
  ],
  [
    answers,
    'action | "block" | "warn" | "complete" | "notify_human"?',
    withAnswer({ next: null, action: 'stop' }),
    '/states/ask/answers/yes/action',
  ],
  [
    answers,
    'action | "block" | "warn" | "complete" | "notify_human"?',
    withAnswer({ next: null, action: 5 }),
    '/states/ask/answers/yes/action',
  ],
  [fields, 'allowed_tools | string[]?', { alowed_tools: ['memory_get'] }, '/alowed_tools'],
]
for (const [section, quote, change, at] of bad) {
  claim(
    {
      section,
      quote,
      check: `\`${JSON.stringify(change)}\` is rejected at \`${at || '/'}\`, and nothing is stored`,
    },
    async () => {
      const name = freshName()
      const { status, body, type } = await processes.store({ ...smallest, name, ...change })
      expect([status, type]).toEqual([422, 'application/problem+json'])
      expect(body).toMatchObject({ code: 'DEFINITION_INVALID', detail: expect.any(String) })
      const errors = body.findings.filter((one: LooseJson) => one.severity === 'error')
      const places = errors.map((one: LooseJson) => one.pointer)
      expect(
        places.some((one: string) => one.startsWith(at)),
        places.join(),
      ).toBe(true)
      expect((await doors.rest(`GET /v1/definitions/${name}`)).status).toBe(404)
    },
  )
}
for (const field of ['name', 'initial', 'states'] as const) {
  claim(
    {
      section: fields,
      quote: `${field} | required`,
      check: 'a process without this field is rejected',
    },
    async () => {
      const { [field]: _, ...rest } = { name: freshName(), ...smallest }
      const { status, body } = await processes.store({ dialect: 'process', ...rest })
      expect([status, body.code]).toEqual([422, 'DEFINITION_INVALID'])
    },
  )
}

const optional: readonly (readonly [section: string, field: string, change: object])[] = [
  [fields, 'initial_prompt | string?', { initial_prompt: null }],
  [fields, 'session_budget_usd | number?', { session_budget_usd: null }],
  [fields, 'email_config | EmailConfig?', { email_config: null }],
  [fields, 'allowed_tools | string[]?', { allowed_tools: null }],
  [fields, 'policy', { policy: null }],
  [answers, 'action …?', withAnswer({ next: null, action: null })],
  [
    'Policy fields',
    'allow | PolicyRule[]? · ask | PolicyRule[]? · deny | Array<{capability}>?',
    { policy: { role: 'agent', allow: null, ask: null, deny: null } },
  ],
  [
    'PolicyRule fields',
    'rate_limit …? · budget_limit …?',
    {
      policy: {
        role: 'agent',
        allow: [{ capability: 'bash', rate_limit: null, budget_limit: null }],
      },
    },
  ],
]
for (const [section, quote, change] of optional) {
  claim(
    { section, quote, check: 'an explicit null means the same as leaving the field out' },
    async () => {
      const { status, body } = await processes.store({ ...smallest, name: freshName(), ...change })
      expect(status, JSON.stringify(body)).toBe(200)
      const run = await startRun(doors, body.definition.name)
      expect((await run.call('Bash', { command: 'ls' })).verdict).toBe('allow')
    },
  )
}

claim(
  {
    section: fields,
    quote: 'states: Keys must match answer.next values.',
    check: 'a state that no answer leads to gets a warning, and the process starts',
  },
  async () => {
    const more = { ...smallest.states, lost: { question: 'Who asks this?' } }
    const { ok, findings } = await processes.check({ ...smallest, name: 'x', states: more })
    expect(ok).toBe(true)
    expect(findings).toMatchObject([{ severity: 'warning', pointer: '/states/lost' }])
  },
)

claim(
  {
    section: fields,
    quote: 'allowed_tools … names outside the whitelist are silently ignored',
    check: 'such names are ignored with a warning that names them; the process starts',
    differs: 'tools-outside-the-whitelist',
  },
  async () => {
    const change = { allowed_tools: ['memory_get', 'bash'] }
    const { status, body } = await processes.store({ ...smallest, name: freshName(), ...change })
    expect(status).toBe(200)
    expect(body.findings).toMatchObject([
      { severity: 'warning', code: 'TOOL_IGNORED', pointer: '/allowed_tools/1' },
    ])
  },
)

const budget = 'session_budget_usd: Hard cap on session cost.'
claim(
  { section: fields, quote: budget, check: 'with 0.99 of 1.00 spent, calls are allowed' },
  async () => {
    const run = await processes.start({ session_budget_usd: 1 })
    await spend(run.id, 990_000)
    expect((await run.call('Bash', { command: 'ls' })).verdict).toBe('allow')
  },
)
claim(
  {
    section: fields,
    quote:
      'session_budget_usd … denies tool calls once the running session cost reaches this number.',
    check: 'with 1.00 of 1.00 spent, every tool call is denied',
  },
  async () => {
    const run = await processes.start({ session_budget_usd: 1 })
    await spend(run.id, 1_000_000)
    for (const tool of ['Bash', 'Read', 'mcp__x__y']) {
      const verdict = await run.call(tool, { command: 'ls' })
      expect(verdict).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
    }
  },
)
claim(
  {
    section: fields,
    quote: 'session_budget_usd … the running session cost',
    check: 'costs that tools report also count; the process can still be answered',
  },
  async () => {
    const run = await processes.start({ session_budget_usd: 0.5 })
    await run.pay('mcp__paid__search', 0.5)
    expect((await run.call('mcp__free__x')).verdict).toBe('deny')
    expect((await run.answer('yes')).status).toBe(200)
    expect((await run.read()).head.status).toBe('completed')
  },
)
claim(
  {
    section: fields,
    quote: 'session_budget_usd | number?',
    check: 'another session of the same process starts with the full budget',
  },
  async () => {
    const run = await processes.start({ session_budget_usd: 1 })
    await spend(run.id, 1_000_000)
    const next = await startRun(doors, run.name)
    expect((await next.call('Bash', { command: 'ls' })).verdict).toBe('allow')
  },
)
claim(
  {
    section: fields,
    quote: 'session_budget_usd | number? | Hard cap',
    check: 'without a budget, nothing is capped',
  },
  async () => {
    const run = await processes.start()
    await spend(run.id, 90_000_000)
    expect((await run.call('Bash', { command: 'ls' })).verdict).toBe('allow')
  },
)

async function spend(runId: string, costMicroUsd: number): Promise<void> {
  const request = { as: 'agent', body: { costMicroUsd } } as const
  expect((await doors.rest(`POST /v1/runs/${runId}/spending`, request)).status).toBe(200)
}

/** The names of the tools at the process endpoint, for a run of such a process. */
async function routineTools(wire: 'stdio' | 'http', change: object) {
  const name = freshName()
  await processes.store({ ...smallest, name, ...change })
  const workspace = doors.house().workspace
  const body = { definition: name, workspace }
  const { body: started } = await doors.rest('POST /v1/runs', { as: 'agent', body })
  onTestFinished(async () => {
    await doors.rest(`POST /v1/runs/${started.runId}/cancel`)
  })
  const agent = await doors.connect({ wire, isRoutine: true })
  const names = (await agent.tools()).map((one) => one.name)
  return { names, agent, runId: started.runId as string }
}

const whitelist = [
  ...['memory_delete', 'memory_get', 'memory_list', 'memory_search', 'memory_set', 'process_step'],
  ...['task_claim', 'task_complete', 'task_create', 'task_list', 'task_update'],
]
for (const wire of ['stdio', 'http'] as const) {
  const over = `/mcp/process over ${wire}`
  for (const [quote, change, wanted] of [
    ['allowed_tools: Omit to use the full whitelist.', {}, whitelist],
    [
      'allowed_tools … Intersected with the endpoint’s routine-safe whitelist',
      { allowed_tools: ['memory_get', 'task_claim', 'process_step'] },
      ['memory_get', 'process_step', 'task_claim'],
    ],
    [
      'names outside the whitelist are silently ignored',
      { allowed_tools: ['memory_get', 'bash', 'mcp:filesystem:write_file', 'process_run'] },
      ['memory_get', 'process_step'],
    ],
    ['allowed_tools | string[]?', { allowed_tools: [] }, ['process_step']],
  ] as const) {
    claim(
      {
        section: fields,
        quote,
        check: `${over}: \`${JSON.stringify(change)}\` offers ${wanted.length} tool(s)`,
      },
      async () => {
        const { names } = await routineTools(wire, change)
        expect([...names].sort()).toEqual([...wanted])
      },
    )
  }
  claim(
    {
      section: fields,
      quote: 'allowed_tools: MCP tools this process may invoke via /mcp/process.',
      check: `${over}: only the listed tools can be called`,
    },
    async () => {
      const change = { allowed_tools: ['memory_get', 'memory_set'] }
      const { agent, runId } = await routineTools(wire, change)
      const set = await agent.call('memory_set', { key: `k-${wire}`, value: 1 })
      expect(set.isError).toBe(false)
      expect((await agent.call('task_create', { title: 'x' })).isError).toBe(true)
      await expect(agent.client.callTool({ name: 'process_run' })).rejects.toMatchObject({
        code: -32602,
      })
      const { body } = await doors.rest(`GET /v1/runs/${runId}/events`)
      const calls = body.items.filter((one: LooseJson) => one.type.startsWith('call.'))
      expect(new Set(calls.map((one: LooseJson) => one.actor))).toEqual(new Set(['agent:process']))
    },
  )
}
