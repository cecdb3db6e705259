/** Interrupts, pausing and resuming, debug mode, and what the meta of a workflow changes. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { useWorkflows, type WorkflowDoor, workflowDoors } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()
const final = { type: 'final' }

const interrupted = (pattern: string) => ({
  id: 'hooks-work',
  initial: 'implementing',
  interrupts: { pb_check: { trigger: { file_pattern: pattern }, target: 'pb_validating' } },
  states: {
    implementing: {
      allowed_tools: ['Read', 'Edit', 'Write', 'MultiEdit', 'Bash'],
      on: { DONE: 'testing', FAIL: 'failed' },
    },
    testing: { allowed_tools: ['Edit'], on: { DONE: 'completed', BACK: 'implementing' } },
    pb_validating: {
      instructions: "A PocketBase hook was edited. Run 'task test:hooks' to validate.",
      allowed_tools: ['Bash', 'Read', 'Edit'],
      allowed_commands: ['task test:hooks'],
      on: { VALIDATED: '$return', FAIL: 'failed', SKIP: 'testing' },
    },
    completed: final,
    failed: final,
  },
})
const hooks = interrupted('site/pb/**/*.js')
const hook = 'site/pb/hooks/auth.pb.js'
const editOf = (file: string): JsonObject => ({
  ...{ file_path: file, old_string: 'a', new_string: 'b' },
})

const edits: readonly (readonly [tool: string, input: JsonObject])[] = [
  ['Edit', editOf(hook)],
  ['Write', { file_path: hook, content: 'x' }],
  ['MultiEdit', { file_path: hook, edits: [{ old_string: 'a', new_string: 'b' }] }],
  ['Edit', editOf(`./${hook}`)],
]

for (const [index, [tool, input]] of edits.entries()) {
  const door = workflowDoors[index % 3] ?? 'rest'
  claim(
    {
      section: 'Interrupts',
      quote: 'When the agent changes site/pb/hooks/auth.pb.js, the gateway auto-transitions',
      check: `${tool} of ${String(input.file_path)} leads to pb_validating (${door})`,
    },
    async () => {
      const run = await workflows.open(door, hooks)
      const after = await run.made(tool, input)
      expect(after.state).toBe('pb_validating')
      expect(after.text).toContain("Run 'task test:hooks'")
    },
  )
}

for (const door of workflowDoors) {
  claim(
    {
      section: 'The $return Target',
      quote: 'VALIDATED uses $return to resume at the interrupted state',
      check: `the run returns to implementing or testing, where it came from (${door})`,
    },
    async () => {
      const run = await workflows.open(door, hooks)
      await run.made('Edit', editOf(hook))
      expect((await run.send('VALIDATED')).state).toBe('implementing')
      await run.send('DONE')
      await run.made('Edit', editOf(hook))
      expect((await run.send('VALIDATED')).state).toBe('testing')
    },
  )
  claim(
    {
      section: 'The $return Target',
      quote: 'while FAIL targets failed directly',
      check: `FAIL in the handler ends the run (${door})`,
    },
    async () => {
      const run = await workflows.open(door, hooks)
      await run.made('Edit', editOf(hook))
      expect((await run.send('FAIL')).status).toBe('failed')
    },
  )
}

claim(
  {
    section: 'Interrupts',
    quote: "The agent's tools change immediately.",
    check: 'in the handler, only its commands are allowed (rest)',
  },
  async () => {
    const run = await workflows.open('rest', hooks)
    await run.made('Edit', editOf(hook))
    expect((await run.call('Bash', { command: 'npm test' })).code).toBe('COMMAND_NOT_ALLOWED')
    expect((await run.call('Bash', { command: 'task test:hooks' })).verdict).toBe('allow')
    expect((await run.call('Write', { file_path: 'a', content: '' })).code).toBe('TOOL_NOT_ALLOWED')
  },
)

claim(
  {
    section: 'Behavior',
    quote: 'Re-entrancy | Suppressed until the agent returns via $return.',
    check:
      'a second matching edit triggers nothing in the handler, but does after the return (stdio)',
  },
  async () => {
    const run = await workflows.open('stdio', hooks)
    await run.made('Edit', editOf(hook))
    expect((await run.made('Edit', editOf('site/pb/b.js'))).state).toBe('pb_validating')
    expect((await run.send('VALIDATED')).state).toBe('implementing')
    expect((await run.made('Edit', editOf(hook))).state).toBe('pb_validating')
  },
)

