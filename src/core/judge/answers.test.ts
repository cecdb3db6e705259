import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mainOf, openLeaf } from '../engine/family.ts'
import { machineOf, Walk } from '../engine/family-builder.contract.ts'
import { judgingContextOf } from '../engine/judging-context.ts'
import type { Call } from '../engine/types.ts'
import { stepsOf } from '../finding.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Policy, RuleRef } from '../machine/machine.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { readCall } from '../tools/read-call.ts'
import { judge, type Ruling } from './judge.ts'
import type { AnswerSource, RuleAnswer } from './rule-answer.ts'

// ── documents, and rules looked up in them ──────────────────────────────────

type Documents = { readonly [name: string]: Json }

/** What stands at a pointer; undefined: nothing does. */
function resolve(documents: Documents, { document, pointer }: RuleRef): unknown {
  let value: unknown = documents[document]
  for (const step of stepsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}

function laid(definition: PolicyDefinition, document: string): Policy {
  return compilePolicy(definition, '', document)
}

const workspace = '/srv/shop'
const spoken = (tool: string, input: JsonObject): Call =>
  readCall({ tool, input }, { machine: machineOf(shapeOf('plain', {})), workspace })

function shapeOf(id: string, work: JsonObject, more: JsonObject = {}): JsonObject {
  const states = { work: { on: { DONE: 'done' }, ...work }, done: { type: 'final' } }
  return { id, initial: 'work', states, ...more }
}

/** Both ways of asking about a call in the run that listens now. */
function askBoth(walk: Walk, call: Call): { readonly decided: Ruling; readonly explained: Ruling } {
  const { family, at, policies } = walk
  const { machine, state } = openLeaf(family, mainOf(family))
  const member = openLeaf(family, mainOf(family))
  const context = { machine, state, at, around: judgingContextOf(family, member, { policies, at }) }
  return { decided: judge(call, context), explained: judge(call, context, 'explanation') }
}

function deniers(answers: readonly RuleAnswer[]): readonly RuleAnswer[] {
  return answers.filter(({ says }) => says === 'deny')
}

// ── what verdict and explanation, or code and pointer, used to disagree about ─

const bash = spoken('Bash', { command: 'npm test' })

test('an exhausted budget for models denies in the explanation, too', () => {
  const budget = { max_usd: 1, period: 'daily' } as const
  const policy = { allow: [{ capability: 'model:*', budget_limit: budget }] }
  const walk = new Walk(shapeOf('shop', {}), [laid(policy, 'org.json')])
  const spend = { source: 'api', model: 'big', tokens: null, costMicroUsd: 2_000_000 }
  walk.send({ type: 'RecordSpend', spend })
  const { decided, explained } = askBoth(walk, bash)
  const rule = { document: 'org.json', pointer: '/allow/0' }
  expect(decided).toMatchObject({ decision: 'deny', by: { code: 'BUDGET_EXHAUSTED', rule } })
  expect(deniers(explained.answers)).toMatchObject([
    { by: 'limit', code: 'BUDGET_EXHAUSTED', rule },
  ])
})

test('a quorum that nobody can reach denies in the explanation, too', () => {
  const from = (...names: string[]) => ({ needed: 1, from: names })
  const ask = (name: string) => ({ ask: [{ capability: 'bash', approvals: from(name) }] })
  const policies = [laid(ask('ada'), 'org.json'), laid(ask('bob'), 'team.json')]
  const { decided, explained } = askBoth(new Walk(shapeOf('shop', {}), policies), bash)
  expect(decided).toMatchObject({ decision: 'deny', by: { code: 'POLICY_DENIED', by: 'people' } })
  expect(deniers(explained.answers)).toMatchObject([{ by: 'people', code: 'POLICY_DENIED' }])
})

test("a parent's exhausted budget is named in the parent's definition", () => {
  const invoke = { invoke: 'child', on_complete: 'done' }
  const parent = shapeOf('parent', { on: { GO: invoke } }, { session_budget_usd: 1 })
  const child = machineOf(shapeOf('child', {}, { session_budget_usd: 50 }))
  const walk = new Walk(parent, [], new Map([['child', child]]))
  walk.fire('GO')
  walk.call(bash)
  walk.report(2)
  const reply = walk.call(bash)
  const named = { code: 'BUDGET_EXHAUSTED', rule: '/session_budget_usd', document: 'parent' }
  expect(reply).toMatchObject(named)
  expect(walk.last.recorded.at(-1)?.event).toMatchObject({ type: 'call.denied', ...named })
})

test('a finished branch is named by the branch that says where its work is done', () => {
  const branches = {
    left: { initial: 'l1', terminal: 'l2' },
    right: { initial: 'r1', terminal: 'r2' },
  }
  const states = {
    a: { on: { GO: { fork: { branches, on_complete: 'z' } } } },
    l1: { on: { OK: 'l2' } },
    l2: { type: 'final', allowed_tools: ['Bash'] },
    r1: { on: { OK: 'r2' } },
    r2: { type: 'final' },
    z: { type: 'final' },
  }
  const definition = { id: 'forked', initial: 'a', states }
  const walk = new Walk(definition)
  walk.fire('GO')
  walk.fire('OK', 'left')
  const { code, rule } = walk.call(bash, 'left')
  expect(code).toBe('TOOL_NOT_ALLOWED')
  expect(rule).not.toMatch(/allowed_tools/)
  const found = resolve({ forked: definition }, { document: 'forked', pointer: rule ?? '?' })
  expect(found).toEqual(branches.left)
})

test('an allowed call records the rule that let it through', () => {
  const work = { allowed_tools: ['Bash', 'Read'], allowed_commands: ['npm test'] }
  const walk = new Walk(shapeOf('shop', work))
  const ruleOfLast = () => walk.last.recorded.find(({ event }) => event.type === 'call.allowed')
  expect(walk.call(bash).rule).toBe('/states/work/allowed_commands')
  expect(ruleOfLast()?.event).toMatchObject({ rule: '/states/work/allowed_commands' })
  walk.call(spoken('Read', { file_path: 'a.ts' }))
  expect(ruleOfLast()?.event).toMatchObject({ rule: '/states/work/allowed_tools' })
})

test('where no list speaks, the policy that allows a call is recorded, else nothing is', () => {
  const policy = laid({ allow: [{ capability: 'bash' }] }, 'org.json')
  const walk = new Walk(shapeOf('shop', {}), [policy])
  expect(walk.call(bash)).toMatchObject({ rule: '/allow/0', document: 'org.json' })
  const free = new Walk(shapeOf('shop', {}))
  expect(free.call(bash).rule).toBe(null)
  expect(free.last.recorded[0]?.event).not.toHaveProperty('rule')
})

test('a call that a person let through is recorded with the rule that asked', () => {
  const policy = laid({ ask: [{ capability: 'bash' }] }, 'org.json')
  const walk = new Walk(shapeOf('shop', { allowed_tools: ['Bash'] }), [policy])
  const named = { rule: '/ask/0', document: 'org.json' }
  const { reason } = walk.call(bash)
  expect(reason).toMatch(/`org\.json#\/ask\/0`/)
  walk.decide(true)
  expect(walk.call(bash)).toMatchObject({ ...named, reason: 'a person approved this call' })
  expect(walk.last.recorded[0]?.event).toMatchObject({ type: 'call.allowed', ...named })
})

test('a granted call that is only reported is recorded with the rule that asked', () => {
  const policy = laid({ ask: [{ capability: 'bash' }] }, 'org.json')
  const walk = new Walk(shapeOf('shop', {}), [policy])
  walk.call(bash)
  walk.decide(true)
  walk.report()
  const named = { rule: '/ask/0', document: 'org.json' }
  expect(walk.last.recorded[0]?.event).toMatchObject({ type: 'call.allowed', ...named })
})

test('a variable is named by the list that blocks it, and one that is set by that list', () => {
  const work = { blocked_env: ['TOKEN'], env_overrides: { CI: 'true' } }
  const walk = new Walk(shapeOf('shop', work))
  const ruleOn = (command: string) => walk.call(spoken('Bash', { command })).rule
  expect(ruleOn('echo $TOKEN')).toBe('/states/work/blocked_env')
  expect(ruleOn('CI=false npm test')).toBe('/states/work/env_overrides')
  const other = new Walk(shapeOf('shop', { blocked_env: [], deny_env: ['TOKEN'] }))
  expect(other.call(spoken('Bash', { command: 'echo $TOKEN' })).rule).toBe('/states/work/deny_env')
})

test('a machine without origins still names the stage, or the whole definition', () => {
  const definition = shapeOf('old', { allowed_tools: ['Read'] }, { meta: { calls_max: 1 } })
  const walk = new Walk(definition)
  const [main] = walk.family.members
  if (main === undefined) throw new Error('bug: no run')
  const { origins: _, ...machine } = main.machine
  walk.family = { ...walk.family, members: [{ ...main, machine }] }
  expect(walk.call(bash)).toMatchObject({ code: 'TOOL_NOT_ALLOWED', rule: '/states/work' })
  walk.call(spoken('Read', { file_path: 'a.ts' }))
  const second = walk.call(spoken('Read', { file_path: 'a.ts' }))
  expect(second).toMatchObject({ code: 'CALLS_EXHAUSTED', rule: '' })
})

// ── properties ──────────────────────────────────────────────────────────────

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 0 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const anyWork = fc
  .record({
    allowed_tools: maybe(some(['Bash', 'Read', 'Edit', 'mcp__cms__publish'])),
    disallowed_tools: maybe(some(['Edit', 'WebFetch'])),
    allowed_commands: maybe(some(['npm test', 'git', 'cat'])),
    blocked_env: maybe(some(['TOKEN'])),
    deny_env: maybe(some(['KEY'])),
    env_overrides: maybe(fc.constant({ CI: 'true' })),
    max_iterations: maybe(fc.integer({ min: 1, max: 3 })),
    max_edit_lines: maybe(fc.constant(2)),
    max_files_per_state: maybe(fc.constant(1)),
  })
  .map((work) => JSON.parse(JSON.stringify(work)) as JsonObject)

const capability = fc.constantFrom('bash', 'edit', 'mcp:cms:*', 'read', 'model:*', '*')
const anyLimited = fc.record({
  capability,
  rate_limit: maybe(fc.constant({ max_calls: 1, window_seconds: 60 })),
  budget_limit: maybe(fc.constant({ max_usd: 1, period: 'daily' })),
  approvals: maybe(fc.constantFrom({ needed: 1, from: ['ada'] }, { needed: 1, from: ['bob'] })),
})
const anyLaid = fc
  .record({
    allow: maybe(fc.array(anyLimited, { maxLength: 2 })),
    ask: maybe(fc.array(anyLimited, { maxLength: 1 })),
    deny: maybe(fc.array(fc.record({ capability: fc.constantFrom('web', 'edit') }))),
    default: maybe(fc.constantFrom('allow', 'allow', 'deny')),
  })
  .map((policy) => JSON.parse(JSON.stringify(policy)) as PolicyDefinition)

const anyRun = fc
  .record({
    session_budget_usd: maybe(fc.constantFrom(0.5, 9)),
    paths: maybe(fc.constant({ read: ['/var/log'] })),
    calls_max: maybe(fc.integer({ min: 1, max: 3 })),
    policy: maybe(anyLaid),
  })
  .map(({ calls_max, ...more }) => {
    const meta = calls_max === undefined ? {} : { meta: { calls_max } }
    return JSON.parse(JSON.stringify({ ...more, ...meta })) as JsonObject
  })

const calls = [
  bash,
  spoken('Bash', { command: 'echo $TOKEN $KEY' }),
  spoken('Bash', { command: 'CI=no git push' }),
  spoken('Bash', { command: 'cat /etc/passwd > out.txt' }),
  spoken('Bash', { command: 'npm test; rm -rf .; (' }),
  spoken('Read', { file_path: '/etc/hosts' }),
  spoken('Read', { file_path: 'src/a.ts' }),
  spoken('Edit', { file_path: 'a.ts', old_string: 'a\nb\nc', new_string: 'd' }),
  spoken('Edit', { file_path: 'b.ts', old_string: 'a', new_string: 'b' }),
  spoken('Edit', { file_path: '.claude/settings.json', old_string: 'a', new_string: 'b' }),
  spoken('WebFetch', { url: 'https://example.com' }),
  spoken('mcp__cms__publish', {}),
]
const anyCall = fc.constantFrom(...calls)

const anyScene = fc
  .record({
    parent: anyRun,
    child: fc.tuple(anyWork, anyRun),
    isInvoked: fc.boolean(),
    policies: fc.array(anyLaid, { maxLength: 2 }),
    steps: fc.array(
      fc.record({
        call: anyCall,
        usd: fc.constantFrom(0, 0.6),
        does: fc.constantFrom('report', 'leave', 'grant', 'spend', 'pause', 'end'),
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ parent, child, isInvoked, policies, steps }) => {
    const [work, more] = child
    const invoke = { invoke: 'child', on_complete: 'done' }
    const documents: { [name: string]: Json } = {
      parent: shapeOf('parent', { on: { GO: invoke } }, parent),
      child: shapeOf('child', work, more),
    }
    for (const [level, policy] of policies.entries()) {
      documents[`policy-${level}.json`] = policy as Json
    }
    const over = policies.map((policy, level) => laid(policy, `policy-${level}.json`))
    const library = new Map([['child', machineOf(documents.child as Json)]])
    const walk = new Walk((isInvoked ? documents.parent : documents.child) as Json, over, library)
    if (isInvoked) walk.fire('GO')
    for (const { call, usd, does } of steps) {
      walk.call(call)
      if (does === 'report') walk.report(usd)
      if (does === 'grant') walk.decide(true)
      if (does === 'end') walk.fire('DONE')
      if (does === 'pause') walk.send({ type: 'PauseRun', release: usd > 0 })
      const spend = { source: 'api', model: 'big', tokens: null, costMicroUsd: usd * 1e6 }
      if (does === 'spend') walk.send({ type: 'RecordSpend', spend })
    }
    return { walk, documents }
  })

const severity = { nothing: 0, allow: 0, ask: 1, deny: 2 } as const
/** Who may deny a call by no author's rule. */
const ofPawl: readonly AnswerSource[] = ['run', 'input', 'protected', 'people', 'run-limit']

test('the decision is the worst answer, and asking on changes nothing about it', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(anyScene, anyCall, ({ walk }, call) => {
      const { decided, explained } = askBoth(walk, call)
      for (const { decision, answers } of [decided, explained]) {
        const worst = Math.max(0, ...answers.map(({ says }) => severity[says]))
        expect(severity[decision]).toBe(worst)
      }
      const { answers: _, by, ...rest } = decided
      const { answers: __, by: same, ...others } = explained
      expect(others).toEqual(rest)
      const isAllowed = rest.decision === 'allow'
      expect(isAllowed ? { ...same, reason: by.reason } : same).toEqual(by)
      seen.add(rest.decision)
    }),
    { numRuns: 500 },
  )
  expect(seen).toEqual(new Set(['allow', 'ask', 'deny']))
})

test('every answer names a rule that stands in its document, or is of Pawl itself', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(anyScene, anyCall, ({ walk, documents }, call) => {
      const { explained } = askBoth(walk, call)
      const isOpposed = explained.decision !== 'allow'
      const opposing = explained.answers.filter(({ says }) => says === explained.decision)
      expect(isOpposed && opposing.length === 0).toBe(false)
      for (const { rule, by, says, code } of explained.answers) {
        if (rule === null) {
          expect(says === 'deny' && !ofPawl.includes(by)).toBe(false)
          continue
        }
        expect(resolve(documents, rule), JSON.stringify(rule)).toBeDefined()
        seen.add(`${says} ${code ?? by}`)
      }
    }),
    { numRuns: 500, seed: 7 },
  )
  const wanted = ['BUDGET_EXHAUSTED', 'CALLS_EXHAUSTED', 'POLICY_DENIED', 'RATE_LIMITED']
  for (const code of wanted) expect([...seen]).toContain(`deny ${code}`)
  for (const code of ['TOOL_NOT_ALLOWED', 'COMMAND_NOT_ALLOWED', 'ENV_BLOCKED']) {
    expect([...seen]).toContain(`deny ${code}`)
  }
})
