#!/usr/bin/env node
// Turns corpus records into cases (see cases/README.md).
// Usage: node to-cases.mjs FILE.jsonl [--out CASES.json] [--skipped SKIPPED.json]
// A record becomes a case when a definition and calls or signals alone decide it; every other record is listed in SKIPPED with the reason.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const own = (object, key) =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, key)
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const typeName = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

class Skip extends Error {}
const skip = (reason) => {
  throw new Skip(reason)
}
const onlyKeys = (what, object, known) => {
  for (const key of Object.keys(object ?? {}))
    if (!known.includes(key)) skip(`${what}.${key} has no counterpart in a case`)
}

/** {"$repeat": [text, n]} anywhere in a record stands for the text n times. Written with entries, so that a key `__proto__` stays a key. */
function expand(value) {
  if (Array.isArray(value)) return value.map(expand)
  if (!isObject(value)) return value
  if (own(value, '$repeat')) return String(value.$repeat[0]).repeat(value.$repeat[1])
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]))
}

// ---------------------------------------------------------------- definitions

const STATE_FIELDS = [
  'type',
  'allowed_tools',
  'instructions',
  'max_iterations',
  'safe_next',
  'max_edit_lines',
  'max_files_per_state',
  'allowed_commands',
  'blocked_env',
  'deny_env',
  'env_overrides',
  'env',
  'context_budget_bytes',
]
const TOP_FIELDS = ['$schema', 'id', 'initial', 'states', 'context', 'guards', 'interrupts', 'meta']
const pick = (object, keys) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))

/** A small workflow whose first state carries what the record sets. */
function workflow(state, top = {}) {
  const leaves = state.type === 'final' ? {} : { on: { DONE: 'done' } }
  return {
    id: 'guarded',
    initial: 'work',
    ...top,
    states: { work: { ...state, ...leaves }, ...top.states, done: { type: 'final' } },
  }
}

/** A step workflow, in the envelope its author writes. */
function stepWorkflow(steps) {
  return {
    type: 'context',
    context: {
      task: {
        type: 'steps',
        version: 'v1alpha',
        id: 'guarded',
        start: 'auto',
        tool: { name: 'submit_step', description: 'Advance the workflow' },
        steps,
      },
    },
    tool: {
      type: 'function',
      function: {
        name: 'guarded_workflow',
        description: 'A guarded workflow',
        parameters: { type: 'object', properties: {}, required: [] },
      },
    },
  }
}

const handler = { allowed_tools: ['Read'], on: { VALIDATED: '$return', FAIL: 'failed' } }
const detourStates = (interrupts) => ({
  ...Object.fromEntries(Object.values(interrupts).map((entry) => [entry.target, handler])),
  failed: { type: 'final' },
})

// ---------------------------------------------------------------- steps

const VERDICT = { allow: 'allow', ask: 'ask', deny: 'deny', error: 'deny' }
const call = (tool, input, verdict) => ({ call: { tool, input }, expect: { verdict } })
const reported = (fields = {}) => ({ report: { ok: true, ...fields } })
const needsDisk = (record) => /symbolic link|hard link|swapped for/i.test(record.why)

/** A bare `pawl_*` name in the corpus is one of Pawl's own tools; a host spells it with the server in front. */
const hostTool = (name) => (/^pawl_[a-z_]+$/.test(name) ? `mcp__pawl__${name}` : name)

/** The host's spelling of a capability: `bash` is the tool Bash, `mcp:server:tool` is mcp__server__tool. */
function hostCall(capability) {
  if (capability === 'bash') return { tool: 'Bash', input: { command: 'ls' } }
  if (capability === 'Bash') return { tool: 'bash', input: { command: 'ls' } } // the same tool in another host's letters
  const found = /^mcp:([^:]+):(.+)$/s.exec(capability)
  if (found) return { tool: `mcp__${found[1]}__${found[2]}`, input: {} }
  if (capability.includes(':'))
    skip(`no host spells a tool so that its capability is ${JSON.stringify(capability)}`)
  return { tool: capability, input: {} }
}

