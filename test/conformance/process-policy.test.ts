/** Policies of processes: tiers, capability patterns, rates and budgets, judged over REST. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { freshName, processClient, smallest, startRun } from './processes.ts'

const claim = claimsOf('process definitions')
const doors = useDoors()
const processes = processClient(doors)

type Call = readonly [tool: string, input?: JsonObject, more?: JsonObject]

/** The verdict on the first call of a run under a policy. */
async function verdictOn(policy: object, [tool, input = {}, more = {}]: Call): Promise<LooseJson> {
  const run = await processes.start({ policy: { role: 'agent', ...policy } })
  return run.call(tool, input, more)
}

type TierRow = readonly [quote: string, policy: object, call: Call, verdict: string, check: string]
const bash: Call = ['Bash', { command: 'ls' }]
const read: Call = ['mcp__filesystem__read_file', { path: 'a' }]
const write: Call = ['mcp__filesystem__write_file', { path: 'a' }]
const bashRule = { capability: 'bash' }

const tiers: readonly TierRow[] = [
  [
    'deny first',
    { deny: [bashRule], allow: [bashRule] },
    bash,
    'deny',
    'a call that matches a deny rule and an allow rule',
  ],
  [
    'deny first, then ask',
    { deny: [bashRule], ask: [bashRule] },
    bash,
    'deny',
    'a call that matches a deny rule and an ask rule',
  ],
  [
    'then ask, then allow',
    { ask: [bashRule], allow: [bashRule] },
    bash,
    'ask',
    'a call that matches an ask rule and an allow rule',
  ],
  [
    'Rule evaluation order: deny first, then ask, then allow.',
    { ask: [{ capability: 'mcp:*' }], allow: [{ capability: 'mcp:filesystem:write_file' }] },
    write,
    'ask',
    'a call that matches a wider ask rule and a narrower allow rule',
  ],
  [
    'If no rule matches, the call is allowed by default.',
    { deny: [{ capability: 'mcp:other:*' }] },
    bash,
    'allow',
    'a call that no rule matches',
  ],
  [
    'If no rule matches, the call is allowed by default.',
    { allow: [], ask: [], deny: [] },
    write,
    'allow',
    'a call under a policy whose lists are empty',
  ],
  [
    'If no rule matches, the call is allowed by default.',
    {},
    bash,
    'allow',
    'a call under a policy that has only a role',
  ],
]
for (const [quote, policy, call, verdict, check] of tiers) {
  claim(
    { section: 'Capability Patterns', quote, check: `${check}: the verdict is ${verdict}` },
    async () => {
      expect((await verdictOn(policy, call)).verdict).toBe(verdict)
    },
  )
}

