/** Processes at work: states, answers, actions and the full example, over every door. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { freshName, processClient, startRun } from './processes.ts'

const claim = claimsOf('process definitions')
const doors = useDoors()
const processes = processClient(doors)

const actions = {
  initial: 'first',
  initial_prompt: 'Frame the task.',
  states: {
    first: {
      question: 'First question?',
      answers: {
        on: { next: 'second' },
        'n/a': { next: 'second' },
        stop: { next: null, action: 'block' },
        odd: { next: 'second', action: 'warn' },
        done: { next: null, action: 'complete' },
        review: { next: 'second', action: 'notify_human' },
        'review the end': { next: null, action: 'notify_human' },
        end: { next: null },
        'odd end': { next: null, action: 'warn' },
        'block and go': { next: 'second', action: 'block' },
        'complete and go': { next: 'second', action: 'complete' },
        closing: { next: 'closing' },
        again: { next: 'first' },
      },
    },
    second: {
      question: 'Second question?',
      answers: { back: { next: 'first' }, done: { next: null, action: 'complete' } },
    },
    closing: { question: 'Nothing further.' },
  },
}

type MoveRow = {
  readonly section: string
  readonly quote: string
  readonly answer: string
  readonly status: string
  readonly state?: string
  readonly check: string
}

const moves: readonly MoveRow[] = [
  {
    section: 'Answer fields',
    quote: 'next | string | null | Key of the next state.',
    ...{ answer: 'on', status: 'running', state: 'second', check: 'the run moves to that state' },
  },
  {
    section: 'Answer fields',
    quote: 'next: null means this answer terminates the session.',
    ...{ answer: 'end', status: 'completed', check: 'without an action, the run is completed' },
  },
  {
    section: 'Answer actions',
    quote: 'block | Terminates the session and marks it as blocked.',
    ...{ answer: 'stop', status: 'blocked', check: 'the run ends as blocked' },
  },
  {
    section: 'Answer actions',
    quote: 'warn | Continues the session but emits a warning in the log.',
    ...{ answer: 'odd', status: 'running', state: 'second', check: 'the run continues' },
  },
  {
    section: 'Answer actions',
    quote: 'warn | Continues the session',
    ...{
      answer: 'odd end',
      status: 'completed',
      check: 'with next: null, the run ends as completed',
    },
  },
  {
    section: 'Answer actions',
    quote: 'complete | Marks the session as successfully completed.',
    ...{ answer: 'done', status: 'completed', check: 'the run ends as completed' },
  },
  {
    section: 'Answer actions',
    quote: 'notify_human | Pauses the session and notifies you for manual review',
    ...{ answer: 'review', status: 'waiting', state: 'first', check: 'the run waits in its state' },
  },
  {
    section: 'Answer actions',
    quote: 'block | Terminates the session',
    ...{
      answer: 'block and go',
      status: 'blocked',
      check: 'the run is blocked even if a next state is given',
    },
  },
  {
    section: 'Answer actions',
    quote: 'complete | Marks the session as successfully completed.',
    answer: 'complete and go',
    ...{ status: 'completed', check: 'the run is completed even if a next state is given' },
  },
  {
    section: 'State fields',
    quote: 'answers: A state with no answers is terminal.',
    ...{
      answer: 'closing',
      status: 'completed',
      state: 'closing',
      check: 'entering such a state ends the run',
    },
  },
  {
    section: 'State fields',
    quote: 'answers | Record<string, Answer>',
    ...{
      answer: 'n/a',
      status: 'running',
      state: 'second',
      check: 'an answer key may contain any character',
    },
  },
  {
    section: 'Answer fields',
    quote: 'next | string',
    ...{ answer: 'again', status: 'running', state: 'first', check: 'a state may lead to itself' },
  },
]

for (const { section, quote, answer, status, state, check } of moves) {
  claim({ section, quote, check: `REST, answer \`${answer}\`: ${check}` }, async () => {
    const run = await processes.start(actions)
    expect((await run.answer(answer)).status).toBe(200)
    const { head, view } = await run.read()
    expect(head.status).toBe(status)
    if (state !== undefined) expect(view.stage).toBe(state)
  })
}

/** A run of a new process over an MCP client of its own. */
async function overMcp(wire: 'stdio' | 'http', definition: object) {
  const name = freshName()
  await processes.store({ ...definition, name })
  const agent = await doors.connect({ wire })
  const loaded = await agent.call('pawl_load_workflow', { name })
  expect(loaded.isError, loaded.text).toBe(false)
  const run = loaded.values.run as LooseJson
  const step = async (answer: string): Promise<LooseJson> =>
    (await agent.call('process_step', { answer })).values
  const cancel = () => doors.rest(`POST /v1/runs/${run.run}/cancel`)
  return { agent, run, loaded, step, cancel }
}

