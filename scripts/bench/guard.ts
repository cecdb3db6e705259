/**
 * The time of one decision about a call, and how the policy's part of it grows with its rules,
 * beside Cedar and a scan of globs in the same run.
 */
import {
  preparsePolicySet,
  type StatefulAuthorizationCall,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs'
import picomatch from 'picomatch'
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import { decide } from '../../src/core/engine/decide.ts'
import type { Call, Envelope } from '../../src/core/engine/types.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { nothingAround } from '../../src/core/judge/rule-input.ts'
import type { Machine, Policy, PolicyRule } from '../../src/core/machine/machine.ts'
import { evaluatePolicy, policyNamesOf } from '../../src/core/policy/evaluate.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import { readCall } from '../../src/core/tools/read-call.ts'
import { printHistory } from './guard-history.ts'
import { interleave, median, print } from './measure.ts'

const callsCount = 2_000
const roundsCount = 15
const rulesCounts = [1, 100, 10_000] as const
const envelope: Envelope = { runId: 'bench', at: 0, actor: { kind: 'agent', name: 'agent' } }
const workspace = '/home/dev/shop'

/** A stage as people write it: tools, a list of commands, variables, limits of edits, a policy. */
function stageText(): string {
  const work = {
    allowed_tools: ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'mcp__github__create_issue'],
    allowed_commands: ['npm test', 'npm run', 'git status', 'git diff', 'git log', 'grep', 'head'],
    blocked_env: ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN'],
    max_edit_lines: 200,
    max_files_per_state: 20,
    max_iterations: 1_000_000,
    on: { DONE: 'done' },
  }
  const policy = {
    deny: [{ capability: 'mcp:github:delete_*' }, { capability: 'web' }],
    allow: [{ capability: 'bash' }, { capability: 'edit' }, { capability: 'mcp:github:*' }],
  }
  const states = { work, done: { type: 'final' } }
  return JSON.stringify({ id: 'shop', initial: 'work', policy, states })
}

function benchMachine(): Machine {
  const { root } = readSource(stageText())
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (machine === undefined) throw new Error('the bench definition has errors')
  return machine
}

type ToolInput = { readonly tool: string; readonly input: JsonObject }

const edited = Array.from({ length: 20 }, (_, line) => `const value${line} = compute(${line})`)

const spokenCalls = {
  bash: {
    tool: 'Bash',
    input: { command: 'npm test -- --grep "cart total" 2>&1 | grep -v "^$" | head -50' },
  },
  bashShort: { tool: 'Bash', input: { command: 'git status --short' } },
  edit: {
    tool: 'Edit',
    input: {
      file_path: `${workspace}/src/cart/total.ts`,
      old_string: edited.slice(0, 10).join('\n'),
      new_string: edited.join('\n'),
    },
  },
  mcp: {
    tool: 'mcp__github__create_issue',
    input: { owner: 'acme', repo: 'shop', title: 'total is wrong', body: 'steps: …' },
  },
} as const satisfies Readonly<Record<string, ToolInput>>

/** Reads the call and asks the engine, as a hook does it for every call. */
function decisions(machine: Machine, spoken: ToolInput): () => void {
  const where = { machine, envelope, around: nothingAround }
  const { state } = decide(where, null, { type: 'StartRun', stage: null, vars: {}, branch: null })
  const once = (): void => {
    const call = readCall(spoken, { machine, workspace })
    const { reply } = decide(where, state, { type: 'CheckCall', call })
    if (reply.kind !== 'verdict' || reply.verdict !== 'allow') {
      throw new Error(`the bench call is not allowed: ${JSON.stringify(reply)}`)
    }
  }
  return () => {
    for (let i = 0; i < callsCount; i += 1) once()
  }
}

/** Names of rules: most of them exact, every fourth a beginning. */
function capabilityOf(index: number): string {
  return index % 4 === 3 ? `mcp:server${index}:*` : `mcp:server${index}:tool_${index % 7}`
}

/** What is asked about: a name that the last rule speaks of, and one that none does. */
function questionsFor(rulesCount: number): readonly string[] {
  const last = capabilityOf(rulesCount - 1).replace('*', 'read')
  return [last, 'mcp:nobody:knows', 'mcp:server0:tool_0', 'edit']
}

function pawlPolicy(rulesCount: number): Policy {
  const rules: PolicyRule[] = Array.from({ length: rulesCount }, (_, index) => ({
    capability: capabilityOf(index),
    rate: null,
    budget: null,
    origin: `/policy/deny/${index}`,
  }))
  return { role: 'agent', allow: [], ask: [], deny: rules, otherwise: 'allow' }
}

function askPawl(rulesCount: number): () => void {
  const policy = pawlPolicy(rulesCount)
  const questions = questionsFor(rulesCount)
  const calls: Pick<Call, 'capability' | 'tool' | 'commonName'>[] = questions.map((capability) => ({
    capability,
    tool: capability.replaceAll(':', '__'),
    commonName: null,
  }))
  return () => {
    let deniedCount = 0
    for (const call of calls) {
      if (evaluatePolicy(policy, policyNamesOf(call)).verdict === 'deny') deniedCount += 1
    }
    expectDenied(deniedCount, 'pawl')
  }
}