claim(
  {
    section: 'Behavior',
    quote: 'Re-entrancy | Suppressed until the agent returns via $return.',
    check: 'leaving the handler by another event also ends the suppression (http)',
    differs: 'interrupt-left',
  },
  async () => {
    const run = await workflows.open('http', hooks)
    await run.made('Edit', editOf(hook))
    expect((await run.send('SKIP')).state).toBe('testing')
    expect((await run.made('Edit', editOf(hook))).state).toBe('pb_validating')
    expect((await run.send('VALIDATED')).state).toBe('testing')
  },
)

claim(
  {
    section: 'Behavior',
    quote: 'Agent notice | The tool result includes a [STATEWRIGHT INTERRUPT] message',
    check: 'a notice names the file and the interrupt, but in other words (rest)',
    differs: 'interrupt-words',
  },
  async () => {
    const run = await workflows.open('rest', hooks)
    const { values } = await run.made('Edit', editOf(hook))
    expect(values.notice).toContain(hook)
    expect(values.notice).toContain('pb_check')
  },
)

for (const [command, state] of [
  ["sed -i 's/a/b/' site/pb/a.js", 'pb_validating'],
  ['echo x > site/pb/a.js', 'pb_validating'],
  ['cat site/pb/a.js', 'implementing'],
] as const) {
  claim(
    {
      section: 'Behavior',
      quote: 'Bash file writes (>, sed -i) do not trigger interrupts.',
      check: `Pawl sees what a command writes: after \`${command}\`, the run is in ${state} (rest)`,
      differs: 'interrupt-shell',
    },
    async () => {
      const run = await workflows.open('rest', hooks)
      expect((await run.made('Bash', { command })).state).toBe(state)
    },
  )
}

claim(
  {
    section: 'The $return Target',
    quote: 'using $return without a prior interrupt trigger returns an error',
    check: 'an event with the target $return is rejected if no interrupt came before (stdio)',
  },
  async () => {
    const { states, ...rest } = hooks
    const { implementing } = states
    const on = { ...implementing.on, JUMP: 'pb_validating' }
    const definition = { ...rest, states: { ...states, implementing: { ...implementing, on } } }
    const run = await workflows.open('stdio', definition)
    await run.send('JUMP')
    const after = await run.send('VALIDATED')
    expect(after.code).toBe('RETURN_OUTSIDE_DETOUR')
    expect((await run.look()).state).toBe('pb_validating')
  },
)

for (const door of ['stdio', 'rest'] as const) {
  claim(
    {
      section: 'Interrupts',
      quote: 'the gateway auto-transitions to pb_validating',
      check: `an agent cannot begin an interrupt with an event (${door})`,
      differs: 'interrupt-event',
    },
    async () => {
      const run = await workflows.open(door, hooks)
      expect((await run.send('INTERRUPT:pb_check')).code).not.toBe(null)
      expect((await run.look()).state).toBe('implementing')
    },
  )
}

const globs: readonly (readonly [quote: string, pattern: string, path: string, boolean])[] = [
  ['*.js | JS files with no directory separators', '*.js', 'app.js', true],
  ['*.js | (app.js yes, src/app.js no)', '*.js', 'src/app.js', false],
  ['**/*.js | JS files at any depth', '**/*.js', 'a/b/c.js', true],
  ['**/*.js | JS files at any depth', '**/*.js', 'c.js', true],
  ['**/*.js | JS files at any depth', '**/*.js', 'a/b/c.ts', false],
  ['site/pb/**/*.js | JS files anywhere under site/pb/', 'site/pb/**/*.js', 'site/pb/a.js', true],
  ['site/pb/**/*.js | anywhere under', 'site/pb/**/*.js', 'site/pb/x/y/a.js', true],
  ['site/pb/**/*.js | anywhere under', 'site/pb/**/*.js', 'site/other/a.js', false],
  ['**/*.env* | .env, .env.local at any depth', '**/*.env*', '.env.local', true],
  ['**/*.env* | .env.production at any depth', '**/*.env*', 'deploy/.env.production', true],
  ['**/*.env* | .env at any depth', '**/*.env*', 'environment.ts', false],
  ['src/?.rs | Single-character Rust files in src/', 'src/?.rs', 'src/a.rs', true],
  ['src/?.rs | Single-character Rust files in src/', 'src/?.rs', 'src/ab.rs', false],
  ['src/?.rs | Single-character Rust files in src/', 'src/?.rs', 'src//.rs', false],
]