claim(
  {
    section: 'Policy fields',
    quote: 'role | string | Identifies the agent role. Typically "agent".',
    check: 'other roles are accepted; a role that is missing or not a string is an error',
  },
  async () => {
    const errorsOf = async (policy: object): Promise<readonly string[]> => {
      const { findings } = await processes.check({ ...smallest, name: freshName(), policy })
      const errors = findings.filter((one: LooseJson) => one.severity === 'error')
      return errors.map((one: LooseJson) => one.pointer)
    }
    expect(await errorsOf({ role: 'reviewer' })).toEqual([])
    expect(await errorsOf({ role: 5 })).toEqual(['/policy/role'])
  },
)
claim(
  {
    section: 'Policy fields',
    quote: 'allow | PolicyRule[]? | Capabilities the agent may call without interruption.',
    check: 'a call that an allow rule matches is allowed at once',
  },
  async () => {
    const verdict = await verdictOn({ allow: [bashRule] }, bash)
    expect(verdict).toMatchObject({ verdict: 'allow', state: 'allowed', approvalId: null })
  },
)
claim(
  {
    section: 'Policy fields',
    quote: 'ask | PolicyRule[]? | Capabilities that trigger a human-approval pause.',
    check: 'the call waits for a person; after the approval, the same call is allowed once',
  },
  async () => {
    const run = await processes.start({ policy: { role: 'agent', ask: [bashRule] } })
    expect(await run.call(...bash)).toMatchObject({ verdict: 'ask', state: 'pending' })
    expect((await run.read()).head.status).toBe('waiting')
    await run.decide(true)
    expect(await run.call(...bash)).toMatchObject({ verdict: 'allow' })
    expect(await run.call(...bash)).toMatchObject({ verdict: 'ask' })
  },
)
claim(
  {
    section: 'Policy fields',
    quote: 'ask | PolicyRule[]? | Capabilities that trigger a human-approval pause.',
    check: 'an approval covers that call only: the same tool with another input needs a new one',
  },
  async () => {
    const run = await processes.start({ policy: { role: 'agent', ask: [bashRule] } })
    await run.call(...bash)
    await run.decide(true)
    expect(await run.call('Bash', { command: 'pwd' })).toMatchObject({ verdict: 'ask' })
  },
)
claim(
  {
    section: 'Policy fields',
    quote: 'deny | Array<{capability}>? | Capabilities the agent is never allowed to call.',
    check: 'the denial names the rule and where it is written',
  },
  async () => {
    const verdict = await verdictOn({ deny: [{ capability: 'mcp:filesystem:write_file' }] }, write)
    expect(verdict).toMatchObject({
      ...{ verdict: 'deny', code: 'POLICY_DENIED', rule: '/policy/deny/0' },
    })
  },
)
claim(
  {
    section: 'Policy Configuration',
    quote: 'Every tool call the agent makes during a session is evaluated against policy rules',
    check: 'the policy also applies in the next state and after the first call',
  },
  async () => {
    const states = {
      ask: { question: 'One?', answers: { yes: { next: 'two' } } },
      two: { question: 'Two?', answers: { yes: { next: null, action: 'complete' } } },
    }
    const policy = { role: 'agent', deny: [bashRule] }
    const run = await processes.start({ policy, states })
    expect((await run.call(...bash)).verdict).toBe('deny')
    await run.answer('yes')
    expect((await run.call(...bash)).verdict).toBe('deny')
  },
)
claim(
  {
    section: 'Policy Configuration',
    quote: '{ "role": "agent", "allow": […], "ask": […], "deny": […] }',
    check: 'each rule of the example policy has the effect that the document describes',
  },
  async () => {
    const policy = {
      role: 'agent',
      allow: [{ capability: 'bash', rate_limit: { max_calls: 100, window_seconds: 3600 } }],
      ask: [
        {
          capability: 'mcp:filesystem:write_file',
          budget_limit: { max_usd: 5.0, period: 'daily' },
        },
      ],
      deny: [{ capability: 'mcp:filesystem:delete_file' }],
    }
    const run = await processes.start({ policy })
    expect((await run.call(...bash)).verdict).toBe('allow')
    expect((await run.call('mcp__filesystem__delete_file')).verdict).toBe('deny')
    expect((await run.call(...write)).verdict).toBe('ask')
  },
)

type PatternRow = readonly [
  pattern: string,
  quote: string,
  yes: readonly Call[],
  no: readonly Call[],
]
const patterns: readonly PatternRow[] = [
  [
    'bash',
    'bash | Any bash/shell execution.',
    [
      bash,
      ['Bash', { command: 'sh -c "echo x"' }],
      ['exec_command', { cmd: 'ls' }, { host: 'codex' }],
      ['run_shell_command', { command: 'ls' }, { host: 'gemini' }],
      ['bash', { command: 'ls' }, { host: 'opencode' }],
      ['process_run', { command: 'ls' }],
    ],
    [read, ['Read', { file_path: 'x' }]],
  ],
  [
    'mcp:*',
    'mcp:* | All MCP tool calls across all servers.',
    [read, write, ['mcp__resend__send'], ['mcp__x__y']],
    [bash, ['Read', { file_path: 'x' }]],
  ],
  [
    'mcp:filesystem:*',
    'mcp:filesystem:* | All tools on the filesystem MCP server.',
    [read, write, ['mcp__filesystem__delete_file']],
    [['mcp__filesystem2__read_file'], ['mcp__files__read_file'], bash],
  ],
  [
    'mcp:filesystem:write_file',
    'mcp:filesystem:write_file | Exactly the write_file tool',
    [write],
    [read, ['mcp__filesystem__write_file_now'], ['mcp__other__write_file']],
  ],
  [
    'mcp:resend:*',
    'mcp:resend:* | All tools on the resend MCP server.',
    [['mcp__resend__send_email'], ['mcp__resend__list']],
    [['mcp__resender__send'], read],
  ],
  ['*', 'Wildcards (*) match any suffix.', [bash, read, ['Read', { file_path: 'x' }]], []],
  ['mcp:files*', 'Wildcards (*) match any suffix.', [read], [['mcp__other__files']]],
  [
    'process.*',
    'Capability strings follow a hierarchical dot/colon path.',
    [
      ['process_kill', { process_id: 'x' }],
      ['process_run', { command: 'ls', args: [] }],
    ],
    [bash],
  ],
  ['mcp:filesystem', 'Capability strings follow a hierarchical dot/colon path.', [], [read]],
]
const shown = ([tool, input = {}, more = {}]: Call): string =>
  `\`${tool} ${JSON.stringify(input)}\`${more.host === undefined ? '' : ` of ${more.host}`}`