/** The two questions that rules speak of are denied; with one rule they are the same one. */
function expectDenied(count: number, who: string): void {
  if (count !== 2) throw new Error(`${who} denied ${count} of the questions, not 2`)
}

function askCedar(rulesCount: number): () => void {
  const staticPolicies: Record<string, string> = {
    otherwise: 'permit(principal, action, resource);',
  }
  for (let index = 0; index < rulesCount; index += 1) {
    const capability = capabilityOf(index)
    const test = capability.endsWith('*')
      ? `when { context.name like ${JSON.stringify(capability)} }`
      : ''
    const resource = test === '' ? `resource == Tool::${JSON.stringify(capability)}` : 'resource'
    staticPolicies[`rule${index}`] = `forbid(principal, action, ${resource}) ${test};`
  }
  const preparsedPolicySetId = `rules-${rulesCount}`
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies })
  if (parsed.type !== 'success') throw new Error('cedar does not read the bench rules')
  const calls: StatefulAuthorizationCall[] = questionsFor(rulesCount).map((name) => ({
    principal: { type: 'Agent', id: 'agent' },
    action: { type: 'Action', id: 'call' },
    resource: { type: 'Tool', id: name },
    context: { name },
    preparsedPolicySetId,
    entities: [],
  }))
  return () => {
    let deniedCount = 0
    for (const call of calls) {
      const answer = statefulIsAuthorized(call)
      if (answer.type !== 'success') throw new Error('cedar could not decide')
      if (answer.response.decision === 'deny') deniedCount += 1
    }
    expectDenied(deniedCount, 'cedar')
  }
}

function askGlobs(rulesCount: number): () => void {
  const globs = Array.from({ length: rulesCount }, (_, index) => picomatch(capabilityOf(index)))
  const questions = questionsFor(rulesCount)
  return () => {
    let deniedCount = 0
    for (const name of questions) if (globs.some((matches) => matches(name))) deniedCount += 1
    expectDenied(deniedCount, 'picomatch')
  }
}

function repeated(work: () => void, times: number): () => void {
  return () => {
    for (let i = 0; i < times; i += 1) work()
  }
}

function printDecisions(): void {
  const machine = benchMachine()
  const cases = {
    bash: decisions(machine, spokenCalls.bash),
    bashShort: decisions(machine, spokenCalls.bashShort),
    edit: decisions(machine, spokenCalls.edit),
    mcp: decisions(machine, spokenCalls.mcp),
  }
  const times = interleave(cases, roundsCount)
  const micros = (name: keyof typeof cases): number => (median(times[name]) * 1e3) / callsCount
  print('one decision (readCall + decide), µs, median of interleaved rounds', [
    ['Bash, three commands piped', micros('bash'), 'goal ≤ 25'],
    ['Bash, `git status --short`', micros('bashShort'), 'goal ≤ 25'],
    ['Edit, 20 lines', micros('edit'), ''],
    ['MCP call', micros('mcp'), ''],
  ])
}

type Asker = { readonly name: string; readonly ask: (rulesCount: number) => () => void }

const askers: readonly (Asker & { readonly repeats: readonly number[] })[] = [
  { name: 'pawl', ask: askPawl, repeats: [5_000, 5_000, 5_000] },
  { name: 'cedar-wasm, preparsed', ask: askCedar, repeats: [200, 100, 2] },
  { name: 'picomatch, one by one', ask: askGlobs, repeats: [2_000, 200, 5] },
]

function printGrowth(): void {
  const cases: Record<string, () => void> = {}
  const counts: Record<string, number> = {}
  for (const { name, ask, repeats } of askers) {
    for (const [index, rulesCount] of rulesCounts.entries()) {
      const times = repeats[index] ?? 1
      const key = `${name} ${rulesCount}`
      const work = ask(rulesCount)
      cases[key] = repeated(work, times)
      counts[key] = times * questionsFor(rulesCount).length
    }
  }
  const measured = interleave(cases, roundsCount)
  const nanos = (key: string): number => (median(measured[key] ?? []) * 1e6) / (counts[key] ?? 1)
  const rows = askers.flatMap(({ name }) =>
    rulesCounts.map((rulesCount) => {
      const own = nanos(`${name} ${rulesCount}`)
      const growth = (own / nanos(`${name} 1`)).toFixed(2)
      const beside = (own / nanos(`pawl ${rulesCount}`)).toFixed(1)
      const goal = name === 'pawl' && rulesCount > 1 ? ' (goal ≤ 1.5)' : ''
      const label = `${name}, ${rulesCount.toLocaleString('en')}`
      return [label, own, `${growth} × of 1 rule${goal}; ${beside} × pawl`] as const
    }),
  )
  print('one question to a policy by number of rules, ns', rows)
}

/** Runs the benchmark and prints it. */
export function benchGuard(): void {
  printDecisions()
  printGrowth()
  printHistory(freeMachine())
}

/** A stage without rules of its own. */
function freeMachine(): Machine {
  const states = { work: { on: { DONE: 'done' } }, done: { type: 'final' } }
  const { root } = readSource(JSON.stringify({ id: 'free', initial: 'work', states }))
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (machine === undefined) throw new Error('the bench definition has errors')
  return machine
}