for (const wire of ['stdio', 'http'] as const) {
  for (const [quote, answer, status, state] of [
    ['block | Terminates the session and marks it as blocked.', 'stop', 'blocked', 'first'],
    ['warn | Continues the session but emits a warning', 'odd', 'running', 'second'],
    ['complete | Marks the session as successfully completed.', 'done', 'completed', 'first'],
    ['notify_human | Pauses the session', 'review', 'waiting', 'first'],
  ] as const) {
    claim(
      {
        section: 'Answer actions',
        quote,
        check: `MCP over ${wire}: \`process_step\` reports that the run is ${status}`,
      },
      async () => {
        const { step, cancel } = await overMcp(wire, actions)
        const values = await step(answer)
        expect(values).toMatchObject({ ok: true, run: { status, state } })
        if (answer === 'odd') expect(values.warnings).toHaveLength(1)
        await cancel()
      },
    )
  }
  claim(
    {
      section: 'State fields',
      quote: 'question | string | The question posed to the agent at this checkpoint.',
      check: `MCP over ${wire}: structured content and text have the question and its answers`,
    },
    async () => {
      const { run, loaded, cancel, agent } = await overMcp(wire, actions)
      expect(run).toMatchObject({ state: 'first', question: 'First question?' })
      expect(run.answers).toEqual(Object.keys(actions.states.first.answers))
      expect(loaded.text).toContain('First question?')
      const look = await agent.call('process_step')
      expect(look.values.run).toMatchObject({ state: 'first', question: 'First question?' })
      await cancel()
    },
  )
  claim(
    {
      section: 'What are Process Definitions?',
      quote: 'The agent picks one of the configured answers',
      check: `MCP over ${wire}: any other answer is an error that lists the valid ones`,
    },
    async () => {
      const { agent, cancel } = await overMcp(wire, actions)
      for (const answer of ['maybe', '', 'constructor', 'x'.repeat(600)]) {
        const told = await agent.call('process_step', { answer })
        expect(told.isError, answer).toBe(true)
        expect((told.values.error as LooseJson).code, answer).toMatch(/^[A-Z_]+$/)
      }
      const unknown = await agent.call('process_step', { answer: 'maybe' })
      expect(unknown.text).toContain('`on`')
      expect((await agent.call('process_step')).values.run).toMatchObject({ state: 'first' })
      await cancel()
    },
  )
}