// ---------------------------------------------------------------- one function per kind of area: record → the case's own fields

function toolCall(record) {
  const { setting, attempt } = record
  if (own(attempt, 'raw')) skip('raw text: feed it to the hook as text, unparsed')
  if (own(attempt, 'hook_event'))
    skip('the hook itself: its input, its definition file or its server is damaged')
  if (own(setting, 'mode') && setting.mode !== 'hook')
    skip('the runner: what the child process really sees')
  if (needsDisk(record)) skip('needs links in a real workspace')
  onlyKeys('setting', setting, [...STATE_FIELDS, 'mode', 'workspace', 'already_edited'])
  onlyKeys('attempt', attempt, ['tool', 'input', 'workspace'])
  if (typeof attempt.tool !== 'string') skip('the tool name is not text: feed it to the hook')
  const workspace = attempt.workspace ?? setting.workspace
  const earlier = (setting.already_edited ?? []).flatMap((file) => [
    call('Edit', { file_path: file, old_string: 'x', new_string: 'y' }, 'allow'),
    reported(),
  ])
  return {
    definition: workflow(pick(setting, STATE_FIELDS)),
    ...(workspace === undefined ? {} : { workspace }),
    steps: [...earlier, call(hostTool(attempt.tool), attempt.input, VERDICT[record.expected])],
  }
}

function interrupt(record) {
  const { setting, attempt } = record
  if (needsDisk(record)) skip('needs links in a real workspace')
  onlyKeys('setting', setting, [...STATE_FIELDS, 'interrupts'])
  onlyKeys('attempt', attempt, ['tool', 'input', 'workspace'])
  const stage = record.effect === 'interrupt' ? Object.values(setting.interrupts)[0].target : 'work'
  return {
    definition: workflow(pick(setting, STATE_FIELDS), {
      interrupts: setting.interrupts,
      states: detourStates(setting.interrupts),
    }),
    workspace: attempt.workspace,
    steps: [
      call(attempt.tool, attempt.input, VERDICT[record.expected]),
      { ...reported(), expect: { stage } },
    ],
  }
}

function policyMatch(record) {
  const { setting, attempt } = record
  onlyKeys('setting', setting, ['policy'])
  onlyKeys('attempt', attempt, ['capability'])
  const { tool, input } = hostCall(attempt.capability)
  const rules = ['deny', 'ask', 'allow'].flatMap((tier) => setting.policy[tier] ?? [])
  const known = rules
    .filter((rule) => !rule.capability.includes('*'))
    .map((rule) => ({ name: hostCall(rule.capability).tool }))
  return {
    definition: workflow({}),
    policy: setting.policy,
    ...(/not in tools\/list/.test(record.why) ? { tools: known } : {}),
    steps: [call(tool, input, VERDICT[record.expected])],
  }
}

