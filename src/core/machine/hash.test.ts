import { expect, test } from 'vitest'
import { compileDefinition } from '../dialects/compile-definition.ts'
import type { Json } from '../json.ts'
import { sourceOf } from '../source/source.ts'
import { sealMachine } from './hash.ts'
import type { Machine } from './machine.ts'

function machineOf(definition: Json): Machine {
  const machine = compileDefinition(sourceOf(definition)).machines[0]
  if (machine === undefined) throw new Error('bug: the definition has errors')
  return machine
}

const definitions = {
  process: {
    name: 'deploy-gate',
    initial: 'ask',
    allowed_tools: ['memory_read'],
    session_budget_usd: 5,
    paths: { read: ['/var/log/**'] },
    policy: { ask: [{ capability: 'bash' }], default: 'deny' },
    states: { ask: { question: 'Ready?', answers: { yes: { action: 'complete', next: null } } } },
  },
  workflow: {
    id: 'all-rules',
    initial: 'work',
    session_budget_usd: 5,
    paths: { write: ['/tmp/out'] },
    meta: { calls_max: 90 },
    policy: { allow: [{ capability: 'bash', rate_limit: { max_calls: 3, window_seconds: 60 } }] },
    states: {
      work: {
        allowed_tools: ['Bash', 'Edit'],
        disallowed_tools: ['WebFetch'],
        allowed_commands: ['npm test'],
        blocked_env: ['TOKEN'],
        deny_env: ['KEY'],
        env: { A: '1' },
        env_overrides: { CI: 'true' },
        max_iterations: 9,
        max_edit_lines: 20,
        max_files_per_state: 2,
        context_budget_bytes: 1000,
        on: { DONE: 'done' },
      },
      done: { type: 'final' },
    },
  },
  steps: {
    context: {
      task: [
        {
          id: 'form',
          type: 'steps',
          session_budget_usd: 1,
          paths: { read: ['/etc/hosts'] },
          policy: { deny: [{ capability: 'web' }] },
          steps: [
            {
              id: 'first',
              goal: 'Ask',
              inputs: [{ name: 'kind', type: 'string' }],
              tools: { allow: ['Read'] },
            },
          ],
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, unknown>>

/** As they were before rules had an origin. Runs are pinned to such hashes: they never change. */
const hashes: Readonly<Record<keyof typeof definitions, string>> = {
  process: 'sha256:443e10a781a6184a945e8653a781146b024b3457bb39a12a0a973e24a282d324',
  workflow: 'sha256:b1aadd0cde7fc0c6b700c7ec39d8c17ed0a551e42d780333e2f65e39f2e527a7',
  steps: 'sha256:ad379504c7c5cd01a990ad60f0d4bf6727475ee5af7182032c4fe7af95aab94f',
}

test.each(['process', 'workflow', 'steps'] as const)(
  'a %s keeps the hash it always had',
  (name) => {
    expect(machineOf(definitions[name] as Json).hash).toBe(hashes[name])
  },
)

test('the origins of rules are no part of the hash, and everything else is', () => {
  const { hash, ...machine } = machineOf(definitions.workflow as Json)
  const { origins: _, ...bare } = machine
  expect(machine.origins?.stages.work?.commands).toBe('/states/work/allowed_commands')
  expect(sealMachine(bare).hash).toBe(hash)
  expect(sealMachine({ ...machine, prompt: 'other' }).hash).not.toBe(hash)
})

test('the rules of a task stand where the task stands in its file', () => {
  const { origins } = machineOf(definitions.steps as Json)
  expect(origins).toEqual({
    run: {
      policy: '/context/task/0/policy',
      paths: '/context/task/0/paths',
      microUsdMax: '/context/task/0/session_budget_usd',
    },
    stages: { first: { allow: '/context/task/0/steps/0/tools/allow' } },
  })
})
