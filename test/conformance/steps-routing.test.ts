/** Step workflows: transitions, tools, manual navigation, and bad input over every interface. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { claimWalks } from './form-walks.ts'
import { formDoors, submitName, useForms } from './forms.ts'

const claim = claimsOf('step workflows')
const doors = useDoors()
const forms = useForms(doors)

const a = { name: 'a' }
const end = { id: 'END', goal: 'End' }
const other = { id: 'OTHER', goal: 'Other', inputs: [a] }
const ask = (more: LooseJson = {}) => ({ id: 'ASK', goal: 'Ask', inputs: [a], ...more })
const x = { a: 'x' }

claimWalks(forms, 'Evaluation Order', [
  {
    quote: 'next | ["NEXT_STEP"]',
    check: 'a plain name leads to that step',
    steps: [ask({ next: ['END'] }), end],
    submits: [x],
    after: { step: 'END', status: 'running' },
  },
  {
    quote: 'next | [{if: "...", id: "..."}]',
    check: 'an entry with a condition is taken if the condition is true',
    steps: [ask({ next: [{ if: "inputs.a == 'x'", id: 'OTHER' }, 'END'] }), end, other],
    submits: [x],
    after: { step: 'OTHER' },
  },
  {
    quote: 'The first matching entry wins',
    check: 'if two conditions are true, the first entry is taken',
    steps: [
      ask({ next: [{ if: 'inputs.a', id: 'OTHER' }, { if: 'inputs.a', id: 'END' }, 'END'] }),
      end,
      other,
    ],
    submits: [x],
    after: { step: 'OTHER' },
  },
  {
    quote: 'Iterate through next array from first to last',
    check: 'an entry whose condition is false is skipped',
    steps: [
      ask({
        next: [
          { if: "inputs.a == 'y'", id: 'OTHER' },
          { if: "inputs.a == 'x'", id: 'END' },
          'OTHER',
        ],
      }),
      end,
      other,
    ],
    submits: [x],
    after: { step: 'END' },
  },
  {
    quote: 'If condition is true (or no condition)',
    check: 'an entry without a condition is the default',
    steps: [ask({ next: [{ if: 'missing', id: 'OTHER' }, { id: 'END' }] }), end, other],
    submits: [x],
    after: { step: 'END' },
  },
  {
    quote: 'If no entries match … the workflow completes in place',
    check: 'if no entry matches, the form is completed at this step',
    steps: [ask({ next: [{ if: 'missing', id: 'END' }] }), end],
    submits: [x],
    after: { step: 'ASK', status: 'completed', code: 'ok' },
  },
  {
    quote: 'after a step is successfully submitted',
    check: 'a submission with a missing input does not move the form',
    steps: [ask({ next: ['END'] }), end],
    submits: [{}],
    after: { step: 'ASK', status: 'running', code: 'FIELDS_MISSING' },
  },
])

claimWalks(forms, 'Terminal Steps', [
  {
    quote: 'It has no next field',
    check: 'submitting such a step completes the form',
    steps: [ask()],
    submits: [x],
    after: { status: 'completed', step: 'ASK' },
  },
  {
    quote: 'It has "next": [] (empty array)',
    check: 'submitting such a step also completes the form',
    steps: [ask({ next: [] })],
    submits: [x],
    after: { status: 'completed', step: 'ASK' },
  },
  {
    quote: 'A step is terminal if',
    check: 'entering a terminal step does not complete the form yet',
    steps: [ask({ next: ['END'] }), end],
    submits: [x],
    after: { status: 'running', step: 'END' },
  },
  {
    quote: 'The workflow is marked as completed',
    check: 'an empty submission completes a last step without inputs',
    steps: [ask({ next: ['END'] }), { ...end, tools: { call: true } }],
    submits: [x, {}],
    after: { status: 'completed', step: 'END' },
  },
  {
    quote: 'The workflow state is preserved for reference',
    check: 'the variables and the step can be read after the end',
    steps: [
      ask({ on: { submit: [{ action: 'save' }, { action: 'set', name: 'local.n', value: 1 }] } }),
    ],
    submits: [x],
    after: { status: 'completed', step: 'ASK', vars: { a: 'x' }, local: { n: 1 } },
  },
])

for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'Terminal Steps',
      quote: 'The submit tool is removed from the agent’s available tools',
      check: `the submit tool is offered before the end, but not after it (${wire})`,
    },
    async () => {
      const form = await forms.open(wire, [ask()])
      expect(await forms.submitTool(wire)).toBeDefined()
      expect(await form.submit(x)).toMatchObject({ status: 'completed' })
      expect(await forms.submitTool(wire)).toBeUndefined()
      expect((await form.submit(x)).code).toBe('RUN_NOT_RUNNING')
    },
  )
}

claimWalks(forms, 'Loop-Back Transitions', [
  {
    quote: 'Steps can transition back to themselves',
    check: 'the step is entered again with empty inputs',
    steps: [ask({ on: { enter: [{ action: 'inc', name: 'local.rounds' }] }, next: ['ASK'] })],
    submits: [x],
    after: { step: 'ASK', collected: {}, missing: ['a'], local: { rounds: 2 } },
  },
  {
    quote: 'or earlier steps for retry patterns',
    check: 'a later step can lead back to an earlier one',
    steps: [ask({ next: ['OTHER'] }), { ...other, next: ['ASK'] }],
    submits: [x, x],
    after: { step: 'ASK', status: 'running' },
  },
  {
    quote: 'Retry counter within workflow | local.*',
    check: 'after three tries, another route is taken',
    steps: [
      ask({
        on: { submit: [{ action: 'inc', name: 'local.tries' }] },
        next: [{ if: 'local.tries >= `3`', id: 'END' }, 'ASK'],
      }),
      end,
    ],
    submits: [x, x, x],
    after: { step: 'END', local: { tries: 3 } },
  },
])

// ── tools ───────────────────────────────────────────────────────────────────

type Allow = readonly [
  quote: string,
  check: string,
  tools: LooseJson,
  verdicts: Readonly<Record<string, string>>,
]
const allows: readonly Allow[] = [
  [
    'tools.allow | null (all)',
    'without a list, every tool is allowed',
    {},
    { lookup: 'allowed', other: 'allowed' },
  ],
  [
    'tools.allow | null (all)',
    'with null, every tool is allowed',
    { allow: null },
    { lookup: 'allowed', other: 'allowed' },
  ],
  [
    'using an empty list means “no restriction”',
    'with an empty list, every tool is allowed',
    { allow: [] },
    { lookup: 'allowed', other: 'allowed' },
  ],
  [
    'tools.allow | Whitelist of allowed tool names',
    'only the listed tools are allowed',
    { allow: ['lookup'] },
    { lookup: 'allowed', other: 'denied' },
  ],
  [
    'list the submit tool name explicitly',
    'only the submit tool is allowed',
    { allow: [submitName] },
    { lookup: 'denied', other: 'denied' },
  ],
]
for (const [index, [quote, check, tools, verdicts]] of allows.entries()) {
  const door = formDoors[index % formDoors.length] ?? 'rest'
  claim({ section: 'tools.allow', quote, check: `${check} (${door})` }, async () => {
    const form = await forms.open(door, [ask({ tools, next: ['END'] }), end])
    for (const [tool, verdict] of Object.entries(verdicts)) {
      expect(await form.judge(tool), tool).toBe(verdict)
    }
  })
}
claim(
  {
    section: 'tools.allow',
    quote: 'The submit tool is always available regardless of this setting',
    check: 'a step that lists another tool can be submitted',
  },
  async () => {
    const form = await forms.open('http', [
      ask({ tools: { allow: ['lookup'] }, next: ['END'] }),
      end,
    ])
    expect(await forms.submitTool('http')).toBeDefined()
    expect(await form.submit(x)).toMatchObject({ code: 'ok', step: 'END' })
  },
)
claim(
  {
    section: 'tools.allow',
    quote: 'Progressive disclosure: unlock tools as workflow progresses',
    check: 'each step has its own list of tools',
  },
  async () => {
    const form = await forms.open('rest', [
      ask({ tools: { allow: ['one'] }, next: ['OTHER'] }),
      { ...other, tools: { allow: ['two'] } },
    ])
    expect([await form.judge('one'), await form.judge('two')]).toEqual(['allowed', 'denied'])
    await form.submit(x)
    expect([await form.judge('one'), await form.judge('two')]).toEqual(['denied', 'allowed'])
  },
)

const lookup = { action: 'call', name: 'lookup', arguments: { id: 7 } }
claimWalks(forms, 'tools.call', [
  {
    quote: 'tools.call | boolean | false',
    check: 'no tool is forced by default',
    steps: [ask({ on: { enter: [lookup] } })],
    after: { toolChoice: null, pending: { name: 'lookup' } },
  },
  {
    quote: 'Forces a tool call on the next model turn',
    check: 'the response names the tool that the client must call',
    differs: 'steps-forced-call',
    steps: [ask({ tools: { call: true } })],
    after: { toolChoice: submitName },
  },
  {
    quote: 'If a queued call action is pending and allowed, that pending call is prioritized',
    check: 'the pending call is forced',
    steps: [ask({ on: { enter: [lookup] }, tools: { call: true, allow: ['lookup'] } })],
    after: { toolChoice: 'lookup', pending: { name: 'lookup', arguments: { id: 7 } } },
  },
  {
    quote: 'pending and allowed',
    check: 'a pending call that the step does not allow is not forced',
    steps: [ask({ on: { enter: [lookup] }, tools: { call: true, allow: ['other'] } })],
    after: { toolChoice: submitName, pending: { name: 'lookup' } },
  },
  {
    quote: 'If no pending external call is available, the runtime may force the submit tool',
    check: 'in a step without inputs, the submit tool is forced',
    steps: [{ ...end, id: 'ASK', tools: { call: true }, next: ['END'] }, end],
    after: { toolChoice: submitName },
  },
  {
    quote: 'making no-input steps deterministic',
    check: 'after the end, no tool is forced',
    steps: [ask({ tools: { call: true } })],
    submits: [x],
    after: { status: 'completed', toolChoice: null },
  },
])
for (const door of formDoors) {
  claim(
    {
      section: 'tools.call',
      quote: 'Typically used with on.enter call actions',
      check: `once the pending call is made, the submit tool is forced (${door})`,
    },
    async () => {
      const form = await forms.open(door, [ask({ on: { enter: [lookup] }, tools: { call: true } })])
      expect(form.first.toolChoice).toBe('lookup')
      expect(await form.judge('lookup', { id: 7 })).toBe('allowed')
      expect(await form.state()).toMatchObject({ pending: null, toolChoice: submitName })
    },
  )
}

const free = { allowGoToStep: true }
claimWalks(forms, 'tools.allowGoToStep', [
  {
    quote: 'The agent chooses the step by name',
    check: 'the named step is entered',
    steps: [ask({ tools: free, next: ['OTHER'] }), other, end],
    submits: [{ ...x, go_to_step: 'END' }],
    after: { step: 'END', code: 'ok' },
  },
  {
    quote: 'Bypasses normal next evaluation when used',
    check: 'a matching entry of `next` is not taken',
    steps: [ask({ tools: free, next: [{ if: 'inputs.a', id: 'OTHER' }, 'OTHER'] }), other, end],
    submits: [{ ...x, go_to_step: 'END' }],
    after: { step: 'END' },
  },
  {
    quote: 'Invalid step IDs return a validation error',
    check: 'an unknown step is rejected, and the form stays at the step',
    steps: [ask({ tools: free, next: ['END'] }), end],
    submits: [{ ...x, go_to_step: 'NOWHERE' }],
    after: { step: 'ASK', status: 'running', code: 'STEP_UNKNOWN' },
  },
  {
    quote: 'tools.allowGoToStep | boolean | false',
    check: 'without allowGoToStep, a named step is rejected',
    steps: [ask({ next: ['OTHER'] }), other, end],
    submits: [{ ...x, go_to_step: 'END' }],
    after: { step: 'ASK', code: 'NOT_PERMITTED' },
  },
  {
    quote: 'Manual navigation (go_to_step)',
    check: 'without go_to_step, the form follows its normal routes',
    steps: [ask({ tools: free, next: ['OTHER'] }), other, end],
    submits: [x],
    after: { step: 'OTHER' },
  },
  {
    quote: 'jump to a specific step',
    check: 'inputs are still validated before the jump',
    steps: [ask({ tools: free, next: ['END'] }), end],
    submits: [{ go_to_step: 'END' }],
    after: { step: 'ASK', code: 'FIELDS_MISSING' },
  },
])
for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'tools.allowGoToStep',
      quote: 'adds a go_to_step parameter … it does not enumerate valid step IDs',
      check: `the parameter is a plain string without an enum, and absent by default (${wire})`,
    },
    async () => {
      await forms.open(wire, [ask({ tools: free, next: ['OTHER'] }), other])
      const { properties } = (await forms.submitTool(wire)).inputSchema
      expect(properties.go_to_step).toMatchObject({ type: 'string' })
      expect(properties.go_to_step).not.toHaveProperty('enum')
      const form = await doors.tool(wire, submitName, x)
      expect(form.values.run.step).toBe('OTHER')
      expect((await forms.submitTool(wire)).inputSchema.properties).not.toHaveProperty('go_to_step')
    },
  )
}

// ── bad input at each door ──────────────────────────────────────────────────

const long = 'x'.repeat(1_200_000)
type Bad = readonly [check: string, body: LooseJson, status: number, code: string]
const bad: readonly Bad[] = [
  ['fields that are not an object', { data: 'x' }, 422, 'REQUEST_INVALID'],
  ['fields that are a list', { data: [1] }, 422, 'REQUEST_INVALID'],
  ['an unknown member of the request', { datum: {} }, 422, 'REQUEST_INVALID'],
  ['a step that is not a string', { data: {}, goTo: 4 }, 422, 'REQUEST_INVALID'],
  ['a body that is not JSON', '{"data":', 400, 'REQUEST_INVALID'],
  ['a required input that is null', { data: { a: null } }, 409, 'FIELDS_MISSING'],
  ['a required input that is missing', { data: {} }, 409, 'FIELDS_MISSING'],
  ['an input of the wrong type', { data: { a: 1 } }, 409, 'FIELDS_INVALID'],
  ['a request that is too large', { data: { a: long } }, 413, 'REQUEST_TOO_LARGE'],
]
for (const [check, body, status, code] of bad) {
  claim(
    {
      section: 'Inputs Schema',
      quote: 'validation',
      check: `REST rejects ${check} with ${status} ${code}`,
    },
    async () => {
      const form = await forms.open('rest', [ask()])
      const answer = await doors.rest(`POST /v1/runs/${form.runId}/signals`, { as: 'agent', body })
      expect(answer).toMatchObject({
        status,
        type: 'application/problem+json',
        body: { status, code },
      })
      expect(answer.body).toEqual(
        expect.objectContaining({
          title: expect.any(String),
          detail: expect.any(String),
          hint: expect.any(String),
        }),
      )
      expect(await form.state()).toMatchObject({ step: 'ASK', status: 'running' })
    },
  )
}

type BadCall = readonly [check: string, tool: string, args: LooseJson, code: string]
const badCalls: readonly BadCall[] = [
  ['a required input that is missing', submitName, {}, 'FIELDS_MISSING'],
  ['a required input that is null', submitName, { a: null }, 'FIELDS_MISSING'],
  ['an input of the wrong type', submitName, { a: 1 }, 'FIELDS_INVALID'],
  ['a step that is not a string', submitName, { a: 'x', go_to_step: 4 }, 'REQUEST_INVALID'],
  ['fields that are not an object', 'pawl_submit', { fields: 3 }, 'REQUEST_INVALID'],
  ['a call without fields', 'pawl_submit', {}, 'REQUEST_INVALID'],
]
for (const wire of ['stdio', 'http'] as const) {
  for (const [check, tool, args, code] of badCalls) {
    claim(
      {
        section: 'Inputs Schema',
        quote: 'validation',
        check: `MCP over ${wire} rejects ${check} with ${code}`,
      },
      async () => {
        const form = await forms.open(wire, [ask()])
        const answer = await doors.tool(wire, tool, args)
        expect(answer).toMatchObject({ isError: true, values: { ok: false, error: { code } } })
        expect(answer.text).toContain(answer.values.error.message)
        expect(await form.state()).toMatchObject({ step: 'ASK', status: 'running' })
      },
    )
  }
}