for (const [pattern, quote, yes, no] of patterns) {
  for (const call of yes) {
    claim(
      {
        section: 'Capability Patterns',
        quote,
        check: `denying \`${pattern}\` denies ${shown(call)}`,
      },
      async () => {
        const verdict = await verdictOn({ deny: [{ capability: pattern }] }, call)
        expect(verdict).toMatchObject({ verdict: 'deny', code: 'POLICY_DENIED' })
      },
    )
  }
  for (const call of no) {
    claim(
      {
        section: 'Capability Patterns',
        quote,
        check: `denying \`${pattern}\` does not affect ${shown(call)}`,
      },
      async () => {
        const verdict = await verdictOn({ deny: [{ capability: pattern }] }, call)
        expect(verdict.code).not.toBe('POLICY_DENIED')
      },
    )
  }
}

const limits = 'Rate & Budget Limits'
const rated = (max_calls: number, window_seconds: number, tier = 'allow'): object => ({
  policy: { role: 'agent', [tier]: [{ ...bashRule, rate_limit: { max_calls, window_seconds } }] },
})
claim(
  {
    section: limits,
    quote: 'rate_limit.max_calls | Maximum number of calls allowed within window_seconds.',
    check: 'with max_calls 2, the third call is denied; calls to other tools do not count',
  },
  async () => {
    const run = await processes.start(rated(2, 3600))
    for (const verdict of ['allow', 'allow', 'deny']) {
      expect((await run.call(...bash)).verdict).toBe(verdict)
      expect((await run.call(...read)).verdict).toBe('allow')
    }
  },
)
claim(
  {
    section: limits,
    quote: 'rate_limit.window_seconds | Rolling window in seconds',
    check: 'after the window the call is allowed again; denied calls do not count',
  },
  async () => {
    const run = await processes.start(rated(1, 2))
    expect((await run.call(...bash)).verdict).toBe('allow')
    expect((await run.call(...bash)).verdict).toBe('deny')
    await sleep(2_100)
    expect((await run.call(...bash)).verdict).toBe('allow')
  },
)
claim(
  {
    section: limits,
    quote: 'When a limit is exceeded, the capability is treated as denied for that window',
    check: 'a call that exceeds the rate limit of its ask rule is denied, not asked about',
  },
  async () => {
    const run = await processes.start(rated(1, 3600, 'ask'))
    expect((await run.call(...bash)).verdict).toBe('ask')
    await run.decide(true)
    expect((await run.call(...bash)).verdict).toBe('allow')
    expect(await run.call(...bash)).toMatchObject({ verdict: 'deny' })
  },
)
claim(
  {
    section: 'PolicyRule fields',
    quote: 'rate_limit | {max_calls, window_seconds}? | Max calls in a rolling time window.',
    check: 'the state of the run tells the agent how many calls are left',
  },
  async () => {
    const run = await processes.start(rated(5, 3600))
    await run.call(...bash)
    const { view } = await run.read()
    expect(view.rules.rates).toMatchObject([{ capability: 'bash', left: 4, max: 5 }])
  },
)
for (const period of ['hourly', 'daily', 'monthly']) {
  claim(
    {
      section: limits,
      quote: 'budget_limit.period | "hourly", "daily", or "monthly".',
      check: `\`${period}\` is accepted, and the state of the run shows its amount`,
    },
    async () => {
      const rule = { capability: 'mcp:paid:*', budget_limit: { max_usd: 5, period } }
      const run = await processes.start({ policy: { role: 'agent', allow: [rule] } })
      expect(run.view.rules.budgets).toMatchObject([{ maxMicroUsd: 5_000_000 }])
    },
  )
}
const paid = (max_usd: number, tier = 'allow'): object => ({
  policy: {
    role: 'agent',
    [tier]: [{ capability: 'mcp:paid:*', budget_limit: { max_usd, period: 'monthly' } }],
  },
})
claim(
  {
    section: limits,
    quote: 'budget_limit.max_usd | Maximum USD spend per period.',
    check: 'with 4.99 of 5 spent, the next call is allowed; once 5 is reached, calls are denied',
  },
  async () => {
    const run = await processes.start(paid(5))
    expect((await run.pay('mcp__paid__search', 4.99)).verdict).toBe('allow')
    expect((await run.pay('mcp__paid__search', 0.01)).verdict).toBe('allow')
    expect((await run.call('mcp__paid__search')).verdict).toBe('deny')
    expect((await run.call('mcp__free__search')).verdict).toBe('allow')
  },
)
claim(
  {
    section: limits,
    quote: 'budget_limit.max_usd … Applies to tools that report a cost.',
    check: 'a tool that reports no cost can be called without limit',
  },
  async () => {
    const run = await processes.start(paid(0.01))
    for (let i = 0; i < 4; i += 1) {
      expect((await run.pay('mcp__paid__search', 0)).verdict).toBe('allow')
    }
  },
)
claim(
  {
    section: limits,
    quote: 'Both allow and ask rules support optional rate and budget limits.',
    check: 'a call that exceeds the budget of its ask rule is denied, not asked about',
  },
  async () => {
    const run = await processes.start(paid(1, 'ask'))
    expect((await run.call('mcp__paid__search')).verdict).toBe('ask')
    await run.decide(true)
    await run.pay('mcp__paid__search', 1)
    expect((await run.call('mcp__paid__search')).verdict).toBe('deny')
  },
)
claim(
  {
    section: limits,
    quote: 'budget_limit … Max USD per period.',
    check: 'another run of the same process has its own budget',
    differs: 'limits-of-a-run',
  },
  async () => {
    const run = await processes.start(paid(1))
    await run.pay('mcp__paid__search', 1)
    expect((await run.call('mcp__paid__search')).verdict).toBe('deny')
    const next = await startRun(doors, run.name)
    expect((await next.call('mcp__paid__search')).verdict).toBe('allow')
  },
)