function policyLimits(record) {
  const { setting, attempt, expected } = record
  onlyKeys('setting', setting, ['policy'])
  if (attempt.restart_server) skip('needs a server that is stopped and started again')
  onlyKeys('attempt', attempt, [
    'capability',
    'concurrent',
    'prior_calls_s_ago',
    'prior_denied_calls',
    'spent_usd',
    'cost_usd',
    'clock_jump_s',
  ])
  const [tier, rule] = ['ask', 'allow'].flatMap((name) =>
    (setting.policy[name] ?? []).map((entry) => [name, entry]),
  )[0]
  const jump = attempt.clock_jump_s ?? 0
  if (jump !== 0 && (rule.rate_limit || jump < 0))
    skip('needs a wall clock that can be set apart from the monotonic clock')
  const target = hostCall(attempt.capability)
  const earlier = hostCall(attempt.capability.toLowerCase())
  const verdict = VERDICT[expected]
  const steps = []
  const state = {}

  if (attempt.prior_denied_calls) {
    state.allowed_commands = [target.input.command]
    for (let n = 0; n < attempt.prior_denied_calls; n++)
      steps.push(call(target.tool, { command: 'rm -rf .' }, 'deny'))
  }
  const ago = attempt.prior_calls_s_ago ?? []
  ago.forEach((seconds, n) => {
    // Another command than the one of the attempt, so that an approval of this call cannot be spent on that one.
    const input = earlier.tool === 'Bash' ? { command: `echo ${n}` } : { n }
    steps.push(
      call(earlier.tool, input, tier),
      ...(tier === 'ask' ? [{ approve: { by: 'ann' } }] : []),
      reported(),
    )
    const gap = seconds - (ago[n + 1] ?? 0)
    if (gap > 0) steps.push({ wait: `${gap}s` })
  })
  if (attempt.spent_usd !== undefined)
    steps.push(call(target.tool, target.input, 'allow'), reported({ cost_usd: attempt.spent_usd }))
  if (jump > 0) steps.push({ wait: `${jump}s` })

  const spentOut = attempt.spent_usd !== undefined && attempt.spent_usd >= rule.budget_limit.max_usd
  if (attempt.concurrent) {
    // All at once: none has reported when the last one asks.
    for (let n = 1; n < attempt.concurrent; n++)
      steps.push(call(target.tool, target.input, n <= rule.rate_limit.max_calls ? tier : 'deny'))
    steps.push(call(target.tool, target.input, verdict))
  } else if (expected === 'error') {
    steps.push(call(target.tool, target.input, 'allow'), {
      ...reported({ cost_usd: attempt.cost_usd }),
      expect: { code: 'any' },
    })
  } else if (expected === 'deny' && attempt.cost_usd !== undefined && !spentOut) {
    // A cost is known when it is reported: the call after it is the one that is denied.
    steps.push(
      call(target.tool, target.input, 'allow'),
      reported({ cost_usd: attempt.cost_usd }),
      call(target.tool, target.input, 'deny'),
    )
  } else {
    steps.push(call(target.tool, target.input, verdict))
    if (verdict === 'allow' && attempt.cost_usd !== undefined)
      steps.push(reported({ cost_usd: attempt.cost_usd }))
  }
  return { definition: workflow(state), policy: setting.policy, steps }
}

function signalEvents(record) {
  const { setting, attempt } = record
  onlyKeys('attempt', attempt, ['event'])
  if (own(setting, 'interrupt_active')) {
    onlyKeys('setting', setting, ['state', 'interrupt_active'])
    if (setting.interrupt_active)
      skip('setting.interrupt_active: begin the detour with an edit instead')
    const interrupts = { check: { trigger: { file_pattern: 'src/**' }, target: 'checking' } }
    return {
      definition: workflow({}, { interrupts, states: { checking: setting.state } }),
      start: { stage: 'checking' },
      steps: [
        { signal: attempt.event, expect: { code: 'RETURN_OUTSIDE_DETOUR', stage: 'checking' } },
      ],
    }
  }
  onlyKeys('setting', setting, ['states', 'current'])
  const { states, current } = setting
  const ends = (state) => Object.keys(state.on ?? {}).length === 0 && !state.safe_next
  const from = states[current]
  const target = own(from.on, attempt.event) ? from.on[attempt.event] : from.safe_next
  return {
    definition: {
      id: 'guarded',
      initial: current,
      states: Object.fromEntries(
        Object.entries(states).map(([name, state]) => [
          name,
          ends(state) ? { type: 'final' } : state,
        ]),
      ),
    },
    steps: [
      {
        signal: attempt.event,
        expect:
          record.expected === 'allow'
            ? { stage: target }
            : { code: 'any', stage: current, status: 'running' },
      },
    ],
  }
}

