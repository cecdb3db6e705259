/** The tools as instructions for the reference product call them, and bad input at every door. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { Agent } from '../../src/main/mcp.contract.ts'
import { claimsOf } from './claim.ts'
import type { LooseJson, McpWire } from './doors.ts'
import { useWorkflows } from './workflows.ts'

const claim = claimsOf('workflow schema')
const final = { type: 'final' }
const wires: readonly McpWire[] = ['stdio', 'http']

const template = {
  definition: {
    id: 'from-template',
    initial: 'planning',
    states: {
      planning: { allowed_tools: ['Read'], on: { READY: 'done', FAIL: 'failed' } },
      ...{ done: final, failed: final },
    },
    guards: {},
  },
  upstream_servers: [{ name: 'files', command: 'npx', args: ['-y', 'files'], env: {} }],
}

const workflows = useWorkflows({
  files: { '.pawl/definitions/config.json': JSON.stringify(template) },
})

const flow = {
  id: 'flow',
  initial: 'a',
  states: { a: { allowed_tools: ['Read'], on: { GO: 'b' } }, b: { on: { END: 'c' } }, c: final },
}

const operations = 'Workflow Operations'

for (const wire of wires) {
  const { tool } = workflows
  const at = `(${wire})`
  claim(
    {
      section: operations,
      quote: 'statewright_transition, statewright_load_workflow, statewright_pause …',
      check: `the tools are listed under these names, with their required arguments ${at}`,
    },
    async () => {
      const tools = await (await workflows.doors.client(wire)).tools()
      const needs = Object.fromEntries(
        tools.map((one) => [one.name, one.inputSchema.required ?? []]),
      )
      expect(needs).toMatchObject({
        statewright_transition: ['event'],
        statewright_load_workflow: ['name'],
        statewright_get_state: [],
        statewright_pause: [],
        statewright_list_workflows: [],
        statewright_get_status: [],
        statewright_create_workflow: [],
        statewright_deactivate: [],
      })
    },
  )

  for (const [check, more] of [
    ['session_id and project_id', { session_id: 's-1', project_id: 'p-1' }],
    ['task_intent and stitch_id', { task_intent: 'fix it', stitch_id: 'x' }],
    ['null for optional arguments', { resume: null, branch: null, session_id: null }],
    ['resume=false', { resume: false }],
  ] as readonly (readonly [string, JsonObject])[]) {
    claim(
      {
        section: 'Pause and Resume',
        quote: 'statewright_load_workflow(name="tdd-feature", …)',
        check: `the workflow can be loaded with ${check} ${at}`,
        differs: 'foreign-arguments',
      },
      async () => {
        await workflows.store(flow)
        const { isError, values } = await tool(wire, 'load_workflow', { name: 'flow', ...more })
        expect(isError).toBe(false)
        expect(values).toMatchObject({ loaded: 'flow', initial_state: 'a', resumed: false })
        await workflows.doors.rest(`POST /v1/runs/${values.run_id}/cancel`)
      },
    )
  }

  claim(
    {
      section: 'Guard Operators',
      quote: "statewright_transition(event='DEPLOY', data={test_result: 'pass', coverage: 92})",
      check: `the response names the previous and the current state ${at}`,
    },
    async () => {
      const run = await workflows.open(wire, flow)
      const { values } = await run.send('GO', { test_result: 'pass' })
      expect(values).toMatchObject({ transitioned: true, from: 'a', to: 'b' })
      expect((await run.look()).values).toMatchObject({
        ...{ state: 'b', is_final: false, transitions: [{ event: 'END' }] },
        context: { test_result: 'pass' },
      })
    },
  )

  claim(
    {
      section: 'Meta Fields',
      quote: 'approval_mode | "ui" … park in the web dashboard for human review',
      check: `the response says that a person is asked, and gives the id ${at}`,
    },
    async () => {
      const on = { GO: { target: 'b', requires_approval: true, approval_message: 'Sure?' } }
      const run = await workflows.open(wire, { ...flow, states: { ...flow.states, a: { on } } })
      const { values } = await run.send('GO')
      expect(values).toMatchObject({ status: 'pending_approval', from: 'a', message: 'Sure?' })
      const { pending_approval: pending } = (await run.look()).values
      expect(pending).toMatchObject({ approval_id: values.approval_id, message: 'Sure?' })
    },
  )

  claim(
    {
      section: operations,
      quote: 'deactivates enforcement',
      check: `statewright_deactivate is rejected, and the error says what to do instead ${at}`,
      differs: 'deactivate',
    },
    async () => {
      const run = await workflows.open(wire, flow)
      const { isError, values } = await tool(wire, 'deactivate', { session_id: 's' })
      expect([isError, values.error.code]).toEqual([true, 'NOT_PERMITTED'])
      expect(values.error.hint).toContain('`GO`')
      expect(values.error.hint).toContain('statewright_pause')
      expect(values.error.hint).toContain(`pawl cancel ${run.id}`)
      expect((await run.call('Edit', { file_path: 'a' })).code).toBe('TOOL_NOT_ALLOWED')
    },
  )

  claim(
    {
      section: 'Workflow Schema Reference',
      quote: 'Workflow definitions are JSON documents',
      check: `create_workflow stores a draft that a person must accept ${at}`,
      differs: 'drafts',
    },
    async () => {
      const definition = { ...flow, id: `made-${wire}` }
      const name = `named-${wire}`
      const made = await tool(wire, 'create_workflow', { name, definition, overwrite: true })
      expect(made.isError).toBe(false)
      expect(made.text).toContain('person')
      const early = await tool(wire, 'load_workflow', { name })
      expect(early.values.error.code).toBe('DEFINITION_UNKNOWN')
      expect(early.text).toContain('waits for a person')
      await workflows.doors.rest(`POST /v1/drafts/${made.values.draft}/activate`)
      const { values } = await tool(wire, 'load_workflow', { name })
      expect(values.loaded).toBe(name)
      await workflows.doors.rest(`POST /v1/runs/${values.run_id}/cancel`)
    },
  )

  claim(
    {
      section: operations,
      quote: 'statewright_load_workflow(name=…)',
      check: `a second workflow is rejected while one is open ${at}`,
      differs: 'one-run',
    },
    async () => {
      await workflows.open(wire, flow)
      const { values } = await tool(wire, 'load_workflow', { name: 'from-template' })
      expect(values.error.code).toBe('RUN_EXISTS')
    },
  )

  claim(
    {
      section: 'Workflow Schema Reference',
      quote: '{"definition": {…}, "upstream_servers": […]} (its template files)',
      check: `a template file in the workspace is listed and can be loaded ${at}`,
    },
    async () => {
      const { values } = await tool(wire, 'list_workflows')
      expect(values.workflows).toContainEqual({ name: 'from-template', dialect: 'workflow' })
      const loaded = (await tool(wire, 'load_workflow', { name: 'from-template' })).values
      expect(loaded.run).toMatchObject({ state: 'planning', allowed_tools: ['Read'] })
      const after = (await tool(wire, 'transition', { event: 'READY' })).values
      expect(after.run.status).toBe('completed')
    },
  )

  claim(
    {
      section: 'Workflow Schema Reference',
      quote: '{"definition": {…}, "upstream_servers": […]} (its template files)',
      check: `create_workflow also accepts a template ${at}`,
    },
    async () => {
      const { values } = await tool(wire, 'create_workflow', { definition: template })
      expect(values.draft).toMatch(/^from-template@/)
    },
  )

  // ── bad input ─────────────────────────────────────────────────────────────

  const long = 'x'.repeat(600)
  const wrong: readonly (readonly [tool: string, check: string, args: LooseJson, code: string])[] =
    [
      ['load_workflow', '`name` is missing', {}, 'REQUEST_INVALID'],
      ['load_workflow', '`name` is null', { name: null }, 'REQUEST_INVALID'],
      ['load_workflow', '`name` is a number', { name: 5 }, 'REQUEST_INVALID'],
      ['load_workflow', '`name` is empty', { name: '' }, 'REQUEST_INVALID'],
      ['load_workflow', '`name` is too long', { name: long }, 'REQUEST_INVALID'],
      ['load_workflow', '`name` is unknown', { name: 'nobody-has-it' }, 'DEFINITION_UNKNOWN'],
      ['load_workflow', '`resume` is a string', { name: 'flow', resume: 'yes' }, 'REQUEST_INVALID'],
      ['load_workflow', 'an unknown argument', { name: 'flow', color: 'red' }, 'REQUEST_INVALID'],
      ['create_workflow', 'no arguments', {}, 'REQUEST_INVALID'],
      ['create_workflow', '`definition` is a list', { definition: [1] }, 'REQUEST_INVALID'],
      ['create_workflow', '`definition` is empty', { definition: {} }, 'DEFINITION_INVALID'],
      ['create_workflow', '`source` is not JSON', { source: '{' }, 'DEFINITION_INVALID'],
    ]
  for (const [name, check, args, code] of wrong) {
    claim(
      {
        section: operations,
        quote: `statewright_${name}(…)`,
        check: `${check}: the result is ${code}, with isError ${at}`,
      },
      async () => {
        const { isError, values, text } = await tool(wire, name, args)
        expect([isError, values.ok, values.error.code]).toEqual([true, false, code])
        expect(values.error.message).not.toBe('')
        expect(text).toContain(code)
      },
    )
  }

  const events: readonly (readonly [check: string, args: LooseJson, code: string])[] = [
    ['`event` is missing', {}, 'REQUEST_INVALID'],
    ['`event` is null', { event: null }, 'REQUEST_INVALID'],
    ['`event` is a number', { event: 1 }, 'REQUEST_INVALID'],
    ['`event` is empty', { event: '' }, 'REQUEST_INVALID'],
    ['`event` is too long', { event: long }, 'REQUEST_INVALID'],
    ['`event` is unknown', { event: 'NOPE' }, 'SIGNAL_UNKNOWN'],
    ['`data` is a list', { event: 'GO', data: [1] }, 'REQUEST_INVALID'],
    ['`data` is a string', { event: 'GO', data: 'x' }, 'REQUEST_INVALID'],
    ['an unknown argument', { event: 'GO', payload: {} }, 'REQUEST_INVALID'],
  ]
  for (const [check, args, code] of events) {
    claim(
      {
        section: 'Guard Operators',
        quote: 'statewright_transition(event, data)',
        check: `${check}: the result is ${code}, and the run does not move ${at}`,
      },
      async () => {
        const run = await workflows.open(wire, flow)
        const { isError, values } = await tool(wire, 'transition', args)
        expect([isError, values.error.code]).toEqual([true, code])
        expect(values.run).toMatchObject({ state: 'a', events: ['GO'] })
        expect((await run.look()).state).toBe('a')
      },
    )
  }

  claim(
    {
      section: 'Guard Operators',
      quote: 'statewright_transition(event, data)',
      check: `null as data means no data ${at}`,
    },
    async () => {
      const run = await workflows.open(wire, flow)
      expect((await run.send('GO', null)).state).toBe('b')
    },
  )

  let other: Agent | null = null
  for (const name of ['get_state', 'transition', 'pause', 'deactivate']) {
    claim(
      {
        section: operations,
        quote: `statewright_${name}`,
        check: `without a loaded workflow, the error says how to load one ${at}`,
      },
      async () => {
        other ??= await workflows.doors.connect({ prefix: 'statewright_', wire })
        const args: JsonObject = name === 'transition' ? { event: 'GO' } : {}
        const { isError, values } = await other.call(`statewright_${name}`, args)
        expect([isError, values.error.code]).toEqual([true, 'RUN_UNKNOWN'])
        expect(values.error.hint).toContain('statewright_load_workflow')
      },
    )
  }
}

// ── REST ────────────────────────────────────────────────────────────────────

const rest: readonly (readonly [line: string, check: string, body: unknown, LooseJson])[] = [
  ['POST /v1/definitions', 'neither `definition` nor `source`', {}, [422, 'REQUEST_INVALID']],
  ['POST /v1/definitions', 'a body that is not JSON', '{', [400, 'REQUEST_INVALID']],
  ['POST /v1/definitions', 'a list as the body', [], [422, 'REQUEST_INVALID']],
  ['POST /v1/definitions', '`definition` is a number', { definition: 1 }, [422, 'REQUEST_INVALID']],
  [
    'POST /v1/definitions',
    'both `definition` and `source`',
    { definition: {}, source: '' },
    [422, 'REQUEST_INVALID'],
  ],
  [
    'POST /v1/definitions',
    '`source` is invalid YAML',
    { source: 'id: [' },
    [422, 'DEFINITION_INVALID'],
  ],
  ['POST /v1/runs', 'no `definition`', {}, [422, 'REQUEST_INVALID']],
  ['POST /v1/runs', '`definition` is null', { definition: null }, [422, 'REQUEST_INVALID']],
  ['POST /v1/runs', '`definition` is a number', { definition: 3 }, [422, 'REQUEST_INVALID']],
  [
    'POST /v1/runs',
    '`definition` is unknown',
    { definition: 'nobody-has-it' },
    [404, 'DEFINITION_UNKNOWN'],
  ],
  ['POST /v1/runs', 'an unknown field', { definition: 'flow', x: 1 }, [422, 'REQUEST_INVALID']],
  [
    'POST /v1/runs',
    '`definition` is too long',
    { definition: 'x'.repeat(600) },
    [422, 'REQUEST_INVALID'],
  ],
  ['POST /v1/runs/nope/signals', 'an unknown run', { name: 'GO' }, [404, 'RUN_UNKNOWN']],
  ['POST /v1/runs/RUN/signals', 'an unknown event', { name: 'NOPE' }, [409, 'SIGNAL_UNKNOWN']],
  ['POST /v1/runs/RUN/signals', '`name` is a number', { name: 1 }, [422, 'REQUEST_INVALID']],
  [
    'POST /v1/runs/RUN/signals',
    '`data` is a list',
    { name: 'GO', data: [] },
    [422, 'REQUEST_INVALID'],
  ],
  [
    'POST /v1/runs/RUN/signals',
    '`name` is too long',
    { name: 'x'.repeat(600) },
    [422, 'REQUEST_INVALID'],
  ],
  ['POST /v1/runs/RUN/calls', 'no `tool`', { input: {} }, [422, 'REQUEST_INVALID']],
  ['POST /v1/runs/RUN/calls', '`tool` is null', { tool: null }, [422, 'REQUEST_INVALID']],
  ['POST /v1/runs/RUN/force', 'debug is not enabled', { stage: 'b' }, [409, 'DEBUG_DISABLED']],
]

for (const [line, check, body, expected] of rest) {
  claim(
    {
      section: operations,
      quote: line,
      check: `${check}: ${expected.join(' ')}, as application/problem+json`,
    },
    async () => {
      const run = await workflows.open('rest', flow)
      const answer = await workflows.doors.rest(line.replace('RUN', run.id), { body })
      expect([answer.status, answer.body.code]).toEqual(expected)
      expect(answer.type).toBe('application/problem+json')
      expect(answer.body).toMatchObject({ status: expected[0], detail: expect.any(String) })
      expect((await run.look()).state).toBe('a')
    },
  )
}

claim(
  {
    section: operations,
    quote: 'POST /v1/runs/RUN/signals',
    check: 'a body that is too large is rejected, and the run does not move',
  },
  async () => {
    const run = await workflows.open('rest', flow)
    const body = { name: 'GO', data: { x: 'x'.repeat(3_000_000) } }
    const answer = await workflows.doors.rest(`POST /v1/runs/${run.id}/signals`, { body })
    expect([answer.status, answer.type]).toEqual([413, 'application/problem+json'])
    expect((await run.look()).state).toBe('a')
  },
)

claim(
  {
    section: 'Workflow Schema Reference',
    quote: '{"definition": {…}, "upstream_servers": […]} (its template files)',
    check: 'the template file can be sent as it is (rest)',
  },
  async () => {
    const body = { ...template, definition: { ...template.definition, id: 'sent-template' } }
    const answer = await workflows.doors.rest('POST /v1/definitions', { body })
    expect([answer.status, answer.body.definition.name]).toEqual([200, 'sent-template'])
    const read = await workflows.doors.rest('GET /v1/definitions/sent-template')
    expect(JSON.parse(read.body.source)).toEqual(body)
  },
)