claim(
  {
    section: 'Process fields',
    quote: 'initial | string | Key of the state the agent enters when a session starts.',
    check: 'the run starts in this state, even if it is the second in the file',
  },
  async () => {
    const run = await processes.start({ ...actions, initial: 'second' })
    expect(run.view).toMatchObject({ stage: 'second', goal: 'Second question?' })
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'initial_prompt: Optional text injected before the first agent turn.',
    check: 'the prompt precedes the first question and does not appear in the next state',
  },
  async () => {
    const run = await processes.start(actions)
    expect(run.view.brief).toMatch(/^Frame the task\.\n\nFirst question\?/)
    await run.answer('on')
    expect((await run.read()).view.brief).not.toContain('Frame the task.')
    await run.answer('back')
    expect((await run.read()).view.brief).not.toContain('Frame the task.')
  },
)
claim(
  {
    section: 'Process fields',
    quote: 'initial_prompt | string? | Optional',
    check: 'without it, the text for the agent begins with the question',
  },
  async () => {
    const run = await processes.start()
    expect(run.view.brief).toMatch(/^Ready\?/)
  },
)
claim(
  {
    section: 'State fields',
    quote: 'answers: A state with no answers is terminal.',
    check: '`"answers": {}` means the same as no answers',
  },
  async () => {
    const states = { ...actions.states, closing: { question: 'End.', answers: {} } }
    const run = await processes.start({ ...actions, states })
    await run.answer('closing')
    expect((await run.read()).head.status).toBe('completed')
  },
)
claim(
  {
    section: 'Answer actions',
    quote: 'block … The agent cannot continue.',
    check: 'no answer is accepted afterwards, and every tool call is denied',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('stop')
    const late = await run.answer('on')
    expect(late).toMatchObject({ status: 409, body: { code: 'RUN_NOT_RUNNING' } })
    for (const tool of ['Bash', 'Read', 'mcp__filesystem__read_file']) {
      expect((await run.call(tool, { command: 'ls' })).verdict).toBe('deny')
    }
  },
)
claim(
  {
    section: 'Answer actions',
    quote: 'warn … emits a warning in the log.',
    check: 'the log of the run contains the warning, the answer and the state',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('odd')
    const log = (await run.events()).map(({ data }) => JSON.stringify(data))
    expect(log.some((line) => /warn/.test(line) && /odd/.test(line) && /first/.test(line))).toBe(
      true,
    )
  },
)
claim(
  {
    section: 'Answer actions',
    quote: 'complete | Marks the session as successfully completed.',
    check: 'no answer is accepted afterwards',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('done')
    expect((await run.answer('on')).status).toBe(409)
  },
)
claim(
  {
    section: 'Answer actions',
    quote: 'notify_human … notifies you for manual review before the agent continues.',
    check: 'the question is listed among the pending approvals; the agent cannot decide it',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('review')
    const { body } = await doors.rest(`GET /v1/approvals?runId=${run.id}`)
    expect(body.items).toMatchObject([{ status: 'pending', kind: 'move' }])
    expect(body.items[0].message).toContain('review')
    const own = { as: 'agent', body: { granted: true } } as const
    const tried = await doors.rest(`POST /v1/approvals/${body.items[0].id}`, own)
    expect(tried.status).toBe(403)
  },
)
claim(
  {
    section: 'Answer actions',
    quote: 'notify_human | Pauses the session',
    check: 'until the decision, no answer is accepted and no tool can be called',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('review')
    const meanwhile = await run.answer('on')
    expect(meanwhile).toMatchObject({ status: 409, body: { code: 'APPROVAL_PENDING' } })
    expect((await run.call('Read', { file_path: 'x' })).verdict).toBe('deny')
  },
)
for (const [granted, answer, status, state] of [
  [true, 'review', 'running', 'second'],
  [false, 'review', 'blocked', 'first'],
  [true, 'review the end', 'completed', null],
  [false, 'review the end', 'blocked', null],
] as const) {
  claim(
    {
      section: 'Answer actions',
      quote: 'notify_human … manual review before the agent continues.',
      check: `when \`${answer}\` is ${granted ? 'approved' : 'refused'}, the run is ${status}`,
    },
    async () => {
      const run = await processes.start(actions)
      await run.answer(answer)
      expect((await run.decide(granted)).status).toBe(200)
      const { head, view } = await run.read()
      expect(head.status).toBe(status)
      if (state !== null) expect(view.stage).toBe(state)
    },
  )
}
claim(
  {
    section: 'What are Process Definitions?',
    quote: 'the agent must answer a question before proceeding',
    check: 'only answers change the state; a tool call does not',
  },
  async () => {
    const run = await processes.start(actions)
    await run.call('Bash', { command: 'echo on' })
    expect((await run.read()).view.stage).toBe('first')
  },
)
for (const [name, answer] of [
  ['trimmed, case ignored', '  DONE '],
  ['exactly', 'done'],
] as const) {
  claim(
    {
      section: 'What are Process Definitions?',
      quote: 'The agent picks one of the configured answers',
      check: `\`${answer}\` is read as \`done\` (${name})`,
    },
    async () => {
      const run = await processes.start(actions)
      expect((await run.answer(answer)).status).toBe(200)
      expect((await run.read()).head.status).toBe('completed')
    },
  )
}
claim(
  {
    section: 'What are Process Definitions?',
    quote: 'The agent picks one of the configured answers',
    check: 'REST: any other answer is rejected and leaves the state unchanged',
  },
  async () => {
    const run = await processes.start(actions)
    const told = await run.answer('maybe')
    expect(told).toMatchObject({ status: 409, body: { code: 'SIGNAL_UNKNOWN' } })
    expect(told.type).toBe('application/problem+json')
    expect((await run.read()).view.stage).toBe('first')
  },
)
claim(
  {
    section: 'State Machine Concepts',
    quote: 'determines the next state (or terminates the session)',
    check: 'an answer to a state other than the current one is rejected as stale',
  },
  async () => {
    const run = await processes.start(actions)
    await run.answer('on')
    const stale = await run.answer('back', { stage: 'first' })
    expect(stale.status).toBe(409)
    expect((await run.read()).view.stage).toBe('second')
  },
)

