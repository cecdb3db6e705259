/**
 * Answers that teach: every denial says why, and whatever it names instead is really possible.
 * Each alternative is tried through the engine's own door, on the family as it stood.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  commandFamily,
  type Family,
  type FamilyDecision,
  mainOf,
  memberOfBranch,
  openLeaf,
} from '../../src/core/engine/family.ts'
import type { Actor, Alternative, Command, Reply } from '../../src/core/engine/types.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Machine, Policy } from '../../src/core/machine/machine.ts'
import { compilePolicy } from '../../src/core/policy/compile-policy.ts'
import type { PolicyDefinition } from '../../src/core/policy/schema.ts'
import { readCall } from '../../src/core/tools/read-call.ts'
import { steps } from '../generators/commands.ts'
import { prepare, type Setup } from '../generators/compile-generated.ts'
import { definitionSet } from '../generators/definitions.ts'
import { maybe, written } from '../generators/generator-helpers.ts'
import { policy } from '../generators/policy.ts'
import { type Trace, walk } from '../generators/walk.ts'
import { settings, timeoutMs } from './property-settings.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const dayMs = 86_400_000

const calls: fc.Arbitrary<{ tool: string; input: JsonObject }> = fc.oneof(
  fc.record({
    tool: fc.constantFrom('Edit', 'Write', 'Read', 'Grep', 'lookup', 'mcp__files__write', 'Delete'),
    input: fc.constantFrom<JsonObject>(
      { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' },
      { file_path: 'other.ts', content: 'x\n'.repeat(30) },
      { file_path: '/etc/passwd', content: 'x' },
      { file_path: '.git/hooks/pre-commit', content: 'x' },
      { file_path: 7 },
      {},
    ),
  }),
  fc.record({
    tool: fc.constant('Bash'),
    input: fc
      .constantFrom(
        'npm test',
        'ls -l',
        'rm -rf /',
        'echo $SECRET',
        'MODE=x ls',
        '$x',
        'ls > a',
        '(',
      )
      .map((command): JsonObject => ({ command })),
  }),
)

type RunSituation = {
  readonly setup: Setup
  readonly family: Family
  readonly branch: string | null
  readonly policies: readonly Policy[]
  readonly at: number
}

function send(place: RunSituation, command: Command): FamilyDecision {
  const { setup, family, branch, policies, at } = place
  const context = { library: setup.library, at, actor: agent, policies }
  return commandFamily(family, { command, branch }, context)
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

function check(place: RunSituation, tool: string, input: JsonObject): Verdict {
  return answer(place, tool, input).reply
}

/** The family once the last call has gone well; it stays as it is when none is open. */
function reported(place: RunSituation): Family {
  const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0 }
  return send(place, { type: 'ReportCall', callId: null, report }).family
}

function answer(
  place: RunSituation,
  tool: string,
  input: JsonObject,
): { reply: Verdict; family: Family } {
  const call = readCall({ tool, input }, { machine: leafMachine(place), workspace: '/workspace' })
  const { reply, family } = send(place, { type: 'CheckCall', call })
  if (reply.kind !== 'verdict') throw new Error(`bug: a call gave ${JSON.stringify(reply)}`)
  return { reply, family }
}

function leafMachine({ family, branch }: RunSituation): Machine {
  const addressed = branch === null ? mainOf(family) : memberOfBranch(family, branch)
  return openLeaf(family, addressed ?? mainOf(family)).machine
}

/** The best answer to a tool: with inputs that no rule about inputs minds, as far as there are. */
function best(place: RunSituation, tool: string): Verdict {
  const replies = harmless(place, tool).map((input) => check(place, tool, input))
  return replies.find((reply) => reply.verdict !== 'deny') ?? (replies[0] as Verdict)
}

function harmless(place: RunSituation, tool: string): readonly JsonObject[] {
  const { family, branch } = place
  const addressed = branch === null ? mainOf(family) : memberOfBranch(family, branch)
  const { state, machine } = openLeaf(family, addressed ?? mainOf(family))
  const open = state.openCalls.flatMap((one) => one.edits)
  const file_path = [...state.counts.files, ...open][0] ?? 'notes.txt'
  const commands = machine.stages[state.stage]?.rule.commands ?? null
  if (tool === 'Bash') return (commands ?? ['true']).concat('').map((command) => ({ command }))
  if (tool === 'Grep') return [{ pattern: 'x' }]
  return [{ file_path, old_string: 'a', new_string: 'b', content: 'b' }]
}