for (const [index, [quote, pattern, path, isMatch]] of globs.entries()) {
  const door = workflowDoors[index % 3] ?? 'rest'
  const check = `${path} ${isMatch ? 'matches' : 'does not match'} ${pattern} (${door})`
  claim({ section: 'Glob Patterns', quote, check }, async () => {
    const run = await workflows.open(door, interrupted(pattern))
    const { state } = await run.made('Edit', editOf(path))
    expect(state).toBe(isMatch ? 'pb_validating' : 'implementing')
  })
}

// ── pause and resume ────────────────────────────────────────────────────────

const tdd = {
  id: 'tdd-feature',
  initial: 'red',
  states: {
    red: { allowed_tools: ['Read'], on: { WRITTEN: 'green' } },
    green: { allowed_tools: ['Edit'], max_iterations: 2, on: { PASS: 'done' } },
    done: final,
  },
}
const pausing = { section: 'Pause and Resume' }

async function paused(door: 'stdio' | 'http') {
  const run = await workflows.open(door, tdd)
  await run.send('WRITTEN', { test: 'a' })
  const answer = await workflows.tool(door, 'pause')
  return { run, answer }
}

for (const door of ['stdio', 'http'] as const) {
  claim(
    {
      ...{ ...pausing, quote: 'The run status changes to paused.' },
      check: `statewright_pause pauses the run in its state (${door})`,
    },
    async () => {
      const { run, answer } = await paused(door)
      expect(answer.values).toMatchObject({ ok: true, paused: true, state: 'green' })
      expect(await run.look()).toMatchObject({ status: 'paused', state: 'green' })
    },
  )
  claim(
    {
      ...{ ...pausing, quote: 'load_workflow(name="tdd-feature", resume=true) … restores' },
      check: `the state and context are restored, and the run continues (${door})`,
    },
    async () => {
      const { run } = await paused(door)
      const args = { name: 'tdd-feature', resume: true }
      const { values } = await workflows.tool(door, 'load_workflow', args)
      expect(values).toMatchObject({ ok: true, resumed: true, run: { run: run.id } })
      expect(await run.look()).toMatchObject({
        ...{ status: 'running', state: 'green', context: { test: 'a' } },
      })
    },
  )
  claim(
    {
      ...{ ...pausing, quote: 'If no paused run exists, resume=true falls back to starting fresh' },
      check: `the new run begins in the initial state (${door})`,
    },
    async () => {
      await workflows.store({ ...tdd, id: `fresh-${door}` })
      const args = { name: `fresh-${door}`, resume: true }
      const { values } = await workflows.tool(door, 'load_workflow', args)
      expect(values).toMatchObject({ ok: true, resumed: false, run: { state: 'red' } })
      await workflows.doors.rest(`POST /v1/runs/${values.run.run}/cancel`)
    },
  )
  claim(
    {
      ...{ ...pausing, quote: 'saves the current state … and deactivates enforcement' },
      check: `while the run is paused, calls and events are rejected (${door})`,
      differs: 'pause-holds',
    },
    async () => {
      const { run } = await paused(door)
      expect((await run.call('Read', { file_path: 'a' })).verdict).toBe('deny')
      expect((await run.send('PASS')).code).toBe('RUN_NOT_RUNNING')
    },
  )
}

claim(
  {
    ...{ ...pausing, quote: 'deactivates enforcement' },
    check: 'a person may pause the run and lift its rules until it is resumed (rest)',
  },
  async () => {
    const run = await workflows.open('rest', tdd)
    await workflows.doors.rest(`POST /v1/runs/${run.id}/pause`, { body: { release: true } })
    expect((await run.call('Write', { file_path: 'a', content: '' })).verdict).toBe('allow')
  },
)

claim(
  {
    ...{ ...pausing, quote: 'Iteration count resets to 0, but transition count and context are' },
    check: 'resuming resets the count for a person, not for an agent (stdio and rest)',
    differs: 'resume-count',
  },
  async () => {
    const edit = editOf('a.ts')
    const run = await workflows.open('stdio', tdd)
    await run.send('WRITTEN')
    for (const _ of [1, 2]) await run.call('Edit', edit)
    await workflows.tool('stdio', 'pause')
    await workflows.tool('stdio', 'load_workflow', { name: 'tdd-feature', resume: true })
    expect((await run.call('Edit', edit)).code).toBe('CALLS_EXHAUSTED')
    await workflows.tool('stdio', 'pause')
    await workflows.doors.rest(`POST /v1/runs/${run.id}/resume`)
    expect((await run.call('Edit', edit)).verdict).toBe('allow')
  },
)