type BadRow = readonly [quote: string, policy: JsonObject, pointer: string]
const rule = (more: JsonObject): JsonObject => ({ allow: [{ capability: 'bash', ...more }] })
const badPolicies: readonly BadRow[] = [
  ['capability | string', { allow: [{}] }, '/policy/allow/0'],
  ['capability | string', { deny: [{ capability: 5 }] }, '/policy/deny/0/capability'],
  ['capability | string', { deny: [{ capability: null }] }, '/policy/deny/0/capability'],
  ['deny | Array<{capability}>?', { deny: 'bash' }, '/policy/deny'],
  ['allow | PolicyRule[]?', { allow: {} }, '/policy/allow'],
  ['ask | PolicyRule[]?', { ask: ['bash'] }, '/policy/ask/0'],
  ['max_calls', rule({ rate_limit: { window_seconds: 60 } }), '/policy/allow/0/rate_limit'],
  ['window_seconds', rule({ rate_limit: { max_calls: 1 } }), '/policy/allow/0/rate_limit'],
  [
    'max_calls',
    rule({ rate_limit: { max_calls: -1, window_seconds: 60 } }),
    '/policy/allow/0/rate_limit/max_calls',
  ],
  [
    'max_calls',
    rule({ rate_limit: { max_calls: '5', window_seconds: 60 } }),
    '/policy/allow/0/rate_limit/max_calls',
  ],
  [
    'window_seconds',
    rule({ rate_limit: { max_calls: 1, window_seconds: 0 } }),
    '/policy/allow/0/rate_limit/window_seconds',
  ],
  [
    'max_usd',
    rule({ budget_limit: { max_usd: -1, period: 'daily' } }),
    '/policy/allow/0/budget_limit/max_usd',
  ],
  [
    'period is "hourly", "daily", or "monthly"',
    rule({ budget_limit: { max_usd: 1, period: 'weekly' } }),
    '/policy/allow/0/budget_limit/period',
  ],
  [
    'period is "hourly", "daily", or "monthly"',
    rule({ budget_limit: { max_usd: 1 } }),
    '/policy/allow/0/budget_limit',
  ],
]
for (const [quote, policy, pointer] of badPolicies) {
  claim(
    {
      section: 'PolicyRule fields',
      quote,
      check: `\`${JSON.stringify(policy)}\` is rejected at \`${pointer}\``,
    },
    async () => {
      const name = freshName()
      const whole = { role: 'agent', ...policy }
      const { status, body } = await processes.store({ ...smallest, name, policy: whole })
      expect([status, body.code]).toEqual([422, 'DEFINITION_INVALID'])
      const places = body.findings.map((one: LooseJson) => one.pointer)
      expect(
        places.some((one: string) => one.startsWith(pointer)),
        places.join(),
      ).toBe(true)
    },
  )
}