function guard(record) {
  const { setting, attempt, expected } = record
  onlyKeys('setting', setting, ['guards', 'on', 'context'])
  onlyKeys('attempt', attempt, ['event', 'data'])
  const targets = Object.values(setting.on).map((route) => route.target ?? route)
  const definition = {
    id: 'guarded',
    initial: 'work',
    context: setting.context,
    guards: setting.guards,
    states: {
      work: { on: setting.on },
      ...Object.fromEntries(targets.map((name) => [name, { type: 'final' }])),
    },
  }
  if (expected === 'error') return { definition, check: { errors: 'any' }, steps: [] }
  const route = setting.on[attempt.event]
  const { field, value } = setting.guards[route.guard]
  const seen = own(setting.context, field) ? setting.context[field] : null
  // Values of one type: nothing but the guard can refuse. Else a fault in the comparison is as good a reason.
  const plain = !(field in {}) && (seen === null || typeName(seen) === typeName(value))
  const data = Object.keys(attempt.data ?? {}).length > 0 ? { data: attempt.data } : {}
  const expect =
    expected === 'allow'
      ? { stage: route.target, status: 'completed' }
      : { code: plain ? 'GUARD_FAILED' : 'any', stage: 'work' }
  // A guard on a name that every object inherits may be refused when the definition is loaded.
  return {
    definition,
    ...(field in {} ? { check: { errors: 'maybe' } } : {}),
    steps: [{ signal: attempt.event, ...data, expect }],
  }
}

function prototypeKeys(record) {
  const { setting, attempt, expected } = record
  onlyKeys('setting', setting, ['context'])
  onlyKeys('attempt', attempt, ['mcp', 'name', 'arguments_raw'])
  const data = JSON.parse(attempt.arguments_raw) // keeps a key `__proto__` as a key, and JSON.stringify writes it back
  if (JSON.stringify(data) !== attempt.arguments_raw)
    skip('raw text: the arguments change when they are parsed')
  const expect =
    expected === 'allow' ? { stage: 'done', vars: data } : { code: 'any', stage: 'work' }
  return {
    definition: workflow({}, { context: setting.context }),
    steps: [{ signal: 'DONE', data, expect }],
  }
}