// ── debug ───────────────────────────────────────────────────────────────────

const guards = { never: { field: 'never', op: 'exists' } }
const debugged = (debug: boolean | null) => ({
  ...{ id: 'debugged', initial: 'a', guards, meta: debug === null ? {} : { debug } },
  context: { kept: 1 },
  states: {
    a: { on: { GO: { target: 'refactoring', guard: 'never' } } },
    refactoring: { on: { END: 'done' } },
    done: final,
  },
})
const debug = { section: 'Debug Mode' }
const forced = { stage: 'refactoring', vars: { test_result: 'pass' } }

claim(
  {
    ...{ ...debug, quote: 'jumps to any state and optionally merges context values' },
    check: 'a person can do this: guards are bypassed, and the context is merged (rest)',
    differs: 'force-person',
  },
  async () => {
    const run = await workflows.open('rest', debugged(true))
    await workflows.doors.rest(`POST /v1/runs/${run.id}/force`, { body: forced })
    expect(await run.look()).toMatchObject({
      ...{ state: 'refactoring', context: { kept: 1, test_result: 'pass' } },
    })
  },
)

for (const door of ['stdio', 'http'] as const) {
  claim(
    {
      ...{ ...debug, quote: 'statewright_force_state(state="refactoring", context={…})' },
      check: `an agent's call is rejected; the hint says what a person can do (${door})`,
      differs: 'force-person',
    },
    async () => {
      const run = await workflows.open(door, debugged(true))
      const tools = (await (await workflows.doors.client(door)).tools()).map((one) => one.name)
      expect(tools).toContain('statewright_force_state')
      const args = { state: 'refactoring', context: { test_result: 'pass' } }
      const { values } = await workflows.tool(door, 'force_state', args)
      expect(values.error.code).toBe('NOT_PERMITTED')
      expect(values.error.hint).toContain(`pawl force ${run.id} refactoring`)
      expect((await run.look()).state).toBe('a')
    },
  )
}

for (const value of [false, null]) {
  claim(
    {
      ...{ ...debug, quote: 'Set "debug": true in the workflow meta to enable' },
      check: `with debug ${value ?? 'left out'}, the tool is not listed and rejects calls`,
    },
    async () => {
      const run = await workflows.open('stdio', debugged(value))
      const tools = (await (await workflows.doors.client('stdio')).tools()).map((one) => one.name)
      expect(tools).not.toContain('statewright_force_state')
      const { doors } = workflows
      const answer = await doors.rest(`POST /v1/runs/${run.id}/force`, { body: forced })
      expect(answer.body.code).toBe('DEBUG_DISABLED')
    },
  )
}

// ── meta ────────────────────────────────────────────────────────────────────

const dangerous = {
  ...{ id: 'danger', initial: 'look' },
  states: {
    look: { allowed_tools: ['Read'], on: { GO: 'act' } },
    act: { allowed_tools: ['Bash'], on: { END: 'done' } },
    done: final,
  },
}

for (const [level, isTold] of [
  ['safe', false],
  ['moderate', true],
  ['dangerous', true],
] as const) {
  claim(
    {
      section: 'Meta Fields',
      quote: 'danger_level | "safe" | "moderate" | "dangerous" | Risk classification',
      check: `${level}: a gain of rights without an approval gets ${isTold ? 'a' : 'no'} warning`,
    },
    async () => {
      const definition = { ...dangerous, meta: { danger_level: level } }
      const { body } = await workflows.doors.rest('POST /v1/check', { body: { definition } })
      const codes = body.findings.map((one: { code: string }) => one.code)
      expect(codes.includes('ESCALATION_UNGATED')).toBe(isTold)
    },
  )
}

const outcomes: readonly (readonly [WorkflowDoor, string, string])[] = [
  ['stdio', 'BLOCKED', 'failed'],
  ['http', 'DONE', 'completed'],
]

for (const [door, event, status] of outcomes) {
  claim(
    {
      section: 'Meta Fields',
      quote: 'Additional arbitrary fields are allowed under meta for forward compatibility.',
      check: `with failure_states, ${event} ends the run as ${status} (${door})`,
    },
    async () => {
      const run = await workflows.open(door, {
        ...{ id: 'deliver', initial: 'plan', meta: { failure_states: ['blocked'] } },
        states: { plan: { on: { DONE: 'done', BLOCKED: 'blocked' } }, done: final, blocked: final },
      })
      expect((await run.send(event)).status).toBe(status)
    },
  )
}