/** The document’s full example, to the letter. */
const deployGate = {
  name: 'deploy-gate',
  initial: 'env-check',
  initial_prompt: 'Walk through the deployment checklist before pushing to production.',
  states: {
    'env-check': {
      question: 'Is the target environment correct (not accidentally staging → prod)?',
      answers: { yes: { next: 'migration-check' }, no: { next: null, action: 'block' } },
    },
    'migration-check': {
      question: 'Have all database migrations been reviewed and tested?',
      answers: {
        yes: { next: 'traffic-check' },
        'n/a': { next: 'traffic-check' },
        no: { next: null, action: 'block' },
      },
    },
    'traffic-check': {
      question: 'Is it safe to shift traffic now (no peak hours, no active incidents)?',
      answers: { yes: { next: null, action: 'complete' }, no: { next: null, action: 'block' } },
    },
  },
  policy: {
    role: 'agent',
    allow: [{ capability: 'bash', rate_limit: { max_calls: 50, window_seconds: 3600 } }],
    ask: [
      { capability: 'mcp:filesystem:write_file' },
      { capability: 'mcp:filesystem:delete_file' },
    ],
    deny: [],
  },
}

const full = 'Full Example: Deploy Gate with Policy'

/** Stores the example once. */
async function storedGate(): Promise<void> {
  const { status } = await processes.store(deployGate)
  expect([200, 409]).toContain(status)
}

claim(
  {
    section: full,
    quote: 'A three-step deployment checklist',
    check: 'the example is accepted without errors or warnings',
  },
  async () => {
    expect(await processes.check(deployGate)).toEqual({ ok: true, findings: [] })
  },
)
for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: full,
      quote: 'env-check → migration-check → traffic-check → complete',
      check: `MCP over ${wire}: a scripted client completes the process`,
    },
    async () => {
      await storedGate()
      const { call } = await doors.connect({ wire })
      const loaded = await call('pawl_load_workflow', { name: 'deploy-gate' })
      expect(loaded.text).toContain(deployGate.initial_prompt)
      for (const [state, answer] of [
        ['env-check', 'yes'],
        ['migration-check', 'n/a'],
        ['traffic-check', 'yes'],
      ] as const) {
        const { question } = deployGate.states[state]
        expect((await call('process_step')).values.run).toMatchObject({ state, question })
        expect((await call('process_step', { state, answer })).isError).toBe(false)
      }
      const { body } = await doors.rest(`GET /v1/runs/${loaded.values.run.run}`)
      expect(body.head.status).toBe('completed')
    },
  )
}
claim(
  {
    section: full,
    quote: 'env-check → migration-check → traffic-check → complete',
    check: 'REST: a scripted client completes it; its calls are judged by the policy',
  },
  async () => {
    await storedGate()
    const run = await startRun(doors, 'deploy-gate')
    expect(run.view.goal).toBe(deployGate.states['env-check'].question)
    expect((await run.call('Bash', { command: 'git status' })).verdict).toBe('allow')
    await run.answer('yes')
    expect((await run.call('mcp__filesystem__read_file', { path: 'a' })).verdict).toBe('allow')
    const asked = await run.call('mcp__filesystem__write_file', { path: 'a' })
    expect(asked).toMatchObject({ verdict: 'ask', state: 'pending' })
    await run.decide(true)
    const again = await run.call('mcp__filesystem__write_file', { path: 'a' })
    expect(again.verdict).toBe('allow')
    await run.answer('yes')
    await run.answer('yes')
    expect((await run.read()).head.status).toBe('completed')
  },
)
for (const [states, answers] of [
  ['env-check', ['no']],
  ['migration-check', ['yes', 'no']],
  ['traffic-check', ['yes', 'yes', 'no']],
] as const) {
  claim(
    {
      section: full,
      quote: 'blocks on any failure',
      check: `\`no\` in ${states} ends the run as blocked`,
    },
    async () => {
      await storedGate()
      const run = await startRun(doors, 'deploy-gate')
      for (const answer of answers) await run.answer(answer)
      expect((await run.read()).head.status).toBe('blocked')
    },
  )
}
claim(
  {
    section: full,
    quote: 'asks before any MCP filesystem writes',
    check: 'deleting a file also needs approval, and a refusal denies the call',
  },
  async () => {
    await storedGate()
    const run = await startRun(doors, 'deploy-gate')
    const asked = await run.call('mcp__filesystem__delete_file', { path: 'a' })
    expect(asked.verdict).toBe('ask')
    await run.decide(false)
    const again = await run.call('mcp__filesystem__delete_file', { path: 'a' })
    expect(again.verdict).not.toBe('allow')
  },
)
