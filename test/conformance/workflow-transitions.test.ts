/** Transitions: the patterns, approvals, invokes and forks. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { useWorkflows, workflowDoors } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()
const final = { type: 'final' }

const routed = (on: JsonObject, more: JsonObject = {}) => ({
  id: 'routed',
  initial: 'start',
  context: {},
  ...more,
  states: {
    start: { on: { ...on, SET: 'start' } },
    implementing: { on: { END: 'done' } },
    deploying: { on: { END: 'done' } },
    improving: { on: { END: 'done' } },
    debugging: { on: { END: 'done' } },
    ...(more.states as JsonObject | undefined),
    done: final,
    failed: final,
  },
})

for (const door of workflowDoors) {
  claim(
    {
      section: 'Pattern 1: Simple',
      quote: 'Target state as a plain string. No conditions, no approval.',
      check: `READY leads to its target at once (${door})`,
    },
    async () => {
      const run = await workflows.open(door, routed({ READY: 'implementing', FAIL: 'failed' }))
      expect(run.first.events.toSorted()).toEqual(['FAIL', 'READY', 'SET'])
      const after = await run.send('READY')
      expect(after).toMatchObject({ code: null, state: 'implementing', status: 'running' })
    },
  )
  claim(
    {
      section: 'Pattern 1: Simple',
      quote: '"FAIL": "failed"',
      check: `a final state named failed ends the run as failed (${door})`,
      differs: 'failed-state',
    },
    async () => {
      const run = await workflows.open(door, routed({ FAIL: 'failed' }))
      expect(await run.send('FAIL')).toMatchObject({ state: 'failed', status: 'failed' })
    },
  )
}

// ── branched ────────────────────────────────────────────────────────────────

const branched = routed(
  {
    EVALUATE: [
      { target: 'deploying', guard: 'coverage_high' },
      { target: 'improving', guard: 'coverage_low' },
      { target: 'failed' },
    ],
    STRICT: [
      { target: 'deploying', guards: ['coverage_high', 'tests_pass'] },
      { target: 'improving', guard: 'coverage_low' },
    ],
  },
  {
    guards: {
      coverage_high: { field: 'coverage', op: 'gte', value: 80 },
      coverage_low: { field: 'coverage', op: 'gte', value: 40 },
      tests_pass: { field: 'tests', op: 'eq', value: 'pass' },
    },
  },
)

for (const [index, [event, data, state, quote]] of (
  [
    ['EVALUATE', { coverage: 92 }, 'deploying', 'evaluates guards in order and takes the first'],
    ['EVALUATE', { coverage: 60 }, 'improving', 'evaluates guards in order and takes the first'],
    ['EVALUATE', { coverage: 10 }, 'failed', 'The last entry with no guard acts as the default'],
    ['EVALUATE', {}, 'failed', 'The last entry with no guard acts as the default'],
    ['STRICT', { coverage: 92, tests: 'pass' }, 'deploying', 'guards | Multiple guard names'],
    ['STRICT', { coverage: 92 }, 'improving', 'guards | Multiple guard names (all must pass)'],
    ['STRICT', { coverage: 1 }, 'start', 'no guard matches and there is no default … rejected'],
  ] as const
).entries()) {
  const door = workflowDoors[index % 3] ?? 'rest'
  const check = `after ${event} with \`${JSON.stringify(data)}\`, the run is in ${state} (${door})`
  claim({ section: 'Pattern 3: Branched', quote, check }, async () => {
    const run = await workflows.open(door, branched)
    await run.send('SET', data)
    const after = await run.send(event)
    expect(after.code).toBe(state === 'start' ? 'GUARD_FAILED' : null)
    expect((await run.look()).state).toBe(state)
  })
}

// ── approvals ───────────────────────────────────────────────────────────────

const gate = { target: 'deploying', requires_approval: true, approval_message: 'To production?' }
const gated = routed({ DEPLOY: gate, SKIP: 'done' }, { meta: { approval_mode: 'ui' } })

for (const door of workflowDoors) {
  claim(
    {
      section: 'Pattern 2: Guarded',
      quote: 'requires_approval | boolean | Pause for human approval before transitioning',
      check: `the run waits with this message and moves once a person approves (${door})`,
    },
    async () => {
      const run = await workflows.open(door, gated)
      const asked = await run.send('DEPLOY', { by: 'agent' })
      expect(asked).toMatchObject({ code: null, state: 'start', status: 'waiting', events: [] })
      expect(JSON.stringify(asked.values)).toContain('To production?')
      const granted = await run.approve(true)
      expect(granted).toMatchObject({ state: 'deploying', context: { by: 'agent' } })
    },
  )
  claim(
    {
      section: 'Meta Fields',
      quote: 'When "ui", transitions with requires_approval park … for human review',
      check: `after a refusal, the run stays in its state and shows the note (${door})`,
    },
    async () => {
      const run = await workflows.open(door, gated)
      await run.send('DEPLOY', { by: 'agent' })
      const refused = await run.approve(false, 'not on a Friday')
      expect(refused).toMatchObject({ state: 'start', status: 'running', context: {} })
      expect(JSON.stringify(refused)).toContain('not on a Friday')
    },
  )
  claim(
    {
      section: 'Meta Fields',
      quote: 'transitions with requires_approval park',
      check: `while the run waits, every event and call is rejected (${door})`,
    },
    async () => {
      const run = await workflows.open(door, gated)
      await run.send('DEPLOY')
      expect((await run.send('SKIP')).code).toBe('APPROVAL_PENDING')
      expect((await run.call('Read', { file_path: 'a' })).code).toBe('APPROVAL_PENDING')
    },
  )
}

for (const [mode, differs] of [
  [undefined, 'approval-default'],
  [null, 'approval-default'],
  ['none', null],
] as const) {
  const isAsked = mode !== 'none'
  const given = mode === undefined ? 'without approval_mode' : `with approval_mode ${mode}`
  claim(
    {
      section: 'Meta Fields',
      quote: 'approval_mode | "ui" | "none" | Default: "none" (advisory only)',
      check: `${given}, a person is ${isAsked ? '' : 'not '}asked`,
      ...(differs === null ? {} : { differs }),
    },
    async () => {
      const meta = mode === undefined ? {} : { approval_mode: mode }
      const run = await workflows.open('stdio', routed({ DEPLOY: gate }, { meta }))
      expect((await run.send('DEPLOY')).status).toBe(isAsked ? 'waiting' : 'running')
    },
  )
}

claim(
  {
    section: 'Pattern 2: Guarded',
    quote: '"guards": […], "requires_approval": true',
    check: 'guards are checked before a person is asked (http)',
  },
  async () => {
    const guards = { g: { field: 'x', op: 'exists' } }
    const run = await workflows.open(
      'http',
      routed({ DEPLOY: { ...gate, guard: 'g' } }, { guards }),
    )
    expect((await run.send('DEPLOY')).code).toBe('GUARD_FAILED')
    await run.send('SET', { x: 1 })
    expect((await run.send('DEPLOY')).status).toBe('waiting')
  },
)

claim(
  {
    section: 'Pattern 2: Guarded',
    quote: 'Pause for human approval',
    check: 'the agent cannot approve by itself (rest)',
  },
  async () => {
    const run = await workflows.open('rest', gated)
    await run.send('DEPLOY')
    const { doors } = workflows
    const { body } = await doors.rest(`GET /v1/approvals?runId=${run.id}`)
    const line = `POST /v1/approvals/${body.items[0].id}`
    const decided = await doors.rest(line, { as: 'agent', body: { granted: true } })
    expect([decided.status, decided.body.code]).toEqual([403, 'NOT_PERMITTED'])
  },
)

// ── invoke ──────────────────────────────────────────────────────────────────

const suite = {
  id: 'test-suite',
  initial: 'run',
  context: { suite: 'unit', retries: 3 },
  states: {
    run: { allowed_tools: ['Bash'], on: { PASS: 'passed', FAIL: 'failed', STUCK: 'stuck' } },
    passed: final,
    failed: final,
    stuck: final,
  },
  meta: { failure_states: ['stuck'] },
}
const invoke = { invoke: 'test-suite', on_complete: 'deploying', input: { suite: 'integration' } }
const invoking = routed({ RUN_TESTS: { ...invoke, on_fail: 'debugging' }, BARE: invoke })
const section = 'Pattern 4: Invoke'

for (const door of workflowDoors) {
  claim(
    {
      ...{ section, quote: 'Delegate to a sub-machine, then resume at on_complete.' },
      check: `its states and tools apply until it ends; then the parent continues (${door})`,
    },
    async () => {
      const run = await workflows.open(door, invoking, { others: [suite] })
      const inside = await run.send('RUN_TESTS')
      expect(inside).toMatchObject({ state: 'run', status: 'running' })
      expect((await run.call('Edit', { file_path: 'a' })).code).toBe('TOOL_NOT_ALLOWED')
      expect(await run.send('PASS')).toMatchObject({ state: 'deploying', status: 'running' })
    },
  )
  claim(
    {
      ...{ section, quote: 'on_fail | string | State to transition to on failure' },
      check: `if the sub-machine ends as failed, the parent goes to this state (${door})`,
    },
    async () => {
      const run = await workflows.open(door, invoking, { others: [suite] })
      await run.send('RUN_TESTS')
      expect(await run.send('FAIL')).toMatchObject({ state: 'debugging', status: 'running' })
    },
  )
  claim(
    {
      ...{ section, quote: 'on_complete … resume' },
      check: `data sent in the sub-machine is in the context of the parent (${door})`,
      differs: 'child-data',
    },
    async () => {
      const run = await workflows.open(door, invoking, { others: [suite] })
      await run.send('RUN_TESTS')
      await run.send('PASS', { coverage: 91 })
      expect((await run.look()).context).toEqual({ coverage: 91 })
    },
  )
}

claim(
  {
    ...{ section, quote: "input | object | Input data for the sub-machine's initial context" },
    check: "input is merged into its context; the parent's context is not visible (stdio)",
  },
  async () => {
    const run = await workflows.open('stdio', invoking, { others: [suite] })
    await run.send('SET', { mine: 1 })
    await run.send('RUN_TESTS')
    expect((await run.look()).context).toEqual({ suite: 'integration', retries: 3 })
  },
)

claim(
  {
    ...{ section, quote: 'on_fail | string | No' },
    check: 'without on_fail, a failure ends the run as failed (http)',
  },
  async () => {
    const run = await workflows.open('http', invoking, { others: [suite] })
    await run.send('BARE')
    expect((await run.send('FAIL')).status).toBe('failed')
  },
)

claim(
  {
    ...{ section, quote: 'State to transition to on failure' },
    check: 'a final state listed in meta.failure_states counts as a failure (rest)',
  },
  async () => {
    const run = await workflows.open('rest', invoking, { others: [suite] })
    await run.send('RUN_TESTS')
    expect((await run.send('STUCK')).state).toBe('debugging')
  },
)

claim(
  {
    ...{ section, quote: 'invoke | string | Yes | Sub-machine definition to invoke' },
    check: 'a workflow whose sub-machine is unknown does not start (rest)',
  },
  async () => {
    const { doors } = workflows
    const lost = { ...routed({ GO: { ...invoke, invoke: 'nobody-has-it' } }), id: 'lost-child' }
    await workflows.store(lost)
    const { status, body } = await doors.rest('POST /v1/runs', {
      body: { definition: 'lost-child' },
    })
    expect([status, body.code]).toEqual([422, 'DEFINITION_INVALID'])
    expect(body.detail).toContain('nobody-has-it')
  },
)

claim(
  {
    ...{ section, quote: 'Sub-machine definition to invoke' },
    check: 'a sub-machine may be a checklist (stdio)',
  },
  async () => {
    const checklist = {
      ...{ name: 'ready-list', initial: 'ask' },
      states: {
        ask: { question: 'Ready?', answers: { yes: { next: null, action: 'complete' } } },
      },
    }
    const parent = routed({ GO: { invoke: 'ready-list', on_complete: 'deploying' } })
    const run = await workflows.open('stdio', parent, { others: [checklist] })
    expect((await run.send('GO')).text).toContain('Ready?')
    expect((await run.send('yes')).state).toBe('deploying')
  },
)

// ── fork ────────────────────────────────────────────────────────────────────

const branch = (name: string) => ({ initial: `${name}_run`, terminal: `${name}_done` })
const branchStates = (name: string, tool: string) => ({
  [`${name}_run`]: { allowed_tools: [tool], on: { OK: `${name}_done`, BAD: 'failed' } },
  [`${name}_done`]: final,
})
const forkTo = (join: string | undefined) => ({
  branches: { lint: branch('lint'), types: branch('types') },
  ...(join === undefined ? {} : { join }),
  ...{ on_complete: 'deploying', on_fail: 'improving' },
})
const forking = (join?: string) =>
  routed(
    { BUILD_DONE: { fork: forkTo(join) } },
    { states: { ...branchStates('lint', 'Bash'), ...branchStates('types', 'Read') } },
  )
const forked = { section: 'Pattern 5: Fork' }

for (const door of workflowDoors) {
  for (const join of [undefined, 'all']) {
    claim(
      {
        ...{ ...forked, quote: 'fork.join | all (default, AND gate)' },
        check: `join ${join ?? 'left out'}: on_complete is entered after all branches (${door})`,
      },
      async () => {
        const run = await workflows.open(door, forking(join))
        expect((await run.send('BUILD_DONE')).state).toBe('lint_run')
        await run.send('OK')
        const next = await run.send('BRANCH_DONE:lint')
        expect(next).toMatchObject({ code: null, state: 'types_run' })
        await run.send('OK')
        expect((await run.send('BRANCH_DONE:types')).state).toBe('deploying')
      },
    )
  }
  claim(
    {
      ...{ ...forked, quote: 'fork.join | any (race)' },
      check: `on_complete is entered after the first branch (${door})`,
    },
    async () => {
      const run = await workflows.open(door, forking('any'))
      await run.send('BUILD_DONE')
      await run.send('OK')
      expect((await run.send('BRANCH_DONE:lint')).state).toBe('deploying')
    },
  )
  claim(
    {
      ...{ ...forked, quote: 'fork.on_fail | State to transition to if any branch fails' },
      check: `a branch that ends in another state leads to on_fail (${door})`,
    },
    async () => {
      const run = await workflows.open(door, forking())
      await run.send('BUILD_DONE')
      expect((await run.send('BAD')).state).toBe('improving')
    },
  )
  claim(
    {
      ...{
        ...forked,
        quote: 'The agent works each branch to completion, then calls … BRANCH_DONE',
      },
      check: `BRANCH_DONE is rejected before the branch's terminal state (${door})`,
      differs: 'branch-done',
    },
    async () => {
      const run = await workflows.open(door, forking())
      await run.send('BUILD_DONE')
      expect((await run.send('BRANCH_DONE:lint')).code).not.toBe(null)
      expect((await run.look()).state).toBe('lint_run')
    },
  )
}

for (const [event, code] of [
  ['BRANCH_DONE:ghost', 'BRANCH_UNKNOWN'],
  ['BRANCH_DONE:', 'BRANCH_UNKNOWN'],
] as const) {
  claim(
    {
      ...forked,
      quote: "event='BRANCH_DONE:<branch_name>'",
      check: `\`${event}\` is rejected (stdio)`,
    },
    async () => {
      const run = await workflows.open('stdio', forking())
      await run.send('BUILD_DONE')
      expect((await run.send(event)).code).toBe(code)
    },
  )
}

claim(
  {
    ...{ ...forked, quote: "event='BRANCH_DONE:<branch_name>'" },
    check: 'without an open fork, BRANCH_DONE is rejected, even with safe_next (http)',
  },
  async () => {
    const definition = forking()
    const { start } = definition.states
    const states = { ...definition.states, start: { ...start, safe_next: 'done' } }
    const run = await workflows.open('http', { ...definition, states })
    expect((await run.send('BRANCH_DONE:lint')).code).toBe('BRANCH_UNKNOWN')
  },
)

claim(
  {
    ...{ ...forked, quote: 'each with its own state and tool restrictions' },
    check: 'the current branch has its own tools (rest)',
  },
  async () => {
    const run = await workflows.open('rest', forking())
    await run.send('BUILD_DONE')
    expect((await run.call('Bash', { command: 'npm run lint' })).verdict).toBe('allow')
    expect((await run.call('Edit', { file_path: 'a' })).code).toBe('TOOL_NOT_ALLOWED')
  },
)

claim(
  {
    ...{ ...forked, quote: "statewright_load_workflow(name='ci-pipeline', branch='lint')" },
    check: 'a second client can take a branch and finish it (stdio and http)',
  },
  async () => {
    const run = await workflows.open('stdio', forking())
    await run.send('BUILD_DONE')
    const other = await workflows.doors.connect({ prefix: 'statewright_', wire: 'http' })
    const taken = await other.call('statewright_load_workflow', { name: 'routed', branch: 'types' })
    expect(taken.values.run).toMatchObject({ state: 'types_run', allowed_tools: ['Read'] })
    await other.call('statewright_transition', { event: 'OK' })
    await other.call('statewright_transition', { event: 'BRANCH_DONE:types' })
    expect(await run.look()).toMatchObject({ state: 'lint_run' })
    await run.send('OK')
    expect((await run.send('BRANCH_DONE:lint')).state).toBe('deploying')
  },
)

claim(
  {
    ...{ ...forked, quote: "statewright_load_workflow(name='ci-pipeline', branch='lint')" },
    check: 'a branch that is not open is rejected (stdio)',
  },
  async () => {
    await workflows.open('stdio', forking())
    const args = { name: 'routed', branch: 'lint' }
    const { values } = await workflows.tool('stdio', 'load_workflow', args)
    expect(values.error.code).toBe('BRANCH_UNKNOWN')
  },
)