function compiles(pattern) {
  if (typeof pattern !== 'string') return false
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

function load(record) {
  const { setting, attempt, expected } = record
  onlyKeys('setting', setting, ['definition_fragment'])
  onlyKeys('attempt', attempt, ['action'])
  let fragment = setting.definition_fragment
  if (own(fragment, 'yaml')) skip('YAML text: feed it to the loader as text')
  if (own(fragment, 'raw')) {
    let parsed
    try {
      parsed = JSON.parse(fragment.raw)
    } catch {
      skip('raw text: not JSON, feed it to the loader as text')
    }
    if (JSON.stringify(parsed) !== fragment.raw)
      skip('raw text: changes when it is parsed, feed it to the loader as text')
    fragment = parsed
  }
  const errors = (code) => ({
    check: { errors: expected === 'error' ? (code ? [code] : 'any') : [] },
  })
  const done = (definition, code, steps = []) => ({ definition, ...errors(code), steps })

  if (own(fragment, 'inputs')) {
    const definition = stepWorkflow([
      { id: 'ASK', goal: 'Get the values', inputs: fragment.inputs },
    ])
    const field = fragment.inputs.find((input) => compiles(input.pattern))
    // A pattern that compiles is either refused, or run by an engine that no text can hold up.
    if (expected === 'error' && field)
      return {
        definition,
        check: { errors: 'maybe' },
        steps: [{ submit: { [field.name]: `${'a'.repeat(40)}!` }, expect: { code: 'any' } }],
      }
    return done(definition)
  }
  if (own(fragment, 'guard'))
    return done(
      {
        ...workflow({}),
        states: {
          work: { on: { DONE: { target: 'done', guard: fragment.guard } } },
          done: { type: 'final' },
        },
      },
      'GUARD_UNKNOWN',
    )
  if (own(fragment, 'invoke')) {
    const definition = {
      id: 'guarded',
      initial: 'work',
      states: {
        work: { on: { GO: { invoke: 'guarded', on_complete: 'done' } } },
        done: { type: 'final' },
      },
    }
    return { ...done(definition, 'INVOKE_CYCLE'), definitions: { guarded: definition } }
  }
  if (own(fragment, 'state_name')) {
    const name = fragment.state_name
    const definition = {
      id: 'guarded',
      initial: 'work',
      states: {
        work: { on: { GO: name } },
        [name]: { on: { DONE: 'done' } },
        done: { type: 'final' },
      },
    }
    return done(
      definition,
      undefined,
      expected === 'allow'
        ? [
            { signal: 'GO', expect: { stage: name } },
            { signal: 'DONE', expect: { stage: 'done', status: 'completed' } },
          ]
        : [],
    )
  }
  const state = Object.fromEntries(
    Object.entries(fragment).filter(([key]) => !TOP_FIELDS.includes(key)),
  )
  const top = pick(fragment, TOP_FIELDS)
  const definition = workflow(
    {},
    { ...top, states: { ...(top.interrupts ? detourStates(top.interrupts) : {}), ...top.states } },
  )
  Object.assign(definition.states.work, state)
  const routes = Object.values(state.on ?? {}).filter((target) => typeof target === 'string')
  const code =
    own(top, 'initial') && !own(definition.states, top.initial)
      ? 'INITIAL_UNKNOWN'
      : routes.some((target) => !own(definition.states, target))
        ? 'TARGET_UNKNOWN'
        : undefined
  const blocked =
    expected === 'allow' && state.deny_env ? [...(state.blocked_env ?? []), ...state.deny_env] : []
  const result = done(
    definition,
    code,
    blocked.map((name) => call('Bash', { command: `echo "$${name}"` }, 'deny')),
  )
  if (
    expected === 'allow' &&
    Object.keys(state).some((key) => key !== 'on' && !STATE_FIELDS.includes(key))
  )
    result.check.warnings = ['FIELD_UNKNOWN']
  return result
}

function template(record) {
  const { setting, attempt, effect } = record
  onlyKeys('setting', setting, ['instructions'])
  onlyKeys('attempt', attempt, ['action', 'vars'])
  if (/dashboard|HTML/.test(`${effect} ${record.why}`)) skip('the dashboard: how the text is drawn')
  if (effect === 'literal or empty') skip('two renderings are right')
  const { inputs = {}, local = {}, ...vars } = attempt.vars
  const scoped = [
    ...Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value]),
    ...Object.entries(local).map(([name, value]) => [`local.${name}`, value]),
  ]
  const step = {
    id: 'TELL',
    goal: 'Tell it',
    instructions: setting.instructions.map((text) => `[${text}]`), // in brackets, so that an empty rendering can be seen
    inputs: [
      ...Object.keys(inputs).map((name) => inputField(name, inputs[name])),
      { name: 'heard', type: 'boolean' },
    ],
    ...(scoped.length > 0
      ? { on: { enter: scoped.map(([name, value]) => ({ action: 'set', name, value })) } }
      : {}),
  }
  return {
    definition: stepWorkflow([step]),
    ...startWith(vars),
    steps: [{ look: true, expect: { brief_contains: `[${effect}]` } }],
  }
}

const inputField = (name, value) => ({ name, type: typeName(value) })
const startWith = (vars) => (Object.keys(vars).length > 0 ? { start: { vars } } : {})

function expression(record) {
  const { setting, attempt, expected, effect } = record
  onlyKeys('setting', setting, ['if'])
  onlyKeys('attempt', attempt, ['action', 'context'])
  if (/or an error/.test(record.why)) skip('two outcomes are right: not taken, or refused')
  const [[type, text]] = Object.entries(setting.if)
  const { inputs = {}, vars = {} } = attempt.context
  const definition = stepWorkflow([
    {
      id: 'ASK',
      goal: 'Get the values',
      inputs: Object.entries(inputs).map(([name, value]) => inputField(name, value)),
      next: [{ id: 'HOLDS', if: { type, expression: text } }, { id: 'ELSE' }],
    },
    { id: 'HOLDS', goal: 'The condition held' },
    { id: 'ELSE', goal: 'The condition did not hold' },
  ])
  // A fault may be seen in the text already or only when it is evaluated.
  if (expected === 'error')
    return {
      definition,
      ...startWith(vars),
      check: { errors: 'maybe' },
      steps: [{ submit: inputs, expect: { code: 'any', stage: 'ASK' } }],
    }
  return {
    definition,
    ...startWith(vars),
    steps: [{ submit: inputs, ...(effect === 'null' ? { expect: { stage: 'ELSE' } } : {}) }],
  }
}

