/** What a definition has to look like, and how every door says that it does not. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import type { LooseJson } from './doors.ts'
import { useWorkflows } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()
const final = { type: 'final' }

const sound = {
  id: 'sound',
  initial: 'start',
  states: {
    start: { on: { GO: 'done' } },
    improving: { on: { END: 'done' } },
    done: final,
  },
}
const inState = (fields: LooseJson) => ({
  ...sound,
  states: { ...sound.states, start: { on: { GO: 'done' }, ...fields } },
})
const onGo = (transition: LooseJson) => ({
  ...inState({ on: { GO: transition, END: 'done' } }),
  guards: { g: { field: 'x', op: 'exists' } },
})
const withMeta = (meta: LooseJson) => ({ ...sound, meta })
const withInterrupt = (interrupt: LooseJson) => ({ ...sound, interrupts: { i: interrupt } })

type Claimed = readonly [section: string, quote: string, check: string]
type Fault = readonly [definition: LooseJson, code: string, at: string]
type Bad = { readonly claimed: Claimed; readonly fault: Fault }

const bad = (...claimed: Claimed) => ({
  gives: (...fault: Fault): Bad => ({ claimed, fault }),
})

const top = 'Top-Level Fields'
const state = 'State Definition Fields'
const patterns = 'Transition Patterns'
const shape = 'SCHEMA_INVALID'

const without = (key: string) => ({ dialect: 'workflow', ...sound, [key]: undefined })
const required = [
  ['id', 'id | string | Yes | Unique workflow identifier'],
  ['initial', 'initial | string | Yes | Name of the starting state'],
  ['states', 'states | object | Yes | State definitions keyed by state name'],
] as const

const rows: readonly Bad[] = [
  ...required.flatMap(([key, quote]): Bad[] => [
    bad(top, quote, `no \`${key}\``).gives(without(key), shape, ''),
    bad(top, quote, `\`${key}\` is null`).gives({ ...without(key), [key]: null }, shape, ''),
    bad(top, quote, `\`${key}\` is a number`).gives(
      { ...without(key), [key]: 7 },
      shape,
      `/${key}`,
    ),
    bad(top, quote, `\`${key}\` is a list`).gives({ ...without(key), [key]: [] }, shape, `/${key}`),
  ]),
  bad(top, 'id | string', '`id` is empty').gives({ ...sound, id: '' }, shape, '/id'),
  bad(top, 'initial | Name of the starting state', '`initial` names no state').gives(
    ...([{ ...sound, initial: 'nowhere' }, 'INITIAL_UNKNOWN', '/initial'] as const),
  ),
  ...['context', 'guards', 'interrupts', 'meta'].map((key) =>
    bad(top, `${key} | object | No`, `\`${key}\` is a list`).gives(
      ...([{ ...sound, [key]: [1] }, shape, `/${key}`] as const),
    ),
  ),
  bad(state, 'type | "final" | for terminal states', 'no state is final').gives(
    ...([{ ...sound, states: { start: {} } }, 'NO_FINAL', '/states'] as const),
  ),
  bad(state, 'type | "final"', 'a type other than final').gives(
    ...([inState({ type: 'end' }), shape, '/states/start/type'] as const),
  ),
  ...['max_iterations', 'max_edit_lines', 'max_files_per_state'].flatMap((key) =>
    [0, -1, 1.5].map((value) =>
      bad(state, `${key} | integer (>= 1)`, `\`${key}\` is ${value}`).gives(
        ...([inState({ [key]: value }), 'LIMIT_INVALID', `/states/start/${key}`] as const),
      ),
    ),
  ),
  bad(state, 'context_budget_bytes | integer', '`context_budget_bytes` is a fraction').gives(
    inState({ context_budget_bytes: 0.5 }),
    ...(['LIMIT_INVALID', '/states/start/context_budget_bytes'] as const),
  ),
  ...(
    [
      ['max_iterations', '10', 'integer (>= 1)'],
      ['allowed_tools', 'Read', 'string[]'],
      ['allowed_tools', [1], 'string[]'],
      ['instructions', 3, 'string'],
      ['safe_next', ['done'], 'string'],
      ['allowed_commands', 'npm test', 'string[]'],
      ['blocked_env', 'SECRET', 'string[]'],
      ['deny_env', { A: 1 }, 'string[]'],
      ['env_overrides', ['A=1'], 'object'],
      ['env', { A: 1 }, 'object'],
      ['on', ['GO'], 'object'],
    ] as const
  ).map(([key, value, type]) =>
    bad(state, `${key} | ${type}`, `\`${key}\` is ${JSON.stringify(value)}`).gives(
      ...([inState({ [key]: value }), shape, `/states/start/${key}`] as const),
    ),
  ),
  bad(state, 'safe_next | string | Fallback state', '`safe_next` names no state').gives(
    inState({ safe_next: 'nowhere' }),
    ...(['TARGET_UNKNOWN', '/states/start/safe_next'] as const),
  ),
  bad(state, 'allowed_tools | string[]', 'a misspelt limit, which must not be ignored').gives(
    inState({ alowed_tools: ['Read'] }),
    ...(['FIELD_MISSPELT', '/states/start/alowed_tools'] as const),
  ),
]

const lab = { invoke: 'lab', on_complete: 'done' }
const oneBranch = { b: { initial: 'done', terminal: 'done' } }

type BadPart = readonly [quote: string, check: string, part: LooseJson, code: string]

const transitions: readonly BadPart[] = [
  ['target | string | Yes', 'a transition without `target`', { guards: [] }, shape],
  ['target | string | Yes', 'a target that is a number', 3, shape],
  ['target | string | Yes', 'a target that is null', null, shape],
  ['target | string | Yes', 'a target that names no state', { target: 'x' }, 'TARGET_UNKNOWN'],
  ['Target state as a plain string.', 'a string that names no state', 'x', 'TARGET_UNKNOWN'],
  ['Array of guarded transitions.', 'an empty list of branches', [], shape],
  ['Each branch is an object', 'a branch that is a string', ['done'], shape],
  [
    'target | string | Yes',
    'a later branch whose target does not exist',
    [{ target: 'done', guard: 'g' }, { target: 'x' }],
    'TARGET_UNKNOWN',
  ],
  ['guard | string | No', 'a guard that is a list', { target: 'done', guard: ['g'] }, shape],
  ['guard | string | No', 'an unknown guard', { target: 'done', guard: 'h' }, 'GUARD_UNKNOWN'],
  [
    'guard | string',
    'an unknown guard in a branch',
    [{ target: 'done', guard: 'h' }],
    'GUARD_UNKNOWN',
  ],
  ['guards | string[] | No', 'a string as `guards`', { target: 'done', guards: 'g' }, shape],
  [
    'requires_approval | boolean',
    'a string as `requires_approval`',
    { target: 'done', requires_approval: 'yes' },
    shape,
  ],
  [
    'approval_message | string',
    'a number as `approval_message`',
    { target: 'done', approval_message: 1 },
    shape,
  ],
  ['on_complete | string | Yes', 'an `invoke` without `on_complete`', { invoke: 'lab' }, shape],
  ['invoke | string | Yes', 'a number as `invoke`', { ...lab, invoke: 1 }, shape],
  [
    'on_fail | string | No',
    'an `on_fail` that names no state',
    { ...lab, on_fail: 'x' },
    'TARGET_UNKNOWN',
  ],
  ['input | object | No', 'a list as `input`', { ...lab, input: [] }, shape],
  [
    'fork.branches | object | Yes',
    'a fork without branches',
    { fork: { on_complete: 'done' } },
    shape,
  ],
  [
    ...(['fork.join | all or any', '`join` is neither all nor any'] as const),
    { fork: { branches: oneBranch, join: 'most', on_complete: 'done' } },
    shape,
  ],
  [
    ...(['Named branches, each with initial and terminal', 'a branch without `terminal`'] as const),
    { fork: { branches: { b: { initial: 'done' } }, on_complete: 'done' } },
    shape,
  ],
  [
    ...([
      'terminal state (a final state that signals completion)',
      'a terminal that is not a final state',
    ] as const),
    { fork: { branches: { b: { initial: 'start', terminal: 'improving' } }, on_complete: 'done' } },
    'FORK_INVALID',
  ],
  [
    'fork.on_complete | Yes',
    'a fork without `on_complete`',
    { fork: { branches: oneBranch } },
    shape,
  ],
  ['one of four patterns', 'both `target` and `invoke`', { ...lab, target: 'done' }, shape],
]

const interrupts: readonly BadPart[] = [
  [
    'trigger.file_pattern | string | Yes',
    'an interrupt without a trigger',
    { target: 'improving' },
    shape,
  ],
  [
    'trigger.file_pattern | Yes',
    'a trigger without a pattern',
    { trigger: {}, target: 'improving' },
    shape,
  ],
  [
    'target | string | Yes',
    'an interrupt without a target',
    { trigger: { file_pattern: '*' } },
    shape,
  ],
  [
    ...(['target | State to transition to', 'a target that does not exist'] as const),
    { trigger: { file_pattern: '*' }, target: 'x' },
    'TARGET_UNKNOWN',
  ],
]

const metas: readonly (readonly [quote: string, key: string, value: unknown])[] = [
  ['task_type | string', 'task_type', 3],
  ['estimated_steps | integer', 'estimated_steps', 'many'],
  ['danger_level | "safe" | "moderate" | "dangerous"', 'danger_level', 'high'],
  ['requires_human_approval | boolean', 'requires_human_approval', 'yes'],
  ['capture_output | boolean', 'capture_output', 1],
  ['approval_mode | "ui" | "none"', 'approval_mode', 'email'],
  ['debug | boolean', 'debug', 'true'],
]

const all: readonly Bad[] = [
  ...rows,
  ...transitions.map(([quote, check, part, code]) =>
    bad(patterns, quote, check).gives(onGo(part), code, '/states/start/on/GO'),
  ),
  ...interrupts.map(([quote, check, part, code]) =>
    bad('Interrupt Fields', quote, check).gives(withInterrupt(part), code, '/interrupts/i'),
  ),
  ...metas.map(([quote, key, value]) =>
    bad('Meta Fields', quote, `\`${key}\` is ${JSON.stringify(value)}`).gives(
      ...([withMeta({ [key]: value }), shape, `/meta/${key}`] as const),
    ),
  ),
]

for (const [index, { claimed, fault }] of all.entries()) {
  const door = ['rest', 'stdio', 'http'][index % 3] ?? 'rest'
  const [section, quote, check] = claimed
  const [definition, code, at] = fault
  claim({ section, quote, check: `${check}: rejected with ${code} (${door})` }, async () => {
    const found = door === 'rest' ? await byRest(definition) : await byTool(door, definition)
    expect(found.code).toBe('DEFINITION_INVALID')
    const errors = found.findings.filter((one: LooseJson) => one.severity === 'error')
    const places = errors.map((one: LooseJson) => [one.code, one.pointer.startsWith(at)])
    expect(places).toContainEqual([code, true])
  })
}

async function byRest(definition: LooseJson): Promise<LooseJson> {
  const { status, type, body } = await workflows.doors.rest('POST /v1/definitions', {
    body: { definition },
  })
  expect([status, type]).toEqual([422, 'application/problem+json'])
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['type', 'title', 'detail', 'hint']))
  return body
}

async function byTool(door: string, definition: LooseJson): Promise<LooseJson> {
  const wire = door === 'http' ? 'http' : 'stdio'
  const name = definition.id === 'sound' ? { name: 'sound' } : {}
  const { isError, values, text } = await workflows.tool(wire, 'create_workflow', {
    ...{ ...name, definition: JSON.parse(JSON.stringify(definition)) },
  })
  expect([isError, values.ok, values.run]).toEqual([true, false, null])
  expect(text).toContain('DEFINITION_INVALID')
  return values.error
}

// ── what is accepted ────────────────────────────────────────────────────────

const nullState = {
  ...{ type: null, allowed_tools: null, instructions: null, max_iterations: null, env: null },
  ...{ safe_next: null, max_edit_lines: null, max_files_per_state: null, deny_env: null },
  ...{ allowed_commands: null, blocked_env: null, env_overrides: null },
  ...{ context_budget_bytes: null },
}
const nullRoute = { guard: null, guards: null, requires_approval: null, approval_message: null }

const good: readonly (readonly [section: string, quote: string, check: string, LooseJson])[] = [
  [top, 'context, guards, interrupts, meta | No', 'these fields may be left out', sound],
  [
    ...([top, 'context, guards, interrupts, meta | No', 'these fields may be null'] as const),
    { ...sound, context: null, guards: null, interrupts: null, meta: null },
  ],
  [
    ...([top, 'Validate your definitions with $schema', '$schema is accepted'] as const),
    { $schema: 'https://statewright.ai/workflow-schema.json', ...sound },
  ],
  [state, 'type … on | defaults', 'every field of a state may be null', inState(nullState)],
  [
    ...([patterns, 'guard … approval_message | No', 'each field may be null'] as const),
    onGo({ target: 'done', ...nullRoute, invoke: null, fork: null }),
  ],
  [
    ...([patterns, 'guard … guards | No', 'each field of a branch may be null'] as const),
    onGo([{ target: 'done', ...nullRoute }]),
  ],
  [
    ...(['Meta Fields', 'Optional metadata', 'each field may be null'] as const),
    withMeta({ task_type: null, danger_level: null, approval_mode: null, debug: null }),
  ],
  [
    ...(['Meta Fields', 'Additional arbitrary fields are allowed under meta'] as const),
    ...([
      'other fields are accepted without a warning',
      withMeta({ team: 'web', autonomous: true }),
    ] as const),
  ],
  [
    ...(['Meta Fields', 'task_type … capture_output'] as const),
    'every documented field is accepted',
    withMeta({
      ...{ task_type: 'bugfix', estimated_steps: 15, danger_level: 'safe', debug: false },
      ...{ capture_output: true, approval_mode: 'ui', failure_states: ['done'] },
    }),
  ],
]

for (const [section, quote, check, definition] of good) {
  claim({ section, quote, check: `${check} (rest)` }, async () => {
    const { body } = await workflows.doors.rest('POST /v1/check', { body: { definition } })
    expect(body.ok).toBe(true)
    const codes = body.findings.map((one: LooseJson) => one.code)
    expect(codes.filter((code: string) => code.startsWith('FIELD_'))).toEqual([])
  })
}

claim(
  {
    section: top,
    quote: 'Every field in the Statewright workflow definition schema',
    check: 'an unknown field gets a warning, and the definition is accepted (rest)',
  },
  async () => {
    const body = { definition: { ...inState({ colour: 'red' }), owner: 'me' } }
    const answer = (await workflows.doors.rest('POST /v1/check', { body })).body
    expect(answer.ok).toBe(true)
    const unknown = answer.findings.filter((one: LooseJson) => one.code === 'FIELD_UNKNOWN')
    expect(unknown.map((one: LooseJson) => one.pointer)).toEqual(['/states/start/colour', '/owner'])
  },
)