/** What is wrong with an alternative; null: it is what it says. */
function broken(place: RunSituation, denied: Denied, one: Alternative): string | null {
  switch (one.kind) {
    case 'tool': {
      const { verdict, code } = best(place, one.name)
      return expected(one.asks ? 'ask' : 'allow', verdict, code)
    }
    case 'command': {
      const { verdict, code } = check(place, 'Bash', { command: one.entry })
      return expected(one.asks ? 'ask' : 'allow', verdict, code)
    }
    case 'file': {
      if (denied.tool === 'Bash') return null
      const input = { ...denied.input, file_path: one.path }
      const { verdict, code } = check(place, denied.tool, input)
      return verdict === 'deny' ? `an edit of ${one.path} gives ${code}` : null
    }
    case 'signal': {
      const { name } = one
      const signal = {
        type: 'SendSignal',
        name,
        data: null,
        expectStage: null,
        goTo: null,
      } as const
      const { reply } = send(place, signal)
      if (reply.kind === 'accepted') return one.needs.length === 0 ? null : 'it needs nothing'
      const missing = reply.kind === 'refused' ? reply.missing : undefined
      return JSON.stringify(missing ?? []) === JSON.stringify(one.needs) && one.needs.length > 0
        ? null
        : `${name} gives ${JSON.stringify(reply)}`
    }
    case 'wait': {
      if (denied.reply.rule === null) return null
      const later = { ...place, at: place.at + 32 * dayMs }
      const { rule, code } = check(later, denied.tool, denied.input)
      return code === denied.reply.code && rule === denied.reply.rule ? 'waiting is no use' : null
    }
  }
}

function expected(wanted: string, verdict: string, code: string | null): string | null {
  return verdict === wanted ? null : `it should ${wanted} and gives ${verdict} ${code}`
}

type Denied = { readonly tool: string; readonly input: JsonObject; readonly reply: Verdict }

const counts = new Map<string, number>()

