/** Step workflows: what a definition may say, and what the submit tool of each step looks like. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { formDoors, useForms } from './forms.ts'

const claim = claimsOf('step workflows')
const doors = useDoors()
const forms = useForms(doors)

const end = { id: 'END', goal: 'End' }
const ask = (more: LooseJson = {}) => ({ id: 'ASK', goal: 'Ask', inputs: [{ name: 'a' }], ...more })

// ── Step Configuration ──────────────────────────────────────────────────────

type Shape = readonly [quote: string, check: string, step: LooseJson, code: string]

const shapes: readonly Shape[] = [
  [
    'id | Unique step identifier',
    'a step without an id is an error',
    { id: undefined },
    'SCHEMA_INVALID /steps/0',
  ],
  [
    'id | "COLLECT_NAME"',
    'an id that is not a string is an error',
    { id: 7 },
    'SCHEMA_INVALID /steps/0/id',
  ],
  [
    'goal | Brief description (shown to the agent)',
    'a goal that is not a string is an error',
    { goal: ['x'] },
    'SCHEMA_INVALID /steps/0/goal',
  ],
  [
    'instructions | Agent guidance (array of strings)',
    'an instruction that is a number is an error',
    { instructions: [5] },
    'SCHEMA_INVALID /steps/0/instructions/0',
  ],
  [
    'inputs | Parameters to collect (JSON Schema)',
    'inputs that are not a list are an error',
    { inputs: { a: 'string' } },
    'SCHEMA_INVALID /steps/0/inputs',
  ],
  [
    'on | Lifecycle hooks for actions',
    'hooks that are not lists are an error',
    { on: { enter: 'hi' } },
    'SCHEMA_INVALID /steps/0/on/enter',
  ],
  [
    'next | Transition routing',
    'routes that are not a list are an error',
    { next: 'END' },
    'SCHEMA_INVALID /steps/0/next',
  ],
  [
    'next | Used in: Transition routing (next entries)',
    'a route to an unknown step is an error',
    { next: ['NOWHERE'] },
    'TARGET_UNKNOWN /steps/0/next/0',
  ],
  [
    'tools | {allow: [...], call: true}',
    'a `call` setting that is not a boolean is an error',
    { tools: { call: 'yes' } },
    'SCHEMA_INVALID /steps/0/tools/call',
  ],
  [
    'tools.allow | list[string]',
    'a string instead of a list is an error',
    { tools: { allow: 'lookup' } },
    'SCHEMA_INVALID /steps/0/tools/allow',
  ],
  [
    'tools.allowGoToStep | boolean',
    'a list instead of a boolean is an error',
    { tools: { allowGoToStep: ['END'] } },
    'SCHEMA_INVALID /steps/0/tools/allowGoToStep',
  ],
  [
    'name | string | Yes',
    'an input without a name is an error',
    { inputs: [{ type: 'string' }] },
    'SCHEMA_INVALID /steps/0/inputs/0',
  ],
  [
    'type | string, number, integer, boolean, object, array',
    'an unknown type is an error',
    { inputs: [{ name: 'a', type: 'text' }] },
    'SCHEMA_INVALID /steps/0/inputs/0/type',
  ],
  [
    'required | boolean',
    'a string as `required` is an error',
    { inputs: [{ name: 'a', required: 'no' }] },
    'SCHEMA_INVALID /steps/0/inputs/0/required',
  ],
  [
    'enum | list[str]',
    'a single value instead of a list is an error',
    { inputs: [{ name: 'a', enum: 'x' }] },
    'SCHEMA_INVALID /steps/0/inputs/0/enum',
  ],
  [
    'pattern | Regex pattern for validation',
    'a pattern that is not a valid regex is an error',
    { inputs: [{ name: 'a', pattern: '(' }] },
    'PATTERN_INVALID /steps/0/inputs/0/pattern',
  ],
  [
    'text | string | required',
    '`say` without a text is an error',
    { on: { enter: [{ action: 'say' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0',
  ],
  [
    'value | valueFrom (mutually exclusive with value)',
    '`value` and `valueFrom` together are an error',
    { on: { enter: [{ action: 'set', name: 'x', value: 1, valueFrom: 'a' }] } },
    'VALUE_CONFLICT /steps/0/on/enter/0',
  ],
  [
    'set | name, value or valueFrom',
    'a `set` action with neither `value` nor `valueFrom` is an error',
    { on: { enter: [{ action: 'set', name: 'x' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0',
  ],
  [
    'inc | name | string | required',
    '`inc` without a name is an error',
    { on: { enter: [{ action: 'inc' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0',
  ],
  [
    'by | number',
    'a string as `by` is an error',
    { on: { enter: [{ action: 'inc', name: 'x', by: 'one' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0/by',
  ],
  [
    'overwrite | boolean',
    'a string as `overwrite` is an error',
    { on: { enter: [{ action: 'get', overwrite: 'yes' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0/overwrite',
  ],
  [
    'name | Target variable name (for single input)',
    'a single name for two saved inputs is an error',
    { inputs: [{ name: 'a' }, { name: 'b' }], on: { submit: [{ action: 'save', name: 'x' }] } },
    'VALUE_CONFLICT /steps/0/on/submit/0/name',
  ],
  [
    'call | name | Tool name to call',
    '`call` without a name is an error',
    { on: { enter: [{ action: 'call' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0',
  ],
  [
    'arguments | object',
    'a list as `arguments` is an error',
    { on: { enter: [{ action: 'call', name: 't', arguments: [1] }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0/arguments',
  ],
  [
    'Actions are the operations',
    'an unknown action is an error',
    { on: { enter: [{ action: 'shout' }] } },
    'SCHEMA_INVALID /steps/0/on/enter/0/action',
  ],
]

for (const [quote, check, step, code] of shapes) {
  claim({ section: 'Step Configuration', quote, check }, async () => {
    expect(await forms.check([ask(step), end])).toContain(code)
  })
}

claim(
  {
    section: 'Step Configuration',
    quote: 'id | Unique step identifier',
    check: 'two steps with the same id are an error',
  },
  async () => {
    expect(await forms.check([ask(), { ...end, id: 'ASK' }])).toContain(
      'DUPLICATE_STEP /steps/1/id',
    )
  },
)

claim(
  {
    section: 'Step Configuration',
    quote: 'expects an array of instruction strings, even for a single line',
    check: 'a single string is also accepted',
    differs: 'steps-instructions-string',
  },
  async () => {
    const form = await forms.open('rest', [ask({ instructions: 'Ask for the name.' })])
    expect(form.first.brief).toContain('Ask for the name.')
  },
)

for (const door of formDoors) {
  claim(
    {
      section: 'Step Configuration',
      quote: 'goal | Brief description (shown to the agent); instructions | Agent guidance',
      check: `the agent receives the id, the goal and every instruction over ${door}`,
    },
    async () => {
      const instructions = ['Be kind.', 'Be brief.']
      const { first } = await forms.open(door, [
        ask({ goal: "Collect the user's name", instructions }),
      ])
      expect(first).toMatchObject({ step: 'ASK', goal: "Collect the user's name" })
      for (const line of ["Collect the user's name", ...instructions]) {
        expect(first.brief).toContain(line)
      }
    },
  )
}

// ── the events and their actions ────────────────────────────────────────────

const bodies: Readonly<Record<string, LooseJson>> = {
  say: { action: 'say', text: 'hi' },
  set: { action: 'set', name: 'x', value: 1 },
  inc: { action: 'inc', name: 'x' },
  get: { action: 'get' },
  save: { action: 'save' },
  call: { action: 'call', name: 'lookup' },
}
const allowed: Readonly<Record<string, readonly string[]>> = {
  start: ['set', 'inc', 'say', 'call'],
  enter: ['get', 'set', 'inc', 'say', 'call'],
  presubmit: ['get', 'set', 'inc', 'save'],
  submit: ['set', 'inc', 'say', 'save', 'call'],
}

for (const [event, actions] of Object.entries(allowed)) {
  for (const [action, body] of Object.entries(bodies)) {
    const isAllowed = actions.includes(action)
    const check = `\`${action}\` is ${isAllowed ? 'accepted' : 'an error'} in on.${event}`
    const quote = `on.${event} | Allowed Actions: ${actions.join(', ')}`
    const differs = event === 'start' && (action === 'say' || action === 'call')
    const more = differs ? { differs: 'steps-action-table' } : {}
    claim({ section: 'Lifecycle Hooks', quote, check, ...more }, async () => {
      const found = await forms.check([ask({ on: { [event]: [body] } })])
      const misplaced = `OP_NOT_ALLOWED_HERE /steps/0/on/${event}/0/action`
      if (isAllowed) expect(found.filter((one) => one.startsWith('OP_'))).toEqual([])
      else expect(found).toContain(misplaced)
    })
  }
}

// ── the submit tool ─────────────────────────────────────────────────────────

const inputs = [
  { name: 'user_name', description: 'the full name' },
  { name: 'age', type: 'integer', required: false },
  { name: 'score', type: 'number' },
  { name: 'agreed', type: 'boolean' },
  { name: 'address', type: 'object' },
  { name: 'tags', type: 'array' },
  { name: 'plan', enum: ['free', 'paid'] },
  { name: 'birth', format: 'date' },
  { name: 'code', pattern: '^[A-Z]{3}$' },
]
const rows: readonly (readonly [string, string, string, LooseJson])[] = [
  [
    'name | Parameter name',
    'the parameter has the name of the input',
    'user_name',
    { type: 'string' },
  ],
  [
    'type | Defaults to string',
    'without a type, the parameter is a string',
    'user_name',
    { type: 'string' },
  ],
  ['type | integer', 'an integer input is an integer in the schema', 'age', { type: 'integer' }],
  ['type | number', 'a number input is a number in the schema', 'score', { type: 'number' }],
  ['type | boolean', 'a boolean input is a boolean in the schema', 'agreed', { type: 'boolean' }],
  ['type | object', 'an object input is an object in the schema', 'address', { type: 'object' }],
  ['type | array', 'an array input is an array in the schema', 'tags', { type: 'array' }],
  [
    'description | Human-readable description shown to agent',
    'the description is in the schema',
    'user_name',
    { description: 'the full name' },
  ],
  [
    'enum | agent constrained to these options',
    'the allowed values are in the schema',
    'plan',
    { enum: ['free', 'paid'] },
  ],
  ['format | Format hint', 'the format is in the schema', 'birth', { format: 'date' }],
  [
    'pattern | Regex pattern for validation',
    'the pattern is in the schema',
    'code',
    { pattern: '^[A-Z]{3}$' },
  ],
]
for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'Step Configuration',
      quote: "goal: This text becomes the submit tool's description",
      check: `the description of the tool is the goal, over ${wire}`,
    },
    async () => {
      await forms.open(wire, [ask({ goal: 'Collect {{the}} name' })])
      expect(await forms.submitTool(wire)).toMatchObject({ description: 'Collect {{the}} name' })
    },
  )
  claim(
    {
      section: 'Inputs Schema',
      quote: 'parameters that become the submit tool’s function schema',
      check: `the parameters are exactly the inputs of the step, over ${wire}`,
    },
    async () => {
      await forms.open(wire, [ask({ inputs })])
      const { inputSchema } = await forms.submitTool(wire)
      expect(Object.keys(inputSchema.properties)).toEqual(inputs.map((one) => one.name))
    },
  )
  claim(
    {
      section: 'Available Fields',
      quote: 'required | Whether parameter must be collected. Defaults to true',
      check: `missing inputs are listed, but not under \`required\`, over ${wire}`,
      differs: 'steps-schema-required',
    },
    async () => {
      await forms.open(wire, [ask({ inputs: inputs.slice(0, 3) })])
      const { inputSchema } = await forms.submitTool(wire)
      expect(inputSchema.description).toBe('still needed: user_name, score')
      expect(inputSchema.required ?? []).toEqual([])
    },
  )
}

for (const [index, [quote, check, name, wanted]] of rows.entries()) {
  const wire = index % 2 === 0 ? 'stdio' : 'http'
  claim({ section: 'Available Fields', quote, check: `${check}, over ${wire}` }, async () => {
    await forms.open(wire, [ask({ inputs })])
    const { inputSchema } = await forms.submitTool(wire)
    expect(inputSchema.properties[name]).toMatchObject(wanted)
  })
}

// ── what `pawl check` remarks on ────────────────────────────────────────────

const remarks: readonly (readonly [string, string, LooseJson, string])[] = [
  [
    'Boolean literals need backticks | flag == true',
    'a bare `true` gets a warning',
    { next: [{ id: 'END', if: 'flag == true' }, 'END'] },
    'BARE_LITERAL /steps/0/next/0/if',
  ],
  [
    'Number literals need backticks | count > 3',
    'a bare number is a syntax error',
    { next: [{ id: 'END', if: 'count > 3' }, 'END'] },
    'EXPRESSION_INVALID /steps/0/next/0/if',
  ],
  [
    'no inputs and a next transition … causes the workflow to stall',
    'a step that stalls gets a warning',
    { inputs: [], next: ['END'] },
    'STEP_STALLS /steps/0',
  ],
  [
    'Default (no if as the last item)',
    'a condition on the last entry gets a warning',
    { next: [{ id: 'END', if: 'x' }] },
    'LAST_ROUTE_CONDITIONAL /steps/0/next/0',
  ],
  [
    'String comparisons | JMESPath',
    'comparing the order of strings gets a warning',
    { next: [{ id: 'END', if: "inputs.a >= '2026-01-01'" }, 'END'] },
    'CONDITION_NEVER_HOLDS /steps/0/next/0/if',
  ],
  [
    'Simple condition checks | JMESPath',
    '`!inputs.a` gets a warning',
    { next: [{ id: 'END', if: '!inputs.a' }, 'END'] },
    'CONDITION_NEVER_HOLDS /steps/0/next/0/if',
  ],
]
for (const [quote, check, step, code] of remarks) {
  const more = quote.startsWith('String comparisons') ? { differs: 'steps-string-order' } : {}
  claim({ section: 'Expressions', quote, check, ...more }, async () => {
    expect(await forms.check([ask(step), end])).toContain(code)
  })
}

claim(
  {
    section: 'tools.call',
    quote: 'You must add "tools": {"call": true} to force submission',
    check: 'with `call`, the same step gets no warning',
  },
  async () => {
    const found = await forms.check([
      ask({ inputs: [], next: ['END'], tools: { call: true } }),
      end,
    ])
    expect(found.filter((one) => one.startsWith('STEP_STALLS'))).toEqual([])
  },
)
claim(
  {
    section: 'call',
    quote: 'autoPopulate | boolean or "required" | accepted by the runtime but has no effect yet',
    check: 'true, false and "required" are accepted; any other value is an error',
  },
  async () => {
    const call = (autoPopulate: LooseJson) =>
      forms.check([ask({ on: { enter: [{ action: 'call', name: 't', autoPopulate }] } })])
    for (const value of [true, false, 'required']) expect(await call(value)).toEqual([])
    expect(await call('later')).toContain('SCHEMA_INVALID /steps/0/on/enter/0/autoPopulate')
  },
)