const AREAS = {
  'shell.boundary': toolCall,
  'shell.compound': toolCall,
  'shell.substitution': toolCall,
  'shell.obfuscation': toolCall,
  'shell.envprefix': toolCall,
  'shell.argescape': toolCall,
  'shell.lookalike': toolCall,
  'env.read': toolCall,
  'env.lookalike': toolCall,
  'tools.name': toolCall,
  'path.scope': toolCall,
  'edit.limits': toolCall,
  'edit.protected': toolCall,
  'edit.interrupt': interrupt,
  'policy.match': policyMatch,
  'policy.limits': policyLimits,
  'fsm.events': signalEvents,
  'context.guard': guard,
  'context.proto': prototypeKeys,
  'definition.load': load,
  'template.injection': template,
  'expr.limits': expression,
}
const ELSEWHERE = {
  'approval.forgery': 'HTTP and MCP with two credentials',
  'http.local': 'HTTP',
  'email.scope': 'the e-mail proxy',
  'mcp.gateway': 'the MCP gateway',
  'eventlog.integrity': 'the event log on disk',
  'env.runner': 'the runner',
  'runner.contain': 'the runner',
  'runner.cwd': 'the runner',
  'runner.kill': 'the runner',
  'runner.logs': 'the runner',
  'runner.params': 'the runner',
}

/** → {case} or {skipped: reason}. */
export function toCase(raw) {
  const record = expand(raw)
  const convert = AREAS[record.area]
  if (!convert) return { skipped: `another surface: ${ELSEWHERE[record.area] ?? record.area}` }
  try {
    const { definition, ...rest } = convert(record)
    return {
      case: {
        id: record.id,
        title: `${record.area}: ${record.why}`,
        level: record.level,
        why: record.why,
        definition,
        ...rest,
      },
    }
  } catch (error) {
    if (error instanceof Skip) return { skipped: error.message }
    throw new Error(`${record.id}: ${error.message}`, { cause: error })
  }
}

function main(args) {
  const options = { '--out': undefined, '--skipped': undefined }
  const files = []
  for (let n = 0; n < args.length; n++) {
    if (Object.hasOwn(options, args[n])) options[args[n]] = args[++n] ?? usage()
    else if (args[n].startsWith('-')) usage()
    else files.push(args[n])
  }
  if (files.length !== 1) usage()
  const cases = []
  const skipped = []
  const counts = new Map()
  for (const line of readFileSync(files[0], 'utf8').split('\n')) {
    if (line.trim() === '') continue
    const record = JSON.parse(line)
    const result = toCase(record)
    const count = counts.get(record.area) ?? { converted: 0, skipped: 0 }
    counts.set(record.area, count)
    if (result.case) {
      cases.push(result.case)
      count.converted++
    } else {
      skipped.push({ id: record.id, area: record.area, reason: result.skipped })
      count.skipped++
    }
  }
  // One case per line: readable with the tools that read lines, and a difference between two versions stays small.
  const list = (items) =>
    items.length === 0 ? '[]\n' : `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`
  if (options['--out'] === undefined) process.stdout.write(list(cases))
  else writeFileSync(options['--out'], list(cases))
  if (options['--skipped'] !== undefined) writeFileSync(options['--skipped'], list(skipped))
  for (const [area, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.error(
      `${area.padEnd(20)} ${String(count.converted).padStart(4)} cases ${String(count.skipped).padStart(4)} skipped`,
    )
  console.error(
    `${'total'.padEnd(20)} ${String(cases.length).padStart(4)} cases ${String(skipped.length).padStart(4)} skipped`,
  )
}

function usage() {
  console.error('usage: node to-cases.mjs FILE.jsonl [--out CASES.json] [--skipped SKIPPED.json]')
  process.exit(2)
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2))