function note(kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

function complaintAbout(place: RunSituation, denied: Denied): string | null {
  const { code, reason, hint, instead } = denied.reply
  if (code === null || reason === '' || hint === '') return `no code, reason or hint`
  if (hint.includes('\n') || hint.length > 900)
    return `a hint of ${hint.length} characters: ${hint}`
  note(code)
  for (const one of instead) {
    note(one.kind)
    if ('asks' in one && one.asks) note(`${one.kind} asks`)
    const wrong = broken(place, denied, one)
    if (wrong !== null) return `${code}: ${JSON.stringify(one)}: ${wrong}`
  }
  return unnamed(place, denied)
}

/** What is possible and not named: hints that leave out a way are not wrong, but poor. */
function unnamed(place: RunSituation, { reply }: Denied): string | null {
  const { family, branch } = place
  const addressed = branch === null ? mainOf(family) : memberOfBranch(family, branch)
  const { state, machine } = openLeaf(family, addressed ?? mainOf(family))
  const stage = machine.stages[state.stage]
  if (reply.code !== 'TOOL_NOT_ALLOWED' || stage === undefined) return null
  const named = new Set(
    reply.instead.map((one) => ('name' in one ? `${one.kind} ${one.name}` : '')),
  )
  const { allow } = stage.rule.tools
  const tools = allow === 'all' ? [] : allow
  const missing = tools.filter((name) => {
    const { verdict } = best(place, name)
    return verdict !== 'deny' && !named.has(`tool ${name}`)
  })
  const silent = Object.keys(stage.signals).filter((name) => {
    const signal = { type: 'SendSignal', name, data: null, expectStage: null, goTo: null } as const
    return send(place, signal).reply.kind === 'accepted' && !named.has(`signal ${name}`)
  })
  return missing.length + silent.length === 0 ? null : `not named: ${[...missing, ...silent]}`
}

test('every denial says why, and each alternative it names is possible', {
  timeout: timeoutMs,
}, () => {
  fc.assert(
    fc.property(
      fc.tuple(definitionSet, fc.option(policy)),
      steps,
      fc.array(calls, { minLength: 1, maxLength: 8 }),
      ([set, laid], plans, tries) => {
        const { setup } = prepare(set)
        if (setup === null) return
        const policies = laid === null ? [] : [compilePolicy(laid as PolicyDefinition, '/policy')]
        const trace = walk(setup, plans)
        const moments = [...trace.steps.entries()].filter(([index]) => index % 3 === 0)
        for (const [index, { answered, branch }] of moments) {
          const at = 1_000 * (index + 1)
          const place = { setup, family: answered.family, branch, policies, at }
          if (branch !== null && memberOfBranch(answered.family, branch) === undefined) continue
          for (const { tool, input } of tries) {
            const reply = check(place, tool, input)
            if (reply.verdict === 'deny') {
              expect(complaintAbout(place, { tool, input, reply })).toBeNull()
            } else expect(reply.instead).toEqual([])
          }
        }
      },
    ),
    settings(150),
  )
})

const stage = fc
  .record({
    allowed_tools: fc.subarray(['Read', 'Edit', 'Write', 'Bash', 'lookup', 'mcp__files__write']),
    allowed_commands: maybe(fc.subarray(['npm test', 'ls', 'tee log', 'env', 'git status'])),
    blocked_env: maybe(fc.constant(['SECRET'])),
    max_files_per_state: fc.integer({ min: 1, max: 2 }),
    max_edit_lines: maybe(fc.constant(9)),
    max_iterations: maybe(fc.integer({ min: 2, max: 5 })),
  })
  .map(written)

const paced = fc.constant({
  allow: [{ capability: '*', rate_limit: { max_calls: 2, window_seconds: 60 } }],
})

const events: Json = {
  GO: { target: 'z', guard: 'ready' },
  ASK: { target: 'z', requires_approval: true },
  STAY: { target: 'a', guard: 'calm' },
}

test('the same holds in a stage whose files, calls and commands run short', () => {
  fc.assert(
    fc.property(
      stage,
      fc.option(fc.oneof(policy, paced)),
      fc.array(calls, { maxLength: 12 }),
      (one, laid, made) => {
        const guards = {
          ready: { field: 'n', op: 'eq', value: 1 },
          calm: { field: 'n', op: 'not_exists' },
        }
        const states = { a: { ...one, on: events }, z: { type: 'final' } }
        const main = { id: 'w', initial: 'a', guards, states } as unknown as Json
        const { setup } = prepare({ kind: 'workflow', main, library: {} })
        if (setup === null) throw new Error('bug: the definition does not start')
        const policies = laid === null ? [] : [compilePolicy(laid as PolicyDefinition, '/policy')]
        const { answered } = walk(setup, []).steps[0] as Trace['steps'][number]
        let place: RunSituation = {
          setup,
          family: answered.family,
          branch: null,
          policies,
          at: 1_000,
        }
        for (const { tool, input } of made) {
          const { reply, family } = answer(place, tool, input)
          if (reply.verdict === 'deny') {
            expect(complaintAbout(place, { tool, input, reply })).toBeNull()
          }
          const after = { ...place, family, at: place.at + 1_000 }
          // Every other call is reported; those that are not keep their places.
          place = made.length % 2 === 0 ? after : { ...after, family: reported(after) }
        }
      },
    ),
    settings(300),
  )
})

test('the walks have met every kind of alternative, and most kinds of denials', () => {
  const kinds = ['tool', 'command', 'signal', 'file', 'wait', 'tool asks', 'signal asks']
  const codes = ['TOOL_NOT_ALLOWED', 'POLICY_DENIED', 'COMMAND_NOT_ALLOWED', 'TOO_MANY_FILES']
  const more = ['CALLS_EXHAUSTED', 'APPROVAL_PENDING', 'RATE_LIMITED', 'PATH_PROTECTED']
  for (const name of [...kinds, ...codes, ...more]) {
    expect(counts.get(name) ?? 0, name).toBeGreaterThan(0)
  }
})
